// The colours of the drawing, read from the style sheet, so that light and dark are said in one place.
import type { Status } from "../world/frame.ts";
import { rgb, type Rgb } from "./colours.ts";

export interface Theme {
  readonly ground: Rgb;
  readonly outside: Rgb;
  readonly line: Rgb;
  readonly wall: Rgb;
  readonly ink: Rgb;
  readonly accent: Rgb;
  readonly nose: Rgb;
  readonly status: Readonly<Record<Status, Rgb>>;
  readonly ramp: readonly Rgb[];
  readonly heat: readonly Rgb[];
  readonly groups: readonly Rgb[];
  /** In the order of TURNS. */
  readonly turns: readonly Rgb[];
}

/** What the style sheet says now. */
export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const one = (name: string): Rgb => rgb(style.getPropertyValue(name).trim());
  const list = (name: string): Rgb[] => style.getPropertyValue(name).trim().split(/\s+/).map(rgb);
  return {
    ground: one("--ground"),
    outside: one("--outside"),
    line: one("--grid"),
    wall: one("--wall"),
    ink: one("--ink"),
    accent: one("--accent"),
    nose: one("--nose"),
    status: {
      "no-goal": one("--no-goal"),
      moving: one("--moving"),
      arrived: one("--arrived"),
      stalled: one("--stalled"),
      "arrived-crowded": one("--arrived-crowded"),
      blocked: one("--blocked"),
      unreachable: one("--unreachable"),
      "inside-obstacle": one("--inside-obstacle"),
    },
    ramp: list("--ramp"),
    heat: list("--heat"),
    groups: list("--groups"),
    turns: list("--turns"),
  };
}

export type ThemeChoice = "auto" | "light" | "dark";

const KEY = "orca-crowd.theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark, as chosen or as the system has it. */
export class ThemeSwitch {
  choice: ThemeChoice;

  constructor(private readonly changed: () => void) {
    const kept = localStorage.getItem(KEY);
    this.choice = kept === "light" || kept === "dark" ? kept : "auto";
    prefersDark.addEventListener("change", () => this.show());
    this.show();
  }

  get dark(): boolean {
    return this.choice === "auto" ? prefersDark.matches : this.choice === "dark";
  }

  /** The other one; chosen as the system has it, it follows the system again. */
  toggle(): void {
    const wanted = this.dark ? "light" : "dark";
    this.choice = (wanted === "dark") === prefersDark.matches ? "auto" : wanted;
    if (this.choice === "auto") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, this.choice);
    this.show();
  }

  private show(): void {
    document.documentElement.dataset["theme"] = this.dark ? "dark" : "light";
    this.changed();
  }
}
