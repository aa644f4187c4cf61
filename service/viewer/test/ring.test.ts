import { describe, expect, it } from "vitest";
import { Playhead } from "../src/world/playhead.ts";
import { FrameRing } from "../src/world/ring.ts";
import { ownBytes } from "../src/world/frame.ts";
import { frameOf } from "./frames.ts";

const ONE = ownBytes(frameOf(0), undefined);

function filled(limit: number, count: number): FrameRing {
  const ring = new FrameRing(limit);
  for (let step = 0; step < count; step += 1) ring.push(frameOf(step));
  return ring;
}

describe("ring of frames", () => {
  it("keeps the newest within its bytes", () => {
    const ring = filled(10.5 * ONE, 1000);
    expect(ring.length).toBe(10);
    expect(ring.bytes).toBeLessThanOrEqual(10.5 * ONE);
    expect(ring.at(0)!.step).toBe(990);
    expect(ring.newest!.step).toBe(999);
    expect(ring.at(10)).toBeUndefined();
    expect(ring.at(-1)).toBeUndefined();
  });

  it("keeps one frame, however large", () => {
    expect(filled(1, 5).length).toBe(1);
  });

  it("counts arrays that frames share once", () => {
    const ring = new FrameRing(1e9);
    const first = frameOf(0);
    ring.push(first);
    ring.push({ ...first, step: 1, position: first.position.slice() });
    expect(ring.bytes).toBe(ONE + 128 + first.position.byteLength);
  });

  it("puts a frame of the same step into the place of the newest, and begins anew with an earlier one", () => {
    const ring = filled(1e9, 3);
    ring.push(frameOf(2, 7));
    expect([ring.length, ring.newest!.ids.length]).toEqual([3, 7]);
    ring.push(frameOf(1));
    expect([ring.length, ring.newest!.step]).toEqual([1, 1]);
    expect(ring.bytes).toBe(ONE);
  });

  it("finds a step, or the one before", () => {
    const ring = new FrameRing(1e9);
    for (const step of [3, 5, 9]) ring.push(frameOf(step));
    expect([3, 4, 5, 8, 9, 100, 0].map((step) => ring.find(step))).toEqual([0, 0, 1, 1, 2, 2, 0]);
  });
});

describe("playhead", () => {
  it("follows the newest, and stands still in the past", () => {
    const ring = filled(1e9, 5);
    const head = new Playhead(ring);
    expect([head.live, head.shown.step]).toEqual([true, 4]);
    head.seek(1);
    ring.push(frameOf(5));
    expect([head.live, head.shown.step, head.index]).toEqual([false, 1, 1]);
    head.move(1);
    expect(head.shown.step).toBe(2);
    head.move(-10);
    expect(head.shown.step).toBe(0);
    head.seek(5);
    expect([head.live, head.shown.step]).toEqual([true, 5]);
  });

  it("goes on showing a frame that is no longer kept", () => {
    const ring = filled(4.5 * ONE, 4);
    const head = new Playhead(ring);
    head.seek(0);
    for (let step = 4; step < 9; step += 1) ring.push(frameOf(step));
    expect([head.shown.step, head.index]).toEqual([0, 0]);
  });

  it("gives the frames of a trail, the oldest first, a stride apart", () => {
    const head = new Playhead(filled(1e9, 20));
    expect(head.before(3, 5).map((frame) => frame.step)).toEqual([5, 10, 15, 19]);
    expect(head.before(100, 1)).toHaveLength(20);
  });

  it("shows nobody before anything came", () => {
    expect(new Playhead(new FrameRing(1)).shown.ids).toHaveLength(0);
  });
});
