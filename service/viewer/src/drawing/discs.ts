// Agents: a disc each, instanced, with a mark toward where it goes. What moves is one uniform between two steps.
import { Buffer, Program, VIEW, corners, type Gl, type View } from "./gl.ts";
import type { CrowdFrame } from "../world/frame.ts";
import type { Theme } from "./theme.ts";

// Smaller than that nobody could be seen, in device pixels.
const LEAST_PIXELS = 1.6;

const VERTEX = `${VIEW}
in vec2 corner;
in vec2 position;
in vec2 velocity;
in float radius;
in vec4 colour;
uniform float lag;
out vec2 place;
out vec2 heading;
out float edge;
out vec4 paint;
void main() {
  float size = max(radius, ${LEAST_PIXELS} * pixel);
  float outer = size + pixel;
  place = corner * (outer / size);
  edge = pixel / size;
  float speed = length(velocity);
  heading = speed > 1e-4 ? velocity / speed : vec2(0.0);
  paint = colour;
  // between two steps an agent stands where it was so many seconds ago
  gl_Position = shown(position - velocity * lag + corner * outer);
}`;

const FRAGMENT = `
in vec2 place;
in vec2 heading;
in float edge;
in vec4 paint;
uniform vec4 nose;
out vec4 result;
void main() {
  float away = length(place);
  float cover = 1.0 - smoothstep(1.0 - edge, 1.0 + edge, away);
  vec3 shade = paint.rgb;
  // large enough to be looked at, an agent has a rim and a mark
  if (edge < 0.34) {
    shade *= 1.0 - 0.22 * smoothstep(0.86 - edge, 0.86 + edge, away);
    float along = dot(place, heading);
    float across = abs(place.x * heading.y - place.y * heading.x);
    float mark = (1.0 - smoothstep(0.13, 0.13 + edge, across)) * step(0.12, along) * (1.0 - smoothstep(0.72, 0.72 + edge, along));
    shade = mix(shade, nose.rgb, mark * 0.9);
  }
  result = vec4(shade, 1.0) * (cover * paint.a);
}`;

export class Discs {
  private readonly program: Program;
  private readonly square: Buffer;
  private readonly vertices: WebGLVertexArrayObject;
  private readonly position: Buffer;
  private readonly velocity: Buffer;
  private readonly radius: Buffer;
  private readonly colour: Buffer;

  constructor(private readonly gl: Gl) {
    this.program = new Program(gl, VERTEX, FRAGMENT, ["corner", "position", "velocity", "radius", "colour"]);
    this.square = corners(gl);
    this.vertices = gl.createVertexArray();
    [this.position, this.velocity, this.radius, this.colour] = [new Buffer(gl), new Buffer(gl), new Buffer(gl), new Buffer(gl)];
    gl.bindVertexArray(this.vertices);
    this.square.attribute(0, 2, 0);
    this.position.attribute(1, 2, 1);
    this.velocity.attribute(2, 2, 1);
    this.radius.attribute(3, 1, 1);
    this.colour.attribute(4, 4, 1, { bytes: true });
    gl.bindVertexArray(null);
  }

  /** Draw a frame, `lag` seconds before its step. */
  draw(frame: CrowdFrame, colours: Uint8Array, view: View, theme: Theme, lag: number): void {
    const count = frame.ids.length;
    if (count === 0) return;
    this.position.upload(frame.position);
    this.velocity.upload(frame.velocity);
    this.radius.upload(frame.radius);
    this.colour.upload(colours);
    this.program.use(view);
    this.program.number("lag", lag);
    this.program.colour("nose", theme.nose);
    this.gl.bindVertexArray(this.vertices);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, count);
    this.gl.bindVertexArray(null);
  }
}
