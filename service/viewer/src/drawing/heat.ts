// Heat maps: agents counted into square cells, smoothed a little, as numbers with a unit.
import { speedOf, type CrowdFrame } from "../world/frame.ts";
import type { Box } from "./camera.ts";

export type HeatKind = "density" | "speed";

export interface Grid {
  readonly minX: number;
  readonly minY: number;
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
}

export interface HeatMap {
  readonly grid: Grid;
  readonly kind: HeatKind;
  /** Agents a square metre, or mean speed in metres a second; (rows × columns), the lowest row first. */
  readonly values: Float32Array;
  /** How much is there to be seen, 0 to 1: a cell without anybody shows nothing. */
  readonly weight: Float32Array;
  readonly largest: number;
}

/** Cells a side at most, so that a map costs the same in every view. */
const MOST_CELLS = 160;

/** A grid over a box, of cells of 1, 2 or 5 times a power of ten, so that they stay put while the view moves. */
export function gridOver(box: Box, least = 0.5): Grid {
  const wide = Math.max(box[2] - box[0], box[3] - box[1], 1e-6);
  const cell = roundUp(Math.max(wide / 80, least));
  const minX = Math.floor(box[0] / cell) * cell;
  const minY = Math.floor(box[1] / cell) * cell;
  const count = (from: number, to: number): number => Math.min(Math.max(1, Math.ceil((to - from) / cell)), MOST_CELLS);
  return { minX, minY, cell, columns: count(minX, box[2]), rows: count(minY, box[3]) };
}

/** The smallest of 1, 2, 5 × 10^k that is not smaller. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const found = [1, 2, 5, 10].find((step) => step * power >= value * (1 - 1e-9));
  return (found ?? 10) * power;
}

/** Count a frame's agents into a grid; those outside do not count. */
export function heatMap(frame: CrowdFrame, grid: Grid, kind: HeatKind): HeatMap {
  const { columns, rows, cell, minX, minY } = grid;
  let counts = new Float32Array(columns * rows);
  let sums = new Float32Array(columns * rows);
  for (let row = 0; row < frame.ids.length; row += 1) {
    const column = Math.floor((frame.position[2 * row]! - minX) / cell);
    const line = Math.floor((frame.position[2 * row + 1]! - minY) / cell);
    if (column < 0 || line < 0 || column >= columns || line >= rows) continue;
    const at = line * columns + column;
    counts[at]! += 1;
    sums[at]! += speedOf(frame, row);
  }
  // both are smoothed before they are divided, so that the mean of a cell with one agent does not jump
  counts = blurred(counts, columns, rows);
  sums = blurred(sums, columns, rows);
  const values = new Float32Array(counts.length);
  const weight = new Float32Array(counts.length);
  let largest = 0;
  for (let at = 0; at < counts.length; at += 1) {
    const count = counts[at]!;
    if (count <= 1e-6) continue;
    values[at] = kind === "density" ? count / (cell * cell) : sums[at]! / count;
    weight[at] = Math.min(1, count * 4);
    largest = Math.max(largest, values[at]!);
  }
  return { grid, kind, values, weight, largest };
}

/** One pass of the kernel 1 2 1 along both axes; what leaves at an edge is kept in the edge's cell. */
export function blurred(values: Float32Array<ArrayBuffer>, columns: number, rows: number): Float32Array<ArrayBuffer> {
  const across = pass(values, rows, columns, columns, 1);
  return pass(across, columns, rows, 1, columns);
}

function pass(
  values: Float32Array<ArrayBuffer>, lines: number, length: number, lineStep: number, step: number,
): Float32Array<ArrayBuffer> {
  const made = new Float32Array(values.length);
  for (let line = 0; line < lines; line += 1) {
    for (let at = 0; at < length; at += 1) {
      const here = line * lineStep + at * step;
      const before = values[at > 0 ? here - step : here]!;
      const after = values[at < length - 1 ? here + step : here]!;
      made[here] = 0.25 * before + 0.5 * values[here]! + 0.25 * after;
    }
  }
  return made;
}
