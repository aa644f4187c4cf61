// Frames for tests, of agents on a line.
import type { CrowdFrame } from "../src/world/frame.ts";

export function frameOf(step: number, count = 4, changes: Partial<CrowdFrame> = {}): CrowdFrame {
  return {
    step,
    time: step / 10,
    ids: Float64Array.from({ length: count }, (_, row) => row),
    position: Float32Array.from({ length: 2 * count }, (_, at) => (at % 2 === 0 ? at / 2 + step : 0)),
    velocity: Float32Array.from({ length: 2 * count }, (_, at) => (at % 2 === 0 ? 1 : 0)),
    radius: new Float32Array(count).fill(0.5),
    maxSpeed: new Float32Array(count).fill(2),
    goal: new Float32Array(2 * count).fill(NaN),
    status: new Uint8Array(count).fill(1),
    cooperation: new Uint8Array(count),
    waitsFor: new Float32Array(count).fill(NaN),
    ...changes,
  };
}
