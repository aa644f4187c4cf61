import { describe, expect, it } from "vitest";
import { shapesOf, type Obstacle } from "../src/world/geometry.ts";

const BOX: Obstacle = { id: 1, points: [[0, 0], [9, 0], [9, 9], [0, 9]], closed: true };

describe("shapes of what stands", () => {
  it("fills a closed obstacle and draws its sides", () => {
    const { solids, walls } = shapesOf({ obstacles: [BOX], areas: [] });
    expect(solids.length).toBe(12);
    expect(walls.length).toBe(16);
  });

  it("draws an open door in strokes and fills nothing", () => {
    const { solids, walls } = shapesOf({ obstacles: [{ ...BOX, open: true }], areas: [] });
    expect(solids.length).toBe(0);
    // five strokes a side, with gaps as long between them
    expect(walls.length).toBe(4 * 5 * 4);
    expect(Array.from(walls.slice(0, 8))).toEqual([0, 0, 1, 0, 2, 0, 3, 0]);
    expect(Array.from(walls.slice(16, 20))).toEqual([8, 0, 9, 0]);
  });
});
