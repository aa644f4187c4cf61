// Puts a picture together: ground, heat, walls, trails, agents, marks, in this order, each by the part that knows how.
import { BARE, shapesOf, type Scenery, type Shapes } from "../world/geometry.ts";
import type { CrowdFrame } from "../world/frame.ts";
import type { Camera } from "./camera.ts";
import { Discs } from "./discs.ts";
import { Buffer, type Gl, type View } from "./gl.ts";
import type { HeatMap } from "./heat.ts";
import { Lines } from "./lines.ts";
import { gridLines, type Strokes } from "./marks.ts";
import { Fills, HeatPicture } from "./surfaces.ts";
import type { Theme } from "./theme.ts";

/** What one picture shows. */
export interface Picture {
  readonly frame: CrowdFrame;
  readonly colours: Uint8Array;
  /** Seconds before the frame's step, for a smooth way between two steps. */
  readonly lag: number;
  /** Frames of the trails, the oldest first; none where they are off. */
  readonly trails: readonly CrowdFrame[];
  readonly heat: HeatMap | null;
  readonly heatTop: number;
  /** Who waits for whom. */
  readonly waiting: Strokes;
  /** Drawn over everything: what is chosen, and what is being made. */
  readonly chosen: Strokes;
  readonly sketch: Strokes;
}

export class Stage {
  private readonly gl: Gl;
  private readonly discs: Discs;
  private readonly lines: Lines;
  private readonly fills: Fills;
  private readonly heat: HeatPicture;
  private readonly buffers: Record<keyof Shapes | "grid" | "waiting" | "chosen" | "sketch", Buffer>;
  private shapes: Shapes = shapesOf(BARE);
  private ratio = 1;

  /** Throws where the browser has no WebGL2. */
  constructor(private readonly canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (gl === null) throw new Error("This browser has no WebGL2, which the drawing needs.");
    this.gl = gl;
    this.discs = new Discs(gl);
    this.lines = new Lines(gl);
    this.fills = new Fills(gl);
    this.heat = new HeatPicture(gl);
    const names = ["ground", "solids", "borders", "walls", "grid", "waiting", "chosen", "sketch"] as const;
    this.buffers = Object.fromEntries(names.map((name) => [name, new Buffer(gl)])) as typeof this.buffers;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Walls or areas are others. */
  scenery(scenery: Scenery): void {
    this.shapes = shapesOf(scenery);
    for (const name of ["ground", "solids", "borders", "walls"] as const) this.buffers[name].upload(this.shapes[name]);
  }

  /** The colours are others. */
  repaint(): void {
    this.heat.repaint();
  }

  /** The canvas is so many pixels of the page large. */
  resize(width: number, height: number): void {
    this.ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.canvas.width = Math.max(1, Math.round(width * this.ratio));
    this.canvas.height = Math.max(1, Math.round(height * this.ratio));
  }

  draw(camera: Camera, picture: Picture, theme: Theme): void {
    const { gl, ratio } = this;
    const view = this.view(camera);
    const outside = this.shapes.ground.length > 0 ? theme.outside : theme.ground;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(outside[0] / 255, outside[1] / 255, outside[2] / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);

    // what stands still
    const { ground, solids, borders, walls } = this.shapes;
    this.fills.draw(this.buffers.ground, ground.length / 2, view, theme.ground);
    const { strokes } = gridLines(camera.view(), camera.scale);
    this.strokes("grid", strokes, view, theme.line, ratio);
    if (picture.heat !== null) this.heat.draw(picture.heat, picture.heatTop, theme.heat, view);
    this.fills.draw(this.buffers.solids, solids.length / 2, view, theme.wall, 0.22);
    this.lines.draw(this.buffers.borders, borders.length / 4, view, theme.wall, 1.25 * ratio, 0.9);
    this.lines.draw(this.buffers.walls, walls.length / 4, view, theme.wall, 2 * ratio);

    // who moves, over who waits for whom
    this.strokes("waiting", picture.waiting, view, theme.turns[2]!, 1.25 * ratio);
    if (picture.trails.length > 1) this.lines.drawTrails(picture.trails, picture.colours, view, 1.4 * ratio);
    this.discs.draw(picture.frame, picture.colours, view, theme, picture.lag);

    // what is pointed at
    this.strokes("chosen", picture.chosen, view, theme.ink, 1.75 * ratio);
    this.strokes("sketch", picture.sketch, view, theme.accent, 2 * ratio);
  }

  private strokes(name: "grid" | "waiting" | "chosen" | "sketch", strokes: Strokes, view: View, colour: Theme["ink"], width: number): void {
    if (strokes.count === 0) return;
    this.buffers[name].upload(strokes.array());
    this.lines.draw(this.buffers[name], strokes.count, view, colour, width);
  }

  private view(camera: Camera): View {
    return {
      x: camera.x,
      y: camera.y,
      factorX: (2 * camera.scale) / camera.width,
      factorY: (2 * camera.scale) / camera.height,
      pixel: 1 / (camera.scale * this.ratio),
    };
  }
}
