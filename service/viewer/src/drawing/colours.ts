// What colour an agent has: by status, by speed, by group or by turns. Four bytes an agent, ready to be uploaded.
import { STATUSES, speedOf, type CrowdFrame } from "../world/frame.ts";
import type { Theme } from "./theme.ts";

export type ColourMode = "status" | "speed" | "group" | "turns";
export const COLOUR_MODES: readonly ColourMode[] = ["status", "speed", "group", "turns"];

export type Rgb = readonly [number, number, number];

/** Bytes of "#rrggbb". */
export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Colour at 0 to 1 along evenly spaced stops. */
export function ramp(stops: readonly Rgb[], part: number): Rgb {
  const along = Math.min(Math.max(part, 0), 1) * (stops.length - 1);
  const at = Math.min(Math.floor(along), stops.length - 2);
  const [from, to, rest] = [stops[at]!, stops[at + 1]!, along - at];
  const mixed = (channel: 0 | 1 | 2): number => Math.round(from[channel] + rest * (to[channel] - from[channel]));
  return [mixed(0), mixed(1), mixed(2)];
}

/** Colours of all agents, (4n) bytes. */
export function colourAgents(frame: CrowdFrame, mode: ColourMode, theme: Theme, groups: Groups): Uint8Array {
  const count = frame.ids.length;
  // one word an agent: a table of packed colours is far quicker than four bytes one by one
  const words = new Uint32Array(count);
  if (mode === "speed") {
    const table = packed(Array.from({ length: 64 }, (_, at) => ramp(theme.ramp, at / 63)));
    for (let row = 0; row < count; row += 1) {
      const speed = speedOf(frame, row);
      const part = speed / (frame.maxSpeed[row]! || 1);
      words[row] = table[Math.min(63, Math.round(63 * part))]!;
    }
  } else if (mode === "group") {
    const table = packed(theme.groups);
    const codes = groups.of(frame);
    for (let row = 0; row < count; row += 1) words[row] = table[codes[row]! % table.length]!;
  } else if (mode === "turns") {
    const table = packed(theme.turns);
    for (let row = 0; row < count; row += 1) words[row] = table[frame.cooperation[row]!]!;
  } else {
    const table = packed(STATUSES.map((status) => theme.status[status]));
    for (let row = 0; row < count; row += 1) words[row] = table[frame.status[row]!]!;
  }
  return new Uint8Array(words.buffer);
}

function packed(colours: readonly Rgb[]): Uint32Array {
  return new Uint32Array(Uint8Array.from(colours.flatMap(([r, g, b]) => [r, g, b, 255])).buffer);
}

export const GROUPS = 8;
const BLOCK = 100;

/**
 * Which group an agent belongs to: the eighth of the compass, seen from the middle of all goals, in which the goal lay
 * that it had when it was first seen; without a goal, its block of a hundred ids. A group is kept for life, so that new
 * goals do not recolour anybody.
 */
export class Groups {
  private known = new Map<number, number>();
  private ids: Float64Array | null = null;
  private codes = new Uint8Array(0);

  of(frame: CrowdFrame): Uint8Array {
    if (frame.ids === this.ids) return this.codes;
    this.ids = frame.ids;
    this.codes = new Uint8Array(frame.ids.length);
    let middle: readonly [number, number] | null = null;
    for (let row = 0; row < frame.ids.length; row += 1) {
      const id = frame.ids[row]!;
      let group = this.known.get(id);
      if (group === undefined) {
        middle ??= middleOf(frame.goal);
        group = sector(frame.goal[2 * row]! - middle[0], frame.goal[2 * row + 1]! - middle[1]) ?? blockOf(id);
        this.known.set(id, group);
      }
      this.codes[row] = group;
    }
    return this.codes;
  }
}

function blockOf(id: number): number {
  return Math.floor(id / BLOCK) % GROUPS;
}

/** Which eighth of the compass a direction lies in, the first from east to north-east; null without a direction. */
export function sector(x: number, y: number): number | null {
  if (!Number.isFinite(x + y)) return null;
  const turn = Math.atan2(y, x) / (2 * Math.PI);
  return Math.floor((turn - Math.floor(turn)) * GROUPS) % GROUPS;
}

function middleOf(goals: Float32Array): readonly [number, number] {
  let [x, y, count] = [0, 0, 0];
  for (let at = 0; at < goals.length; at += 2) {
    if (!Number.isFinite(goals[at]!)) continue;
    x += goals[at]!;
    y += goals[at + 1]!;
    count += 1;
  }
  return count > 0 ? [x / count, y / count] : [0, 0];
}
