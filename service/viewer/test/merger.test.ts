import { describe, expect, it } from "vitest";
import { Merger, type Columns } from "../src/world/merger.ts";
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

describe("nearest agent", () => {
  it("is the one whose disc is pressed, or nobody", () => {
    const frame = new Merger().motion(motion(0, [10, 20]));
    expect(nearest(frame, 19, 0.2, 1)).toBe(20);
    expect(nearest(frame, 15, 0, 1)).toBeNull();
  });
});
