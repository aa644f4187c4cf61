// The little of WebGL2 that everything here is drawn with: programs, buffers, and one way to bind them.

export type Gl = WebGL2RenderingContext;

/** The start of every vertex shader: from metres to the screen. */
export const VIEW = `#version 300 es
uniform vec2 centre;
uniform vec2 factor;
uniform float pixel;
vec4 shown(vec2 at) { return vec4((at - centre) * factor, 0.0, 1.0); }
`;

export class Program {
  private readonly uniforms = new Map<string, WebGLUniformLocation | null>();
  readonly handle: WebGLProgram;

  /** Attributes get the places of their order in `attributes`. */
  constructor(private readonly gl: Gl, vertex: string, fragment: string, attributes: readonly string[]) {
    const program = gl.createProgram();
    gl.attachShader(program, compiled(gl, gl.VERTEX_SHADER, vertex));
    gl.attachShader(program, compiled(gl, gl.FRAGMENT_SHADER, `#version 300 es\nprecision highp float;\n${fragment}`));
    attributes.forEach((name, place) => gl.bindAttribLocation(program, place, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(`a shader does not link: ${gl.getProgramInfoLog(program) ?? "no reason given"}`);
    }
    this.handle = program;
  }

  use(view: View): void {
    this.gl.useProgram(this.handle);
    this.gl.uniform2f(this.at("centre"), view.x, view.y);
    this.gl.uniform2f(this.at("factor"), view.factorX, view.factorY);
    this.gl.uniform1f(this.at("pixel"), view.pixel);
  }

  number(name: string, value: number): void {
    this.gl.uniform1f(this.at(name), value);
  }

  colour(name: string, [r, g, b]: readonly [number, number, number], alpha = 1): void {
    this.gl.uniform4f(this.at(name), r / 255, g / 255, b / 255, alpha);
  }

  box(name: string, x: number, y: number, wide: number, high: number): void {
    this.gl.uniform4f(this.at(name), x, y, wide, high);
  }

  private at(name: string): WebGLUniformLocation | null {
    let place = this.uniforms.get(name);
    if (place === undefined) {
      place = this.gl.getUniformLocation(this.handle, name);
      this.uniforms.set(name, place);
    }
    return place;
  }
}

/** Where the camera stands, in the terms of the shaders. */
export interface View {
  readonly x: number;
  readonly y: number;
  /** Clip units a metre. */
  readonly factorX: number;
  readonly factorY: number;
  /** Metres a device pixel. */
  readonly pixel: number;
}

function compiled(gl: Gl, kind: number, source: string): WebGLShader {
  const shader = gl.createShader(kind)!;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
    throw new Error(`a shader does not compile: ${gl.getShaderInfoLog(shader) ?? "no reason given"}`);
  }
  return shader;
}

/** Numbers on the card, uploaded only when they are others. */
export class Buffer {
  private readonly handle: WebGLBuffer;
  private held: ArrayBufferView | null = null;

  constructor(private readonly gl: Gl) {
    this.handle = gl.createBuffer();
  }

  upload(data: ArrayBufferView): void {
    if (data === this.held) return;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.handle);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, data, this.gl.DYNAMIC_DRAW);
    this.held = data;
  }

  /** Bind as attribute `place`: `size` numbers a row, one row an instance (divisor 1) or a vertex (0). */
  attribute(place: number, size: number, divisor: 0 | 1, options: { bytes?: boolean; stride?: number; offset?: number } = {}): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.handle);
    gl.enableVertexAttribArray(place);
    const kind = options.bytes === true ? gl.UNSIGNED_BYTE : gl.FLOAT;
    gl.vertexAttribPointer(place, size, kind, options.bytes === true, options.stride ?? 0, options.offset ?? 0);
    gl.vertexAttribDivisor(place, divisor);
  }

  free(): void {
    this.gl.deleteBuffer(this.handle);
  }
}

/** The corners of a square, as two triangles in a strip. */
export function corners(gl: Gl): Buffer {
  const buffer = new Buffer(gl);
  buffer.upload(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
  return buffer;
}
