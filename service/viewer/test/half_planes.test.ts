import { describe, expect, it } from "vitest";
import { clip, disc, edge, forbidden, permitted, signedDistance, type HalfPlane, type Point } from "../src/explain/half_planes.ts";

function area(polygon: readonly Point[]): number {
  return polygon.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = polygon[(at + 1) % polygon.length]!;
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
}

const right: HalfPlane = { point: [0, 0], normal: [1, 0] };
const up: HalfPlane = { point: [0, 0], normal: [0, 1] };

describe("half-planes", () => {
  it("halve the disc, and quarter it", () => {
    const whole = area(disc(2));
    expect(whole).toBeCloseTo(Math.PI * 4, 1);
    expect(area(permitted([right], 2))).toBeCloseTo(whole / 2, 9);
    expect(area(permitted([right, up], 2))).toBeCloseTo(whole / 4, 9);
  });

  it("keep what is permitted by all of them", () => {
    const planes: HalfPlane[] = [right, { point: [0.5, 0.2], normal: [-0.6, 0.8] }, { point: [0, 0.9], normal: [0, -1] }];
    const region = permitted(planes, 1);
    expect(region.length).toBeGreaterThan(2);
    for (const corner of region) for (const plane of planes) expect(signedDistance(plane, corner)).toBeGreaterThan(-1e-9);
  });

  it("leave nothing where they contradict", () => {
    expect(permitted([{ point: [0.5, 0], normal: [1, 0] }, { point: [-0.5, 0], normal: [-1, 0] }], 1)).toEqual([]);
    expect(permitted([{ point: [3, 0], normal: [1, 0] }], 1)).toEqual([]);
  });

  it("leave all where they lie outside", () => {
    expect(clip(disc(1), { point: [-3, 0], normal: [1, 0] })).toHaveLength(96);
  });

  it("have an edge within the square, or none", () => {
    const [from, to] = edge({ point: [0.25, 0], normal: [1, 0] }, 2)!;
    expect([from[0], to[0]]).toEqual([0.25, 0.25]);
    expect([from[1], to[1]].map(Math.abs)).toEqual([2, 2]);
    expect(edge({ point: [5, 0], normal: [1, 0] }, 2)).toBeNull();
    const slanted = edge({ point: [0, 0], normal: [Math.SQRT1_2, Math.SQRT1_2] }, 2)!;
    for (const end of slanted) expect(end[0] + end[1]).toBeCloseTo(0, 12);
  });

  it("forbid the other half of the square", () => {
    expect(area(forbidden(right, 1))).toBeCloseTo(2, 12);
  });
});
