// Measurements over the last minutes: a row of numbers twice a second, the oldest forgotten first.

export interface Sample {
  /** Milliseconds a step takes, mean over the time since the last sample; null while nothing was measured. */
  readonly stepTime: number | null;
  readonly agents: number;
  /** Overlaps that began since the last sample. */
  readonly overlaps: number;
  /** Agents that are stalled now. */
  readonly stalled: number;
}

export const SERIES = ["stepTime", "agents", "overlaps", "stalled"] as const;

export class Samples {
  private times: number[] = [];
  private readonly rows = new Map<keyof Sample, (number | null)[]>(SERIES.map((name) => [name, []]));

  constructor(readonly limit: number) {}

  /** Add what was measured at `seconds`. */
  add(seconds: number, sample: Sample): void {
    this.times.push(seconds);
    for (const name of SERIES) this.rows.get(name)!.push(sample[name]);
    if (this.times.length <= this.limit) return;
    this.times.shift();
    for (const name of SERIES) this.rows.get(name)!.shift();
  }

  /** Times and values, as the charts take them. */
  series(name: keyof Sample): [number[], (number | null)[]] {
    return [this.times, this.rows.get(name)!];
  }

  last(name: keyof Sample): number | null {
    return this.rows.get(name)!.at(-1) ?? null;
  }

  clear(): void {
    this.times = [];
    for (const name of SERIES) this.rows.set(name, []);
  }
}

/** Sum and count of a histogram in the text format of Prometheus, all its labels together. */
export function histogram(text: string, name: string): { readonly sum: number; readonly count: number } {
  const value = (part: string): number => {
    const found = text.matchAll(new RegExp(`^${name}_${part}(?:\\{[^}]*\\})? (\\S+)$`, "gm"));
    return [...found].reduce((total, [, one]) => total + Number(one), 0);
  };
  return { sum: value("sum"), count: value("count") };
}
