// What the scene of a demo should come to, beside what has been seen of it so far.
import { Tally, type Counting } from "../world/tally.ts";
import type { CrowdFrame } from "../world/frame.ts";
import type { Demo } from "./worlds.ts";
import { counted, element, make, say, shown } from "./page.ts";

/** What a scene comes to: seconds, metres and degrees; null what it has not. */
export interface Figures {
  readonly agents: number;
  readonly arrived: number;
  readonly last: number | null;
  readonly overlap: number;
  readonly flow: number | null;
  readonly turned: number | null;
}

type Row = readonly [label: string, unit: string, digits: number, of: (one: Figures) => number | null];
const ROWS: readonly Row[] = [
  ["Arrived", "", 0, (one) => one.arrived],
  ["The last one", "s", 1, (one) => one.last],
  ["Deepest overlap", "m", 3, (one) => one.overlap],
  ["Flow", "1/s", 2, (one) => one.flow],
  ["Turned, each", "°", 0, (one) => one.turned],
];

/** In a line, for the card of a demo. */
export function summary(figures: Figures): string {
  const { agents, arrived, last, overlap, turned } = figures;
  const who = arrived === agents && last !== null ? `all there after ${shown(last, 0)} s` : `${counted(arrived)} of ${counted(agents)} arrive`;
  return turned === null ? `${who}, overlap ${shown(overlap)} m` : `${who}, each turned by ${shown(turned, 0)}°`;
}

const NOTHING: Counting = { gate: null, arrival: 0, turning: false };

export class ScenePanel {
  private figures: Figures | null = null;
  private tally = new Tally(NOTHING);
  private cells: readonly HTMLElement[] = [];

  /** Another world: that of a demo which comes to an end, or none such. */
  show(demo: Demo | null = null, counting: Omit<Counting, "turning"> = NOTHING): void {
    this.figures = demo?.figures ?? null;
    this.tally = new Tally({ ...counting, turning: this.turning });
    element("scene").hidden = this.figures === null;
    if (demo === null || this.figures === null) return;
    const figures = this.figures;
    say(element("scene-title"), demo.title);
    const rows = ROWS.filter(([, , , of]) => of(figures) !== null);
    const head = make("tr", "", make("td"), cell("th", "so far"), cell("th", "in the end"));
    const body = rows.map(([label, unit, digits, of]) => {
      const name = make("th", "", label, ...(unit ? [make("span", "quiet", ` ${unit}`)] : []));
      name.scope = "row";
      return make("tr", "", name, make("td", "so-far", "–"), cell("td", shown(of(figures)!, digits)));
    });
    element("scene-figures").replaceChildren(make("thead", "", head), make("tbody", "", ...body));
    this.cells = [...element("scene-figures").querySelectorAll<HTMLElement>(".so-far")];
  }

  /** Whether the scene is about how much everybody turns. */
  get turning(): boolean {
    return this.figures !== null && this.figures.turned !== null;
  }

  see(frame: CrowdFrame): void {
    if (this.figures !== null) this.tally.see(frame);
  }

  /** Write down what has been seen. */
  update(): void {
    const figures = this.figures;
    if (figures === null) return;
    const { arrived, last, overlap, flow, turned } = this.tally;
    const now: Figures = { agents: figures.agents, arrived, last, overlap, flow, turned };
    ROWS.filter(([, , , of]) => of(figures) !== null).forEach(([, , digits, of], at) => {
      const value = of(now);
      say(this.cells[at]!, value === null ? "–" : shown(value, digits));
    });
  }
}

function cell(kind: "th" | "td", text: string): HTMLElement {
  const made = make(kind, "", text);
  if (kind === "th") made.setAttribute("scope", "col");
  return made;
}
