import { describe, expect, it } from "vitest";
import { STATUSES, type CrowdFrame } from "../src/world/frame.ts";
import { Tally, deepest } from "../src/world/tally.ts";
import { frameOf } from "./frames.ts";

const ARRIVED = STATUSES.indexOf("arrived");
const MOVING = STATUSES.indexOf("moving");
const IDS = Float64Array.of(7, 8, 9);

function walking(step: number, x: readonly number[], status: readonly number[] = [MOVING, MOVING, MOVING]): CrowdFrame {
  return frameOf(step, 3, { ids: IDS, position: Float32Array.from(x.flatMap((one, row) => [one, 2 * row])), status: Uint8Array.from(status) });
}

describe("tally", () => {
  it("counts who has arrived once, with the time of the last", () => {
    const tally = new Tally(null);
    tally.see(walking(1, [0, 0, 0], [ARRIVED, MOVING, MOVING]));
    tally.see(walking(2, [0, 0, 0], [ARRIVED, STATUSES.indexOf("arrived-crowded"), MOVING]));
    // pushed off again, and back
    tally.see(walking(3, [0, 0, 0]));
    tally.see(walking(4, [0, 0, 0], [ARRIVED, ARRIVED, MOVING]));
    expect(tally.arrived).toBe(2);
    expect(tally.last).toBeCloseTo(0.2);
  });

  it("takes no frame twice and none from the past", () => {
    const tally = new Tally(null);
    tally.see(walking(5, [0, 0, 0]));
    tally.see(walking(4, [0, 0, 0], [ARRIVED, ARRIVED, ARRIVED]));
    expect(tally.arrived).toBe(0);
  });

  it("counts a flow across its gate, either way, each agent once", () => {
    const tally = new Tally([[0, -1], [0, 3]]);
    const paths = [[-1, 1, -3], [1, 1, -3], [1, -1, 3], [-1, 1, 3]];
    paths.forEach((x, step) => tally.see(walking(10 * step, x)));
    // the third passes beside the gate, the first comes back: two, a second apart
    expect(tally.flow).toBeCloseTo(1);
    expect(new Tally(null).flow).toBeNull();
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
