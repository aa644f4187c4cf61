// Positions and velocities in int16 and int8: whole numbers times a scale beside a base that many frames share.
//
// With such a precision a message says `keyframe` (the step of the base), `scale` (a power of two for each column) and
// the columns as whole numbers; the value is base + scale · whole number, off by at most half of `scale` and the
// rounding of the base to float32. The base comes once for every agent: for all with a new `keyframe`, in between for
// those in `based`.

import { type Identifiers, type Numbers, readColumn, readIdentifiers, readWhole } from "./columns.js";
import { ProtocolError, isMap } from "./errors.js";

/** The base by agent, as the messages of one subscription told it. */
export class Keyframe {
  #step: unknown;
  #rows = new Map<number, number>();
  #base: Record<string, number[]> = {};

  /** The columns of `ids` that travelled as whole numbers, as float64; none in another precision. */
  read(message: Readonly<Record<string, unknown>>, ids: Identifiers): Record<string, Numbers> {
    if (typeof message["keyframe"] === "number") this.#learn(message);
    const scales = isMap(message["scale"]) ? message["scale"] : {};
    const columns: Record<string, Numbers> = {};
    for (const [name, scale] of Object.entries(scales)) {
      if (typeof scale !== "number" || message[name] === undefined) continue;
      columns[name] = this.#raised(name, scale, readWhole(name, message[name], ids.length), ids);
    }
    return columns;
  }

  /** Take the base of `based`; that of a new keyframe takes the place of all that was told before. */
  #learn(message: Readonly<Record<string, unknown>>): void {
    if (message["keyframe"] !== this.#step) {
      this.#step = message["keyframe"];
      this.#rows = new Map();
      this.#base = {};
    }
    const ids = readIdentifiers(message["based"] ?? []);
    const base = isMap(message["base"]) ? message["base"] : {};
    for (const [name, values] of Object.entries(base)) {
      if (values === null) continue;
      const told = readColumn(name, values, ids.length) as Numbers;
      const kept = (this.#base[name] ??= []);
      ids.forEach((id, place) => {
        // an agent that left and came back is told again, with the same base
        const row = this.#rows.get(id) ?? this.#rows.size;
        this.#rows.set(id, row);
        kept[2 * row] = told[2 * place] as number;
        kept[2 * row + 1] = told[2 * place + 1] as number;
      });
    }
  }

  /** base + scale · whole number in binary64, where neither product nor sum loses a bit of either. */
  #raised(name: string, scale: number, whole: Int16Array | Int8Array, ids: Identifiers): Float64Array {
    const base = this.#base[name] ?? [];
    const values = new Float64Array(2 * ids.length);
    if (whole.length !== values.length) {
      throw new ProtocolError(`column ${name} has ${whole.length / 2} rows for ${ids.length} agents`);
    }
    for (let place = 0; place < ids.length; place += 1) {
      const row = this.#rows.get(ids[place] as number);
      if (row === undefined) {
        throw new ProtocolError(`no base of agent ${ids[place]} has come with keyframe ${String(this.#step)}`);
      }
      values[2 * place] = (base[2 * row] as number) + scale * (whole[2 * place] as number);
      values[2 * place + 1] = (base[2 * row + 1] as number) + scale * (whole[2 * place + 1] as number);
    }
    return values;
  }
}
