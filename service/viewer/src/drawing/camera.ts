// Where the view stands: world metres to screen pixels, y up. Pure: gestures and sizes come from outside.

/** Pixels that something lies over at each side, such as the tools. */
export interface Insets {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const MARGIN: Insets = { left: 24, right: 24, top: 24, bottom: 24 };

/** min x, min y, max x, max y. */
export type Box = readonly [number, number, number, number];

const LEAST_SCALE = 1e-4;
const MOST_SCALE = 4000;

export class Camera {
  x = 0;
  y = 0;
  /** Pixels (of the page) a metre. */
  scale = 10;
  width = 1;
  height = 1;
  /** Counts changes, so that who has drawn can tell whether to draw again. */
  version = 0;
  private box: Box | null = null;
  private insets = MARGIN;

  /** The canvas has another size, in pixels of the page; a fitted view stays fitted. */
  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.version += 1;
    if (this.box !== null) this.fit(this.box, this.insets);
  }

  /** Show a box whole, in the middle of what the insets leave. */
  fit(box: Box, insets: Insets = MARGIN): void {
    const wide = Math.max(box[2] - box[0], 1e-6);
    const high = Math.max(box[3] - box[1], 1e-6);
    const room = (length: number, taken: number): number => Math.max(length - taken, length * 0.4);
    const { left, right, top, bottom } = insets;
    this.scale = clamp(Math.min(room(this.width, left + right) / wide, room(this.height, top + bottom) / high));
    this.x = (box[0] + box[2]) / 2 - (left - right) / 2 / this.scale;
    this.y = (box[1] + box[3]) / 2 + (top - bottom) / 2 / this.scale;
    this.insets = insets;
    this.box = box;
    this.version += 1;
  }

  /** Zoom by a factor; the point under (screenX, screenY) stays where it is. */
  zoom(factor: number, screenX: number, screenY: number): void {
    const [x, y] = this.toWorld(screenX, screenY);
    this.scale = clamp(this.scale * factor);
    this.x = x - (screenX - this.width / 2) / this.scale;
    this.y = y + (screenY - this.height / 2) / this.scale;
    this.box = null;
    this.version += 1;
  }

  /** Drag the ground by pixels. */
  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.box = null;
    this.version += 1;
  }

  /** Put a point into the middle, as following does. */
  centre(x: number, y: number): void {
    if (x === this.x && y === this.y) return;
    this.x = x;
    this.y = y;
    this.box = null;
    this.version += 1;
  }

  toWorld(screenX: number, screenY: number): [number, number] {
    return [this.x + (screenX - this.width / 2) / this.scale, this.y - (screenY - this.height / 2) / this.scale];
  }

  toScreen(x: number, y: number): [number, number] {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  /** What is in view. */
  view(): Box {
    const [minX, maxY] = this.toWorld(0, 0);
    const [maxX, minY] = this.toWorld(this.width, this.height);
    return [minX, minY, maxX, maxY];
  }
}

function clamp(scale: number): number {
  return Math.min(Math.max(scale, LEAST_SCALE), MOST_SCALE);
}
