// Filled areas, and the heat map as a picture that lies on the ground.
import { Buffer, Program, VIEW, corners, type Gl, type View } from "./gl.ts";
import { ramp, type Rgb } from "./colours.ts";
import type { HeatMap } from "./heat.ts";

const FILL_VERTEX = `${VIEW}
in vec2 position;
void main() { gl_Position = shown(position); }`;

const FILL_FRAGMENT = `
uniform vec4 tint;
out vec4 result;
void main() { result = vec4(tint.rgb, 1.0) * tint.a; }`;

const PICTURE_VERTEX = `${VIEW}
in vec2 corner;
uniform vec4 box;
out vec2 place;
void main() {
  place = corner * 0.5 + 0.5;
  gl_Position = shown(box.xy + place * box.zw);
}`;

const PICTURE_FRAGMENT = `
in vec2 place;
uniform sampler2D picture;
out vec4 result;
void main() { result = texture(picture, place); }`;

export class Fills {
  private readonly program: Program;
  private readonly vertices: WebGLVertexArrayObject;

  constructor(private readonly gl: Gl) {
    this.program = new Program(gl, FILL_VERTEX, FILL_FRAGMENT, ["position"]);
    this.vertices = gl.createVertexArray();
  }

  /** Draw `count` corners of triangles. */
  draw(triangles: Buffer, count: number, view: View, colour: Rgb, alpha = 1): void {
    if (count === 0) return;
    this.program.use(view);
    this.program.colour("tint", colour, alpha);
    this.gl.bindVertexArray(this.vertices);
    triangles.attribute(0, 2, 0);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, count);
    this.gl.bindVertexArray(null);
  }
}

export class HeatPicture {
  private readonly program: Program;
  private readonly vertices: WebGLVertexArrayObject;
  private readonly texture: WebGLTexture;
  private shown: HeatMap | null = null;

  constructor(private readonly gl: Gl) {
    this.program = new Program(gl, PICTURE_VERTEX, PICTURE_FRAGMENT, ["corner"]);
    this.vertices = gl.createVertexArray();
    gl.bindVertexArray(this.vertices);
    corners(gl).attribute(0, 2, 0);
    gl.bindVertexArray(null);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
      [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
    ] as const) {
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
  }

  /** Draw a heat map whose strongest colour stands for `top`. */
  draw(heat: HeatMap, top: number, stops: readonly Rgb[], view: View): void {
    const { gl } = this;
    const { columns, rows, cell, minX, minY } = heat.grid;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    if (heat !== this.shown) {
      const pixels = painted(heat, top, stops);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, columns, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      this.shown = heat;
    }
    this.program.use(view);
    this.program.box("box", minX, minY, columns * cell, rows * cell);
    gl.bindVertexArray(this.vertices);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.bindVertexArray(null);
  }

  /** The colours are others: paint again. */
  repaint(): void {
    this.shown = null;
  }
}

/** Colours that a ramp is cut into. */
const SHADES = 128;

/** Premultiplied bytes of a heat map; cells without anybody are clear. */
export function painted(heat: HeatMap, top: number, stops: readonly Rgb[]): Uint8Array {
  const pixels = new Uint8Array(4 * heat.values.length);
  const table = Array.from({ length: SHADES }, (_, at) => ramp(stops, at / (SHADES - 1)));
  for (let at = 0; at < heat.values.length; at += 1) {
    const weight = heat.weight[at]!;
    if (weight <= 0) continue;
    const part = heat.values[at]! / (top || 1);
    const alpha = heat.kind === "density" ? Math.min(0.85, 0.2 + 0.8 * part) * weight : 0.75 * weight;
    const [r, g, b] = table[Math.round(Math.min(part, 1) * (SHADES - 1))]!;
    pixels[4 * at] = r * alpha;
    pixels[4 * at + 1] = g * alpha;
    pixels[4 * at + 2] = b * alpha;
    pixels[4 * at + 3] = 255 * alpha;
  }
  return pixels;
}
