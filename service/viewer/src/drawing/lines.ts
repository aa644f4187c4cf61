// Lines of a width in pixels: walls, the grid, marks, sketches, and the trails that agents leave behind.
import { Buffer, Program, VIEW, corners, type Gl, type View } from "./gl.ts";
import type { CrowdFrame } from "../world/frame.ts";
import type { Rgb } from "./colours.ts";

const VERTEX = `${VIEW}
in vec2 corner;
in vec2 start;
in vec2 end;
in vec4 colour;
uniform float width;
uniform vec4 tint;
uniform float own;
out vec4 paint;
void main() {
  vec2 way = end - start;
  float far = length(way);
  vec2 along = far > 0.0 ? way / far : vec2(1.0, 0.0);
  float half_width = 0.5 * width * pixel;
  // a little beyond both ends, so that corners close
  vec2 at = mix(start - along * half_width, end + along * half_width, corner.x * 0.5 + 0.5);
  paint = vec4(mix(tint.rgb, colour.rgb, own), tint.a);
  gl_Position = shown(at + vec2(-along.y, along.x) * half_width * corner.y);
}`;

const FRAGMENT = `
in vec4 paint;
out vec4 result;
void main() { result = vec4(paint.rgb, 1.0) * paint.a; }`;

/** Positions of a trail stay on the card while it is drawn. */
const MOST_TRAIL = 96;

export class Lines {
  private readonly program: Program;
  private readonly square: Buffer;
  private readonly vertices: WebGLVertexArrayObject;
  private readonly trailColour: Buffer;
  private readonly trail = new Map<CrowdFrame, Buffer>();

  constructor(private readonly gl: Gl) {
    this.program = new Program(gl, VERTEX, FRAGMENT, ["corner", "start", "end", "colour"]);
    this.square = corners(gl);
    this.vertices = gl.createVertexArray();
    this.trailColour = new Buffer(gl);
    gl.bindVertexArray(this.vertices);
    this.square.attribute(0, 2, 0);
    gl.bindVertexArray(null);
  }

  /** Draw segments, x0 y0 x1 y1 each, of one colour; `width` in device pixels. */
  draw(segments: Buffer, count: number, view: View, colour: Rgb, width: number, alpha = 1): void {
    if (count === 0) return;
    this.begin(view, colour, width, alpha, 0);
    segments.attribute(1, 2, 1, { stride: 16 });
    segments.attribute(2, 2, 1, { stride: 16, offset: 8 });
    this.gl.disableVertexAttribArray(3);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, count);
    this.gl.bindVertexArray(null);
  }

  /** Draw the ways from frame to frame, the oldest first and faintest, for as long as the agents are the same. */
  drawTrails(frames: readonly CrowdFrame[], colours: Uint8Array, view: View, width: number): void {
    this.forget(frames);
    const newest = frames[frames.length - 1];
    if (newest === undefined || newest.ids.length === 0) return;
    this.trailColour.upload(colours);
    for (let at = 1; at < frames.length; at += 1) {
      const [before, after] = [frames[at - 1]!, frames[at]!];
      if (before.ids !== newest.ids || after.ids !== newest.ids) continue;
      this.begin(view, [0, 0, 0], width, (0.55 * at) / frames.length, 1);
      this.uploaded(before).attribute(1, 2, 1);
      this.uploaded(after).attribute(2, 2, 1);
      this.trailColour.attribute(3, 4, 1, { bytes: true });
      this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, newest.ids.length);
    }
    this.gl.bindVertexArray(null);
  }

  private begin(view: View, colour: Rgb, width: number, alpha: number, own: 0 | 1): void {
    this.program.use(view);
    this.program.number("width", width);
    this.program.number("own", own);
    this.program.colour("tint", colour, alpha);
    this.gl.bindVertexArray(this.vertices);
  }

  private uploaded(frame: CrowdFrame): Buffer {
    let buffer = this.trail.get(frame);
    if (buffer === undefined) {
      buffer = new Buffer(this.gl);
      this.trail.set(frame, buffer);
    }
    buffer.upload(frame.position);
    return buffer;
  }

  // the card keeps what is in the trail and no more
  private forget(frames: readonly CrowdFrame[]): void {
    const drawn = new Set(frames.slice(-MOST_TRAIL));
    for (const [frame, buffer] of this.trail) {
      if (drawn.has(frame)) continue;
      buffer.free();
      this.trail.delete(frame);
    }
  }
}
