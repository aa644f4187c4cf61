import { describe, expect, it } from "vitest";
import { STATUSES, type CrowdFrame } from "../src/world/frame.ts";
import { Tally, deepest, type Counting } from "../src/world/tally.ts";
import { frameOf } from "./frames.ts";

const ARRIVED = STATUSES.indexOf("arrived");
const MOVING = STATUSES.indexOf("moving");
const IDS = Float64Array.of(7, 8, 9);
const PLAIN: Counting = { gate: null, arrival: 2, turning: false };

function walking(step: number, x: readonly number[], status: readonly number[] = [MOVING, MOVING, MOVING]): CrowdFrame {
  return frameOf(step, 3, {
    ids: IDS, position: Float32Array.from(x.flatMap((one, row) => [one, 2 * row])), goal: Float32Array.of(0, 0, 0, 2, 0, 4), status: Uint8Array.from(status),
  });
}

describe("tally", () => {
  it("counts who has arrived once, with the time of the last, whatever the status says", () => {
    const tally = new Tally(PLAIN);
    tally.see(walking(1, [0, 3, 9]));
    tally.see(walking(2, [0, -2, 9]));
    // pushed off again, and back
    tally.see(walking(3, [5, 5, 9]));
    tally.see(walking(4, [0, 1, 9], [ARRIVED, ARRIVED, ARRIVED]));
    expect(tally.arrived).toBe(2);
    expect(tally.last).toBeCloseTo(0.2);
  });

  it("takes no frame twice and none from the past", () => {
    const tally = new Tally(PLAIN);
    tally.see(walking(5, [9, 9, 9]));
    tally.see(walking(4, [0, 0, 0]));
    expect(tally.arrived).toBe(0);
  });

  it("counts a flow across its gate, either way, each agent once", () => {
    const tally = new Tally({ ...PLAIN, gate: [[0, -1], [0, 3]] });
    const paths = [[-1, 1, -3], [1, 1, -3], [1, -1, 3], [-1, 1, 3]];
    paths.forEach((x, step) => tally.see(walking(10 * step, x)));
    // the third passes beside the gate, the first comes back: two, a second apart
    expect(tally.flow).toBeCloseTo(1);
    expect(new Tally(PLAIN).flow).toBeNull();
  });

  it("adds up how much everybody turns on the way", () => {
    const tally = new Tally({ ...PLAIN, turning: true });
    expect(tally.turned).toBeNull();
    const going = (step: number, velocity: readonly number[], last = 9): void =>
      tally.see({ ...walking(step, [9, 9, last]), velocity: Float32Array.from(velocity) });
    going(1, [1, 0, 0, 1, 1, 1]);
    expect(tally.turned).toBe(0);
    // left, right; who creeps goes in no direction, and keeps the last one that it had
    going(2, [0, 1, 0.01, 0, 1, 1]);
    going(3, [1, 0, 0, -1, 1, 1], 0);
    // who has arrived is not on its way
    going(4, [1, 0, 0, -1, -1, -1], 9);
    expect(tally.turned).toBeCloseTo((90 + 90 + 180) / 3);
    expect(new Tally(PLAIN).turned).toBeNull();
  });

  it("finds the deepest overlap of all pairs", () => {
    let seed = 1;
    const chance = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const count = 120;
    const frame = frameOf(0, count, {
      position: Float32Array.from({ length: 2 * count }, () => 12 * chance()),
      radius: Float32Array.from({ length: count }, () => 0.1 + 0.4 * chance()),
    });
    let most = 0;
    for (let a = 0; a < count; a += 1) {
      for (let b = 0; b < a; b += 1) {
        const [dx, dy] = [0, 1].map((axis) => frame.position[2 * a + axis]! - frame.position[2 * b + axis]!);
        most = Math.max(most, frame.radius[a]! + frame.radius[b]! - Math.hypot(dx!, dy!));
      }
    }
    expect(deepest(frame)).toBeCloseTo(most, 6);
    expect(deepest(walking(0, [0, 0, 0]))).toBe(0);
  });
});
