import { describe, expect, it } from "vitest";
import { Camera } from "../src/drawing/camera.ts";

function camera(): Camera {
  const made = new Camera();
  made.resize(800, 600);
  return made;
}

describe("camera", () => {
  it("shows a box whole, with y up", () => {
    const made = camera();
    made.fit([-10, -20, 10, 20], { left: 50, right: 0, top: 0, bottom: 100 });
    const [left, bottom] = made.toScreen(-10, -20);
    const [right, top] = made.toScreen(10, 20);
    // the height decides: 500 pixels for 40 metres
    expect(made.scale).toBeCloseTo(12.5);
    expect([top, bottom]).toEqual([expect.closeTo(0), expect.closeTo(500)]);
    // the middle of what the tools on the left leave
    expect((left + right) / 2).toBeCloseTo(425);
  });

  it("keeps the point under the pointer when it zooms", () => {
    const made = camera();
    made.fit([0, 0, 40, 30]);
    const before = made.toWorld(123, 456);
    made.zoom(3.7, 123, 456);
    const after = made.toWorld(123, 456);
    expect(after[0]).toBeCloseTo(before[0], 9);
    expect(after[1]).toBeCloseTo(before[1], 9);
  });

  it("goes to the screen and back", () => {
    const made = camera();
    made.pan(31, -17);
    const [x, y] = made.toWorld(...made.toScreen(3.25, -7.5));
    expect(x).toBeCloseTo(3.25, 9);
    expect(y).toBeCloseTo(-7.5, 9);
  });

  it("moves the ground with the hand", () => {
    const made = camera();
    const [x, y] = made.toWorld(100, 100);
    made.pan(40, 25);
    expect(made.toScreen(x, y)).toEqual([expect.closeTo(140), expect.closeTo(125)]);
  });

  it("stays fitted when the window changes, until it is moved by hand", () => {
    const made = camera();
    made.fit([0, 0, 10, 10]);
    made.resize(400, 400);
    expect(made.view()[0]).toBeLessThan(0);
    made.zoom(10, 0, 0);
    const scale = made.scale;
    made.resize(800, 800);
    expect(made.scale).toBe(scale);
  });

  it("does not zoom without end", () => {
    const made = camera();
    for (let turn = 0; turn < 500; turn += 1) made.zoom(2, 1, 1);
    expect(Number.isFinite(made.toWorld(1, 1)[0])).toBe(true);
    for (let turn = 0; turn < 500; turn += 1) made.zoom(0.5, 1, 1);
    expect(made.scale).toBeGreaterThan(0);
  });
});
