// The panel of the chosen agent: its velocity disc, what the drawing means, its values, its constraints one by one.
import { make, shown } from "../panels/page.ts";
import { velocityPicture, type Constraint, type Explanation } from "./picture.ts";

/** What the program's ending means. */
const ENDINGS: Readonly<Record<string, string>> = {
  feasible: "every constraint holds",
  relaxed: "too tight, agents give way as little as can be",
  "hard-relaxed": "too tight, even walls give way",
};

export class ExplainPanel {
  private scrolled: HTMLElement | null = null;

  constructor(private readonly host: HTMLElement) {}

  /** Show an explanation, or why there is none. */
  show(explanation: Explanation | null, words = ""): void {
    if (explanation === null) {
      this.host.replaceChildren(make("p", "quiet", words));
      this.scrolled = null;
      return;
    }
    const top = this.scrolled?.scrollTop ?? 0;
    const table = this.table(explanation.constraints);
    const picture = velocityPicture(explanation);
    this.host.replaceChildren(this.ending(explanation), picture, this.key(explanation.constraints), this.values(explanation), table);
    table.scrollTop = top;
    this.scrolled = table;
    this.link(picture, table);
  }

  private key(constraints: readonly Constraint[]): HTMLElement {
    const entry = (className: string, text: string): HTMLElement => make("li", "", make("i", `key ${className}`), text);
    const kinds = ["agent", "obstacle", "boundary"].filter((kind) => constraints.some((plane) => plane.kind === kind));
    return make(
      "ul", "keys-of-picture",
      entry("chosen", "next velocity"), entry("preferred", "preferred"), entry("now", "now"), entry("permitted", "permitted"),
      ...kinds.map((kind) => entry(kind, kind)),
    );
  }

  private ending({ program }: Explanation): HTMLElement {
    const ending = make("p", `ending ${program.status}`, make("b", "", program.status), ` – ${ENDINGS[program.status] ?? ""}`);
    if (program.deepest_violation > 0) ending.append(`; deepest violation ${shown(program.deepest_violation, 3)} m/s`);
    return ending;
  }

  private values({ agent, program, next, status, step }: Explanation): HTMLElement {
    const list = make("dl", "values");
    const add = (name: string, value: string): void => {
      list.append(make("div", "", make("dt", "", name), make("dd", "", value)));
    };
    const number = (name: string): number => Number(agent[name]);
    const pair = (value: unknown): string => {
      const [x, y] = (value ?? [NaN, NaN]) as [number, number];
      return Number.isFinite(x) ? `${shown(x)}, ${shown(y)}` : "none";
    };
    const turn = next.turns_aside ? ", turns aside" : next.parts ? ", parts" : "";
    add("status", status);
    add("at step", String(step));
    add("position", pair(agent["position"]));
    add("goal", pair(agent["goal"]));
    add("next velocity", `${pair(next.velocity)}${turn}`);
    add("speed", `${shown(Math.hypot(...next.velocity))} of ${shown(program.max_speed)} m/s`);
    add("radius", `${shown(number("radius"))} m`);
    add("horizons", `${shown(number("time_horizon"), 1)} s, walls ${shown(number("obstacle_horizon"), 1)} s`);
    return list;
  }

  private table(constraints: readonly Constraint[]): HTMLElement {
    const body = make("tbody");
    constraints.forEach((plane, index) => {
      const source = plane.source === null ? "" : ` ${plane.source}`;
      const row = make(
        "tr", plane.signed_distance < -1e-9 ? "violated" : "",
        make("td", "", make("i", `key ${plane.kind}`), `${plane.kind}${source}${plane.hard ? ", hard" : ""}`),
        make("td", "", shown(plane.distance)), make("td", "", shown(plane.signed_distance, 3)),
      );
      row.dataset["row"] = String(index);
      body.append(row);
    });
    const heads = ["constraint", "distance", "slack"].map((text) => make("th", "", text));
    const table = make("table", "", make("thead", "", make("tr", "", ...heads)), body);
    const box = make("div", "constraints", constraints.length > 0 ? table : make("p", "quiet", "Nothing is near enough to constrain it."));
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Constraints in the order of the program");
    return box;
  }

  // a row and its line light up together
  private link(picture: SVGElement, table: HTMLElement): void {
    const light = (event: Event, on: boolean): void => {
      const row = (event.target as Element).closest<HTMLElement | SVGElement>("[data-row]")?.dataset["row"];
      if (row === undefined) return;
      for (const found of this.host.querySelectorAll(`[data-row="${row}"]`)) found.classList.toggle("lit", on);
    };
    for (const part of [picture, table]) {
      part.addEventListener("pointerover", (event) => light(event, true));
      part.addEventListener("pointerout", (event) => light(event, false));
    }
  }
}
