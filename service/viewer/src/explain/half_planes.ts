// Half-planes in velocity space, cut from the disc of permitted speeds. Plain numbers; the picture is made elsewhere.

export type Point = readonly [number, number];

export interface HalfPlane {
  readonly point: Point;
  /** Points to the permitted side; of length 1. */
  readonly normal: Point;
}

/** A regular polygon that stands for the disc of speeds up to `radius`. */
export function disc(radius: number, corners = 96): Point[] {
  return Array.from({ length: corners }, (_, at): Point => {
    const angle = (2 * Math.PI * at) / corners;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** Signed distance of a velocity, negative on the forbidden side. */
export function signedDistance(plane: HalfPlane, [x, y]: Point): number {
  return (x - plane.point[0]) * plane.normal[0] + (y - plane.point[1]) * plane.normal[1];
}

/** The part of a convex polygon on the permitted side (Sutherland and Hodgman); empty where there is none. */
export function clip(polygon: readonly Point[], plane: HalfPlane): Point[] {
  const kept: Point[] = [];
  polygon.forEach((here, index) => {
    const next = polygon[(index + 1) % polygon.length]!;
    const inside = signedDistance(plane, here);
    const after = signedDistance(plane, next);
    if (inside >= 0) kept.push(here);
    if (inside >= 0 !== after >= 0) {
      const part = inside / (inside - after);
      kept.push([here[0] + part * (next[0] - here[0]), here[1] + part * (next[1] - here[1])]);
    }
  });
  return kept.length < 3 ? [] : kept;
}

/** What all half-planes permit of the disc. */
export function permitted(planes: readonly HalfPlane[], radius: number): Point[] {
  return planes.reduce<Point[]>((polygon, plane) => (polygon.length ? clip(polygon, plane) : polygon), disc(radius));
}

/** The part of a plane's edge inside a square of half side `reach` around the origin, or null. */
export function edge(plane: HalfPlane, reach: number): readonly [Point, Point] | null {
  const [nx, ny] = plane.normal;
  const [dx, dy] = [-ny, nx];
  let from = -Infinity;
  let to = Infinity;
  for (const [start, step] of [[plane.point[0], dx], [plane.point[1], dy]] as const) {
    if (Math.abs(step) < 1e-12) {
      if (Math.abs(start) > reach) return null;
      continue;
    }
    const a = (-reach - start) / step;
    const b = (reach - start) / step;
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  if (from >= to) return null;
  const at = (along: number): Point => [plane.point[0] + along * dx, plane.point[1] + along * dy];
  return [at(from), at(to)];
}

/** The forbidden side of a plane within that square. */
export function forbidden(plane: HalfPlane, reach: number): Point[] {
  const square: Point[] = [[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]];
  return clip(square, { point: plane.point, normal: [-plane.normal[0], -plane.normal[1]] });
}
