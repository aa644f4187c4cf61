import { describe, expect, it } from "vitest";
import { Merger, type Columns } from "../src/world/merger.ts";
import { waitingLines } from "../src/drawing/marks.ts";
import { nearest } from "../src/world/frame.ts";

function motion(step: number, ids: number[]): Columns {
  return {
    step, time: step / 10, ids: Float64Array.from(ids),
    columns: { position: Float32Array.from(ids.flatMap((id) => [id, step])), velocity: new Float32Array(2 * ids.length) },
  };
}

function traits(ids: number[], status: string[]): Columns {
  return {
    step: 0, time: 0, ids: Float64Array.from(ids),
    columns: {
      radius: Float32Array.from(ids, (id) => id / 10), max_speed: new Float32Array(ids.length).fill(3),
      goal: new Float32Array(2 * ids.length).fill(NaN), status,
    },
  };
}

describe("merger of two subscriptions", () => {
  it("makes a whole frame, whichever comes first", () => {
    const merger = new Merger();
    expect(merger.slowValues(traits([1, 2], ["moving", "stalled"]))).toBeNull();
    const frame = merger.motion(motion(5, [1, 2]));
    expect([...frame.status]).toEqual([1, 3]);
    expect([...frame.radius]).toEqual([expect.closeTo(0.1), expect.closeTo(0.2)]);
    const other = new Merger();
    expect([...other.motion(motion(5, [1, 2])).radius]).toEqual([0.5, 0.5]);
    expect([...other.slowValues(traits([1, 2], ["arrived", "no-goal"]))!.status]).toEqual([2, 0]);
  });

  it("shares arrays that are as before", () => {
    const merger = new Merger();
    merger.slowValues(traits([1, 2], ["moving", "moving"]));
    const first = merger.motion(motion(1, [1, 2]));
    const second = merger.motion(motion(2, [1, 2]));
    expect(second.ids).toBe(first.ids);
    expect(second.radius).toBe(first.radius);
    expect(second.position).not.toBe(first.position);
  });

  it("keeps everybody's own values while one subscription knows more than the other", () => {
    const merger = new Merger();
    merger.slowValues(traits([7, 8, 9], ["moving", "stalled", "arrived"]));
    const frame = merger.motion(motion(1, [7, 9, 10]));
    expect([...frame.status]).toEqual([1, 2, 1]);
    expect([...frame.radius]).toEqual([expect.closeTo(0.7), expect.closeTo(0.9), 0.5]);
  });
});

describe("turns", () => {
  it("are told in words and by ids, and belong to everybody's own row", () => {
    const merger = new Merger();
    const slow = traits([7, 8], ["moving", "moving"]);
    const told = { ...slow.columns, cooperation: ["drift", "orca"], waits_for: Float32Array.from([8, NaN]) };
    merger.slowValues({ ...slow, columns: told });
    const frame = merger.motion(motion(1, [8, 7, 9]));
    expect([...frame.cooperation]).toEqual([1, 2, 0]);
    expect([...frame.waitsFor]).toEqual([NaN, 8, NaN]);
    // from the one that waits, at (7, 1), to the one that it waits for, at (8, 1)
    expect([...waitingLines(frame).array()]).toEqual([7, 1, 8, 1]);
  });
});

describe("nearest agent", () => {
  it("is the one whose disc is pressed, or nobody", () => {
    const frame = new Merger().motion(motion(0, [10, 20]));
    expect(nearest(frame, 19, 0.2, 1)).toBe(20);
    expect(nearest(frame, 15, 0, 1)).toBeNull();
  });
});
