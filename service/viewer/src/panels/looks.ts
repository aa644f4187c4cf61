// How the crowd is shown: colours, heat map, trails, smooth motion.
import { COLOUR_MODES, type ColourMode } from "../drawing/colours.ts";
import type { HeatKind } from "../drawing/heat.ts";
import { element } from "./page.ts";

export type HeatChoice = HeatKind | "off";
const HEATS: readonly HeatChoice[] = ["off", "density", "speed"];

export class Looks {
  colour: ColourMode = "status";
  heat: HeatChoice = "off";

  constructor(private readonly changed: () => void) {
    for (const input of this.radios("colour")) input.addEventListener("change", () => this.setColour(input.value as ColourMode));
    for (const input of this.radios("heat")) input.addEventListener("change", () => this.setHeat(input.value as HeatChoice));
    for (const name of ["trails", "smooth"]) element(name).addEventListener("change", () => changed());
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) element<HTMLInputElement>("smooth").checked = false;
    // a browser that goes back fills the fields in by itself
    this.colour = (this.radios("colour").find((input) => input.checked)?.value ?? "status") as ColourMode;
    this.heat = (this.radios("heat").find((input) => input.checked)?.value ?? "off") as HeatChoice;
  }

  get trails(): boolean {
    return element<HTMLInputElement>("trails").checked;
  }

  get smooth(): boolean {
    return element<HTMLInputElement>("smooth").checked;
  }

  nextColour(): void {
    this.setColour(COLOUR_MODES[(COLOUR_MODES.indexOf(this.colour) + 1) % COLOUR_MODES.length]!);
  }

  nextHeat(): void {
    this.setHeat(HEATS[(HEATS.indexOf(this.heat) + 1) % HEATS.length]!);
  }

  toggleTrails(): void {
    this.showTrails(!this.trails);
  }

  showTrails(shown = true): void {
    element<HTMLInputElement>("trails").checked = shown;
    this.changed();
  }

  private setColour(mode: ColourMode): void {
    this.colour = mode;
    for (const input of this.radios("colour")) input.checked = input.value === mode;
    this.changed();
  }

  private setHeat(kind: HeatChoice): void {
    this.heat = kind;
    for (const input of this.radios("heat")) input.checked = input.value === kind;
    this.changed();
  }

  private radios(name: string): HTMLInputElement[] {
    return [...document.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)];
  }
}
