// What lies over the crowd: the chosen agent with its goal, what is being drawn by hand, the grid under it all.
import { roundUp } from "./heat.ts";
import type { CrowdFrame } from "../world/frame.ts";
import type { Box } from "./camera.ts";

/** Segments that are put together anew whenever they are needed. */
export class Strokes {
  private readonly numbers: number[] = [];

  get count(): number {
    return this.numbers.length / 4;
  }

  line(x0: number, y0: number, x1: number, y1: number): this {
    this.numbers.push(x0, y0, x1, y1);
    return this;
  }

  path(points: readonly (readonly [number, number])[], closed = false): this {
    points.forEach(([x, y], index) => {
      const next = points[index + 1] ?? (closed && points.length > 2 ? points[0] : undefined);
      if (next !== undefined) this.line(x, y, next[0], next[1]);
    });
    return this;
  }

  ring(x: number, y: number, radius: number, parts = 48): this {
    for (let at = 0; at < parts; at += 1) {
      const [a, b] = [(2 * Math.PI * at) / parts, (2 * Math.PI * (at + 1)) / parts];
      this.line(x + radius * Math.cos(a), y + radius * Math.sin(a), x + radius * Math.cos(b), y + radius * Math.sin(b));
    }
    return this;
  }

  cross(x: number, y: number, size: number): this {
    return this.line(x - size, y - size, x + size, y + size).line(x - size, y + size, x + size, y - size);
  }

  array(): Float32Array {
    return Float32Array.from(this.numbers);
  }
}

/** Lines of a grid over a box, and how far they are apart: a round number of metres, some 90 pixels or more. */
export function gridLines(view: Box, scale: number): { readonly strokes: Strokes; readonly distance: number } {
  const distance = roundUp(90 / scale);
  const strokes = new Strokes();
  for (let x = Math.ceil(view[0] / distance) * distance; x <= view[2]; x += distance) strokes.line(x, view[1], x, view[3]);
  for (let y = Math.ceil(view[1] / distance) * distance; y <= view[3]; y += distance) strokes.line(view[0], y, view[2], y);
  return { strokes, distance };
}

/** A line from everybody who waits by a plan for all to the one it waits for; more than so many would be a tangle. */
export function waitingLines(frame: CrowdFrame, most = 2000): Strokes {
  const strokes = new Strokes();
  let rows: Map<number, number> | null = null;
  for (let row = 0; row < frame.ids.length && strokes.count < most; row += 1) {
    const other = frame.waitsFor[row]!;
    if (Number.isNaN(other)) continue;
    rows ??= new Map(Array.from(frame.ids, (id, at) => [id, at]));
    const at = rows.get(other);
    if (at === undefined) continue;
    const { position } = frame;
    strokes.line(position[2 * row]!, position[2 * row + 1]!, position[2 * at]!, position[2 * at + 1]!);
  }
  return strokes;
}
