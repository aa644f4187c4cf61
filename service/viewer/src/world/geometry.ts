// Walls and walkable areas as they were given, turned into what the drawing takes: triangles and segments.
import earcut from "earcut";
import type { Box } from "../drawing/camera.ts";

export type Pair = readonly [number, number];
export type Ring = readonly Pair[];

export interface Obstacle {
  readonly id: number;
  readonly points: Ring;
  readonly closed: boolean;
  /** A door that stands open: it is shown, and blocks nobody. */
  readonly open?: boolean;
}

/** Of how many strokes a side of an open door is drawn. */
const STROKES = 5;

/** A GeoJSON Polygon or MultiPolygon. */
export type Geometry =
  | { readonly type: "Polygon"; readonly coordinates: readonly Ring[] }
  | { readonly type: "MultiPolygon"; readonly coordinates: readonly (readonly Ring[])[] };

export interface Area {
  readonly id: number;
  readonly geometry: Geometry;
}

export interface Scenery {
  readonly obstacles: readonly Obstacle[];
  readonly areas: readonly Area[];
}

export const BARE: Scenery = { obstacles: [], areas: [] };

/** Corners of triangles (x y …) and segments (x0 y0 x1 y1 …). */
export interface Shapes {
  readonly ground: Float32Array;
  readonly solids: Float32Array;
  readonly borders: Float32Array;
  readonly walls: Float32Array;
}

export function polygonsOf(geometry: Geometry): readonly (readonly Ring[])[] {
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
}

/** Everything that stands still, ready to be drawn. */
export function shapesOf(scenery: Scenery): Shapes {
  const [ground, solids, borders, walls]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const area of scenery.areas) {
    for (const rings of polygonsOf(area.geometry)) {
      fill(ground, rings);
      for (const ring of rings) outline(borders, ring, true);
    }
  }
  for (const obstacle of scenery.obstacles) {
    const sides: number[] = [];
    outline(sides, obstacle.points, obstacle.closed);
    if (obstacle.open) {
      dashed(walls, sides);
      continue;
    }
    if (obstacle.closed) fill(solids, [obstacle.points]);
    walls.push(...sides);
  }
  return {
    ground: Float32Array.from(ground),
    solids: Float32Array.from(solids),
    borders: Float32Array.from(borders),
    walls: Float32Array.from(walls),
  };
}

function fill(triangles: number[], rings: readonly Ring[]): void {
  const flat: number[] = [];
  const holes: number[] = [];
  rings.forEach((ring, index) => {
    if (index > 0) holes.push(flat.length / 2);
    for (const [x, y] of ring) flat.push(x, y);
  });
  for (const corner of earcut(flat, holes)) triangles.push(flat[2 * corner]!, flat[2 * corner + 1]!);
}

function outline(segments: number[], points: Ring, closed: boolean): void {
  points.forEach(([x, y], index) => {
    const next = points[index + 1] ?? (closed ? points[0] : undefined);
    if (next !== undefined) segments.push(x, y, next[0], next[1]);
  });
}

/** The same segments in strokes, with gaps as long between them. */
function dashed(segments: number[], sides: readonly number[]): void {
  for (let at = 0; at < sides.length; at += 4) {
    const [x, y] = [sides[at]!, sides[at + 1]!];
    const [dx, dy] = [(sides[at + 2]! - x) / (2 * STROKES - 1), (sides[at + 3]! - y) / (2 * STROKES - 1)];
    for (let part = 0; part < 2 * STROKES - 1; part += 2) {
      segments.push(x + part * dx, y + part * dy, x + (part + 1) * dx, y + (part + 1) * dy);
    }
  }
}

/** A box around everything, with a margin; a plain one where there is nothing. */
export function extent(scenery: Scenery, positions: Float32Array): Box {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  const take = (x: number, y: number): void => {
    minX = Math.min(minX, x);
    minY = Math.min(minY, y);
    maxX = Math.max(maxX, x);
    maxY = Math.max(maxY, y);
  };
  for (const area of scenery.areas) {
    for (const rings of polygonsOf(area.geometry)) for (const ring of rings) for (const [x, y] of ring) take(x, y);
  }
  for (const obstacle of scenery.obstacles) for (const [x, y] of obstacle.points) take(x, y);
  for (let at = 0; at < positions.length; at += 2) take(positions[at]!, positions[at + 1]!);
  if (!Number.isFinite(minX)) return [-20, -20, 20, 20];
  const margin = Math.max(1, 0.03 * Math.max(maxX - minX, maxY - minY));
  return [minX - margin, minY - margin, maxX + margin, maxY + margin];
}
