// Decides what the picture shows: colours, trails and heat of the frame in view, made anew only where they are others.
import type { CrowdFrame } from "../world/frame.ts";
import type { Playhead } from "../world/playhead.ts";
import type { Camera } from "./camera.ts";
import { Groups, colourAgents, type ColourMode } from "./colours.ts";
import { gridOver, heatMap, type HeatKind, type HeatMap } from "./heat.ts";
import type { Theme } from "./theme.ts";

/** How long a trail is, in seconds of the world, and of how many pieces at most. */
const TRAIL_SECONDS = 4;
const TRAIL_PIECES = 40;
/** Pieces of all trails together that a laptop draws without noticing. */
const PIECES_OF_ALL = 240_000;
/** A heat map is made at most so often, in milliseconds. */
const HEAT_EVERY = 90;

export class Painter {
  groups = new Groups();
  heat: HeatMap | null = null;
  /** The value that the strongest colour stands for; it follows the largest slowly, so that nothing flickers. */
  heatTop = 0;
  private colours: { readonly key: readonly unknown[]; readonly bytes: Uint8Array } = { key: [], bytes: new Uint8Array(0) };
  private trail: { readonly key: readonly unknown[]; readonly frames: readonly CrowdFrame[] } = { key: [], frames: [] };
  private heated: { readonly key: readonly unknown[]; readonly at: number } = { key: [], at: -Infinity };

  /** Another world: groups and scales begin anew. */
  restart(): void {
    this.groups = new Groups();
    this.heatTop = 0;
    this.heat = null;
  }

  coloursOf(frame: CrowdFrame, mode: ColourMode, theme: Theme): Uint8Array {
    const key = [frame, mode, theme];
    if (!same(key, this.colours.key)) this.colours = { key, bytes: colourAgents(frame, mode, theme, this.groups) };
    return this.colours.bytes;
  }

  trailsOf(playhead: Playhead, timeStep: number): readonly CrowdFrame[] {
    const frame = playhead.shown;
    const key = [frame, timeStep];
    if (!same(key, this.trail.key)) {
      const pieces = Math.max(4, Math.min(TRAIL_PIECES, Math.floor(PIECES_OF_ALL / Math.max(1, frame.ids.length))));
      const stride = Math.max(1, Math.round(TRAIL_SECONDS / TRAIL_PIECES / timeStep));
      this.trail = { key, frames: playhead.before(pieces, stride) };
    }
    return this.trail.frames;
  }

  /** The heat map of a frame in a view, or null; says whether a newer one is due later. */
  heatOf(frame: CrowdFrame, kind: HeatKind | "off", camera: Camera, now: number): { readonly due: boolean } {
    if (kind === "off") {
      this.heat = null;
      this.heated = { key: [], at: -Infinity };
      return { due: false };
    }
    const key = [frame, kind, camera.version];
    if (same(key, this.heated.key)) return { due: false };
    if (now - this.heated.at < HEAT_EVERY) return { due: true };
    const fresh = this.heat?.kind !== kind;
    this.heat = heatMap(frame, gridOver(camera.view()), kind);
    this.heatTop = fresh || this.heatTop === 0 ? this.heat.largest : 0.9 * this.heatTop + 0.1 * this.heat.largest;
    this.heated = { key, at: now };
    return { due: false };
  }
}

function same(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
