// What the colours mean, with how many agents have each.
import { STATUSES, TURNS, type CrowdFrame } from "../world/frame.ts";
import type { ColourMode, Rgb } from "../drawing/colours.ts";
import type { HeatMap } from "../drawing/heat.ts";
import type { Theme } from "../drawing/theme.ts";
import { counted, draw, make, shown } from "./page.ts";

const WINDS = ["E–NE", "NE–N", "N–NW", "NW–W", "W–SW", "SW–S", "S–SE", "SE–E"];
/** What agents do where they take turns, in words. */
const TURN_NAMES: readonly string[] = TURNS.map(
  (turn) => ({ none: "on its own", orca: "under way", drift: "waiting", mapf: "untying a knot", yield: "making way" })[turn],
);
/** So many statuses are always listed, the others while somebody has them. */
const USUAL = 4;
const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;

export class Legend {
  private shownKey = "";

  constructor(private readonly host: HTMLElement) {}

  /** Show what a picture is drawn with. */
  show(frame: CrowdFrame, mode: ColourMode, groups: Uint8Array | null, heat: HeatMap | null, top: number, theme: Theme): void {
    const parts: { readonly key: string; readonly build: () => HTMLElement }[] = [];
    if (mode === "speed") {
      const most = frame.maxSpeed.reduce((largest, speed) => Math.max(largest, speed), 0);
      parts.push({ key: `speed ${most}`, build: () => bar("Speed, of each agent's greatest", "0", most > 0 ? `${shown(most, 1)} m/s` : "–", theme.ramp) });
    } else {
      const [names, codes, colours] =
        mode === "group" ? [WINDS, groups ?? new Uint8Array(0), theme.groups]
        : mode === "turns" ? [TURN_NAMES, frame.cooperation, theme.turns]
        : [STATUSES, frame.status, STATUSES.map((status) => theme.status[status])];
      const counts = new Uint32Array(names.length);
      for (const code of codes) counts[code]! += 1;
      const listed = [...names.keys()].filter((at) => mode !== "status" || at < USUAL || counts[at]! > 0);
      parts.push({ key: `${mode} ${counts.join()}`, build: () => entries(listed, names, colours, counts) });
    }
    if (heat !== null) {
      const [title, unit] = heat.kind === "density" ? ["Density", "agents/m²"] : ["Mean speed", "m/s"];
      parts.push({ key: `heat ${heat.kind} ${shown(top)}`, build: () => bar(title!, "0", `${shown(top)} ${unit}`, theme.heat) });
    }
    const key = `${parts.map((part) => part.key).join("|")} ${css(theme.ink)}`;
    if (key === this.shownKey) return;
    this.shownKey = key;
    this.host.replaceChildren(...parts.map((part) => part.build()));
  }
}

function entries(listed: readonly number[], names: readonly string[], colours: readonly Rgb[], counts: Uint32Array): HTMLElement {
  const items = listed.map((at) => {
    const swatch = make("span", "swatch");
    swatch.style.background = css(colours[at]!);
    return make("li", "", swatch, names[at]!.replace("-", " "), make("b", "", counted(counts[at]!)));
  });
  return make("ul", "", ...items);
}

function bar(title: string, least: string, most: string, stops: readonly Rgb[]): HTMLElement {
  const id = `ramp-${title.length}`;
  const gradient = draw("linearGradient", { id }, ...stops.map((stop, at) => draw("stop", { offset: at / (stops.length - 1), "stop-color": css(stop) })));
  const picture = draw("svg", { class: "ramp", preserveAspectRatio: "none", viewBox: "0 0 100 9", "aria-hidden": "true" }, gradient, draw("rect", { width: 100, height: 9, fill: `url(#${id})` }));
  const box = make("div", "", title);
  box.append(picture, make("div", "ends-of-ramp", make("span", "", least), make("span", "", most)));
  return box;
}
