import { describe, expect, it } from "vitest";
import { blurred, gridOver, heatMap, roundUp, type Grid } from "../src/drawing/heat.ts";
import { painted } from "../src/drawing/surfaces.ts";
import { frameOf } from "./frames.ts";

const GRID: Grid = { minX: 0, minY: 0, cell: 2, columns: 8, rows: 8 };

function crowd(position: number[], velocity: number[]) {
  const count = position.length / 2;
  return frameOf(0, count, { position: Float32Array.from(position), velocity: Float32Array.from(velocity) });
}

describe("heat map", () => {
  it("counts every agent inside once, in agents a square metre", () => {
    const map = heatMap(crowd([9, 9, 9.5, 9, 3, 3, -1, 4, 100, 4], new Array(10).fill(0) as number[]), GRID, "density");
    const agents = map.values.reduce((sum, value) => sum + value * 4, 0);
    expect(agents).toBeCloseTo(3, 5);
    // the lowest row first, and the fullest cell is where two are
    expect(map.values.indexOf(map.largest)).toBe(4 * 8 + 4);
  });

  it("gives the mean speed, not the sum", () => {
    const map = heatMap(crowd([5, 5, 5, 5, 5, 5], [3, 4, 3, 4, 0, 5]), GRID, "speed");
    expect(map.values[2 * 8 + 2]).toBeCloseTo(5, 5);
    expect(map.largest).toBeCloseTo(5, 5);
  });

  it("shows nothing where nobody is", () => {
    const map = heatMap(crowd([1, 1], [0, 0]), GRID, "density");
    const pixels = painted(map, map.largest, [[0, 0, 0], [255, 0, 0]]);
    expect(map.weight[63]).toBe(0);
    expect([...pixels.slice(-4)]).toEqual([0, 0, 0, 0]);
    expect(pixels[3]).toBeGreaterThan(0);
  });

  it("smooths without losing anybody", () => {
    const values = new Float32Array(25);
    values[12] = 16;
    values[0] = 4;
    const soft = blurred(values, 5, 5);
    expect(soft.reduce((sum, value) => sum + value, 0)).toBeCloseTo(20, 5);
    expect(soft[12]).toBeCloseTo(4, 5);
  });

  it("has cells of round sizes that stay put while the view moves", () => {
    expect([roundUp(0.7), roundUp(1), roundUp(1.2), roundUp(30), roundUp(0.03)]).toEqual([1, 1, 2, 50, expect.closeTo(0.05)]);
    const one = gridOver([0, 0, 100, 50]);
    const other = gridOver([3.3, 1.1, 103.3, 51.1]);
    expect(one.cell).toBe(other.cell);
    expect((other.minX - one.minX) / one.cell).toBeCloseTo(Math.round((other.minX - one.minX) / one.cell), 9);
    expect(one.columns * one.cell).toBeGreaterThanOrEqual(100);
  });
});
