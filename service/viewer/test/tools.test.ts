import { describe, expect, it } from "vitest";
import { Sketch, snapped } from "../src/tools/sketch.ts";
import { block } from "../src/tools/toolbox.ts";
import { Samples, histogram } from "../src/panels/samples.ts";
import { Groups, colourAgents, ramp, sector } from "../src/drawing/colours.ts";
import { gridLines } from "../src/drawing/marks.ts";
import { extent, shapesOf } from "../src/world/geometry.ts";
import { Motion } from "../src/drawing/motion.ts";
import { counted, shown } from "../src/panels/page.ts";
import type { Theme } from "../src/drawing/theme.ts";
import { frameOf } from "./frames.ts";

describe("sketch", () => {
  it("takes points back, and is whole with enough of them", () => {
    const wall = new Sketch("wall");
    expect(wall.undo()).toBe(false);
    wall.add(0, 0);
    wall.add(0, 0);
    expect([wall.length, wall.whole]).toEqual([1, false]);
    wall.add(4, 0);
    expect(wall.whole).toBe(true);
    wall.add(4, 4);
    expect([wall.closes(0.5, 0.5, 1), wall.closes(2, 2, 1)]).toEqual([true, false]);
    expect([wall.undo(), wall.length]).toEqual([true, 2]);
    wall.aim(9, 9);
    expect(wall.shown()).toHaveLength(3);
    expect(new Sketch("area").whole).toBe(false);
  });

  it("rounds to what the screen can show", () => {
    expect(snapped(12.3456789, 0.05)).toBe(12.35);
    expect(snapped(-12.3456789, 3)).toBe(-12);
    expect(snapped(1234.5678, 20)).toBe(1230);
  });

  it("places a block of agents that do not touch", () => {
    const spots = block(7, 1.1);
    expect(spots).toHaveLength(7);
    for (const [at, one] of spots.entries()) {
      for (const other of spots.slice(at + 1)) expect(Math.hypot(one[0] - other[0], one[1] - other[1])).toBeGreaterThan(1);
    }
  });
});

describe("measurements", () => {
  it("forget the oldest first", () => {
    const samples = new Samples(2);
    for (const agents of [1, 2, 3]) samples.add(agents, { stepTime: null, agents, overlaps: 0, stalled: 0 });
    expect(samples.series("agents")).toEqual([[2, 3], [2, 3]]);
    expect([samples.last("agents"), samples.last("stepTime")]).toEqual([3, null]);
  });

  it("are read from the text of Prometheus", () => {
    const text = '# HELP x\norca_x_bucket{le="1"} 3\norca_x_sum 1.25e-05\norca_x_count 7.0\n';
    expect(histogram(text, "orca_x")).toEqual({ sum: 1.25e-5, count: 7 });
    expect(histogram("", "orca_x")).toEqual({ sum: 0, count: 0 });
    const labelled = 'orca_x_sum{size="100"} 0.5\norca_x_sum{size="1000"} 2\norca_x_count{size="100"} 3\norca_x_count{size="1000"} 4\norca_x_count_created 9\n';
    expect(histogram(labelled, "orca_x")).toEqual({ sum: 2.5, count: 7 });
  });

  it("are written so that people can read them", () => {
    expect([counted(1234567), counted(12), shown(-0.001), shown(-1.5, 1), shown(NaN)]).toEqual(["1\u2009234\u2009567", "12", "0.00", "−1.5", "–"]);
  });
});

describe("colours", () => {
  const theme = {
    status: { "no-goal": [1, 1, 1], moving: [2, 2, 2], arrived: [3, 3, 3], stalled: [4, 4, 4],
      "arrived-crowded": [5, 5, 5], blocked: [6, 6, 6], unreachable: [7, 7, 7], "inside-obstacle": [8, 8, 8] },
    ramp: [[0, 0, 0], [200, 100, 50]], groups: Array.from({ length: 8 }, (_, at) => [at, at, at]),
  } as unknown as Theme;

  it("follow the status, or the speed", () => {
    const frame = frameOf(0, 2, { status: Uint8Array.from([0, 3]), velocity: Float32Array.from([0, 0, 0, 2]) });
    expect([...colourAgents(frame, "status", theme, new Groups())]).toEqual([1, 1, 1, 255, 4, 4, 4, 255]);
    expect([...colourAgents(frame, "speed", theme, new Groups())]).toEqual([0, 0, 0, 255, 200, 100, 50, 255]);
  });

  it("mix along a ramp", () => {
    expect(ramp([[0, 0, 0], [10, 10, 10], [30, 30, 30]], 0.75)).toEqual([20, 20, 20]);
    expect(ramp([[0, 0, 0], [10, 10, 10]], 7)).toEqual([10, 10, 10]);
  });

  it("give a group by where the goal lies, and for life", () => {
    const groups = new Groups();
    const goal = Float32Array.from([10, 1, -10, -1, NaN, NaN]);
    const first = frameOf(0, 3, { goal, ids: Float64Array.from([1, 2, 305]) });
    expect([...groups.of(first)]).toEqual([0, 4, 3]);
    const turned = frameOf(1, 3, { goal: goal.map((value) => -value), ids: first.ids.slice() });
    expect([...groups.of(turned)]).toEqual([0, 4, 3]);
    expect([sector(1, 0), sector(0, 1), sector(-1, 0), sector(0, -1), sector(NaN, 0)]).toEqual([0, 2, 4, 6, null]);
  });
});

describe("scenery", () => {
  const scenery = {
    obstacles: [{ id: 1, points: [[0, 0], [4, 0], [4, 4]] as const, closed: true }, { id: 2, points: [[9, 9], [10, 9]] as const, closed: false }],
    areas: [{ id: 3, geometry: { type: "Polygon" as const, coordinates: [[[0, 0], [8, 0], [8, 8], [0, 8], [0, 0]], [[2, 2], [2, 4], [4, 4], [4, 2], [2, 2]]] as const } }],
  };

  it("becomes triangles that leave the holes, and segments", () => {
    const shapes = shapesOf(scenery);
    let ground = 0;
    for (let at = 0; at < shapes.ground.length; at += 6) {
      const [ax, ay, bx, by, cx, cy] = shapes.ground.subarray(at, at + 6) as unknown as [number, number, number, number, number, number];
      ground += Math.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2;
    }
    expect(ground).toBeCloseTo(60, 5);
    expect(shapes.walls.length / 4).toBe(4);
    expect(shapes.solids.length / 6).toBe(1);
  });

  it("is in view with a margin", () => {
    expect(extent(scenery, Float32Array.from([-5, 3]))).toEqual([-6, -1, 11, 10]);
    expect(extent({ obstacles: [], areas: [] }, new Float32Array(0))).toEqual([-20, -20, 20, 20]);
  });

  it("has a grid of round distances", () => {
    const { strokes, distance } = gridLines([0, 0, 100, 50], 10);
    expect(distance).toBe(10);
    expect(strokes.count).toBe(11 + 6);
  });
});

describe("motion between two steps", () => {
  it("goes from the step before to the newest, and ends there", () => {
    const motion = new Motion();
    for (let at = 0; at < 40; at += 1) motion.arrival(1000 + at * 50, 0.1);
    const newest = 1000 + 39 * 50;
    expect(motion.lag(newest)).toBeCloseTo(0.1, 6);
    expect(motion.lag(newest + 25)).toBeCloseTo(0.05, 2);
    expect(motion.lag(newest + 60)).toBe(0);
    expect(motion.lag(newest + 61)).toBe(0);
  });
});
