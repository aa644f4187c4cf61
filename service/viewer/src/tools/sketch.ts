// A line or polygon in the making: points one after another, Escape takes the last back, Enter finishes.

export type Point = readonly [number, number];
export type SketchKind = "wall" | "area";

export class Sketch {
  private readonly points: Point[] = [];
  /** Where the pointer is: the next point if it were pressed now. */
  private pointer: Point | null = null;

  constructor(readonly kind: SketchKind) {}

  get length(): number {
    return this.points.length;
  }

  /** Points that are set. */
  get path(): readonly Point[] {
    return this.points;
  }

  /** Set a point; one on the very spot of the last is not another. */
  add(x: number, y: number): void {
    const last = this.points[this.points.length - 1];
    if (last !== undefined && last[0] === x && last[1] === y) return;
    this.points.push([x, y]);
  }

  /** The pointer is here. */
  aim(x: number, y: number): void {
    this.pointer = [x, y];
  }

  /** Take the last point back; false where there was none. */
  undo(): boolean {
    return this.points.pop() !== undefined;
  }

  /** Take all points out, so that the next shape can begin. */
  takeAll(): Point[] {
    return this.points.splice(0);
  }

  /** Put points back that were taken out, where nothing else was begun. */
  putBack(points: readonly Point[]): void {
    if (this.points.length === 0) this.points.push(...points);
  }

  /** Whether a point at (x, y) would close the line: it is within `reach` of the first, and there are three. */
  closes(x: number, y: number, reach: number): boolean {
    const first = this.points[0];
    return first !== undefined && this.points.length >= 3 && Math.hypot(x - first[0], y - first[1]) <= reach;
  }

  /** Whether there are points enough for what is being made. */
  get whole(): boolean {
    return this.points.length >= (this.kind === "wall" ? 2 : 3);
  }

  /** Points with the pointer's, for the drawing. */
  shown(): readonly Point[] {
    return this.pointer === null || this.points.length === 0 ? this.points : [...this.points, this.pointer];
  }
}

/** Round to a millimetre on the screen's scale, so that a drawn wall does not have sixteen digits. */
export function snapped(value: number, pixel: number): number {
  const step = 10 ** Math.floor(Math.log10(pixel));
  const digits = Math.max(0, -Math.log10(step));
  return Number((Math.round(value / step) * step).toFixed(Math.min(12, Math.round(digits))));
}
