// The agents that a subscription knows: whole states and what changed in them, merged.
//
// A `frame` has a row for every agent whose values are others than at `since`; who is not in it is as before. Merged
// here every frame is complete, and whoever draws it need not know what travelled. Arrays that were given out are never
// written to again: a merge makes new ones, which for 20,000 agents takes less time than decoding them did.

import { type Column, type Identifiers, readColumn, readIdentifiers, widthOf } from "./columns.js";
import { ProtocolError, isMap } from "./errors.js";
import { Keyframe } from "./keyframe.js";
import { Agents, asNumber, columnNames } from "./results.js";

type Columns = Record<string, Column>;

/** One frame of a stream: every agent of the subscription, whatever part of them travelled. */
export class Frame extends Agents {
  /** `full` for a whole state, `frame` for one that builds on step `since`. */
  readonly type: "full" | "frame";
  readonly since: number | undefined;
  /** Whether steps that the subscription covers were left out before this frame. */
  readonly gap: boolean;
  /** Ids of those whose values came with this frame; all others are bit for bit as before. */
  readonly changed: Identifiers;
  readonly entered: Identifiers;
  readonly left: Identifiers;

  constructor(
    known: { step: number; time: number; ids: Identifiers; columns: Columns },
    how: Pick<Frame, "type" | "since" | "gap" | "changed" | "entered" | "left">,
  ) {
    super(known.step, known.time, known.ids, known.columns);
    this.type = how.type;
    this.since = how.since;
    this.gap = how.gap;
    this.changed = how.changed;
    this.entered = how.entered;
    this.left = how.left;
  }
}

/** What one subscription knows: `full` and `frame` messages in, whole frames out. */
export class CrowdState {
  #step: number | undefined;
  #ids: Identifiers = new Float64Array(0);
  #columns: Columns = {};
  #index: Map<number, number> | undefined;
  // whether the order of rows is the server's: a frame that leaves out its ids relies on that
  #listed = false;
  #keyframe = new Keyframe();

  /** Merge one decoded message; throws `ProtocolError`. `gap` is what the caller knows of steps left out. */
  apply(message: Readonly<Record<string, unknown>>, gap = false): Frame {
    const full = message["type"] === "full";
    const step = asNumber(message, "step");
    const since = full ? undefined : asNumber(message, "since");
    const entered = readIdentifiers(message["entered"] ?? []);
    const left = readIdentifiers(message["left"] ?? []);
    if (full) this.#reset();
    // who left is forgotten first, so that a frame without ids is of those who stay
    else this.#remove(left);
    const changed = this.#named(message["ids"]);
    const scales = isMap(message["scale"]) ? message["scale"] : {};
    const columns: Columns = this.#keyframe.read(message, changed);
    for (const name of columnNames(message)) {
      if (!(name in scales)) columns[name] = readColumn(name, message[name], changed.length);
    }
    this.#merge(step, since, changed, columns);
    const known = { step, time: asNumber(message, "time"), ids: this.#ids, columns: this.#columns };
    return new Frame(known, { type: full ? "full" : "frame", since, gap, changed, entered, left });
  }

  #reset(): void {
    this.#list(new Float64Array(0));
    this.#columns = {};
  }

  /** Take the ids of everybody, in the server's order. */
  #list(ids: Identifiers): void {
    this.#ids = ids;
    this.#index = undefined;
    this.#listed = true;
  }

  /** Whose rows a message has; without ids it is everybody, in the order last listed. */
  #named(ids: unknown): Identifiers {
    if (ids !== undefined && ids !== null) return readIdentifiers(ids);
    if (!this.#listed || this.#step === undefined) throw new ProtocolError("a frame leaves out ids that were never sent");
    return this.#ids;
  }

  /** Forget the agents that left; the others stay in their order. */
  #remove(left: Identifiers): void {
    if (left.length === 0) return;
    const gone = new Set(left);
    const kept: number[] = [];
    this.#ids.forEach((id, row) => {
      if (!gone.has(id)) kept.push(row);
    });
    const columns: Columns = {};
    for (const [name, column] of Object.entries(this.#columns)) columns[name] = takeRows(name, column, kept);
    this.#columns = columns;
    this.#ids = Float64Array.from(kept, (row) => this.#ids[row] as number);
    this.#index = undefined;
  }

  /** Take the rows of `ids` over the state at `since`; one that lists everybody sets the order. */
  #merge(step: number, since: number | undefined, ids: Identifiers, columns: Columns): void {
    const all = ids === this.#ids;
    const rows = all ? undefined : this.#rowsOf(ids);
    const fresh = rows === undefined ? 0 : rows.reduce((count, row) => count + (row < 0 ? 1 : 0), 0);
    if (rows === undefined || ids.length === this.#ids.length + fresh) {
      // everybody is in it, so that it needs no state to build on
      if (!all) this.#list(ids);
      // a frame of nobody says nothing, not even of what kind its columns are
      this.#columns = columns;
      this.#step = step;
      return;
    }
    if (since !== this.#step) {
      throw new ProtocolError(`the frame of step ${step} builds on step ${since}, and the last that came is ${this.#step}`);
    }
    this.#step = step;
    if (ids.length === 0) return;
    // who is not known comes after all others
    let next = this.#ids.length;
    const places = rows.map((row) => (row < 0 ? next++ : row));
    const merged: Columns = {};
    for (const [name, column] of Object.entries(this.#columns)) {
      const values = columns[name];
      if (values === undefined) throw new ProtocolError(`the frame of step ${step} is without the column ${name}`);
      merged[name] = putRows(name, column, next, places, values);
    }
    this.#columns = merged;
    if (fresh > 0) {
      const longer = new Float64Array(next);
      longer.set(this.#ids);
      places.forEach((row, place) => {
        longer[row] = ids[place] as number;
      });
      this.#ids = longer;
      this.#index = undefined;
      this.#listed = false;
    }
  }

  /** Row of each of `ids`, -1 for who has none. */
  #rowsOf(ids: Identifiers): Int32Array {
    const known = this.#ids;
    const rows = new Int32Array(ids.length);
    // a server sends rows in the order of the agents, so that a walk along both finds everybody in one go
    let row = 0;
    for (let place = 0; place < ids.length; place += 1) {
      while (row < known.length && known[row] !== ids[place]) row += 1;
      if (row === known.length) return this.#lookedUp(ids);
      rows[place] = row;
      row += 1;
    }
    return rows;
  }

  /** The same in any order and with somebody new; the index is made when it is first asked after a change. */
  #lookedUp(ids: Identifiers): Int32Array {
    const index = (this.#index ??= new Map(Array.from(this.#ids, (id, row) => [id, row])));
    const rows = new Int32Array(ids.length);
    for (let place = 0; place < ids.length; place += 1) rows[place] = index.get(ids[place] as number) ?? -1;
    return rows;
  }
}

/** The column that has `rows` of `column`, in their order. */
function takeRows(name: string, column: Column, rows: readonly number[]): Column {
  if (Array.isArray(column)) return rows.map((row) => column[row] as string | boolean);
  const width = widthOf(name);
  const made = emptyLike(column, rows.length * width);
  rows.forEach((row, place) => {
    made.set(column.subarray(row * width, (row + 1) * width), place * width);
  });
  return made;
}

/** A column of `count` rows: `column`, with row i of `values` in row `places[i]`. */
function putRows(name: string, column: Column, count: number, places: Int32Array, values: Column): Column {
  // a column of nobody was read as numbers whatever it holds
  if (Array.isArray(column) || Array.isArray(values)) {
    const made = Array.isArray(column) ? [...column] : [];
    places.forEach((row, place) => {
      made[row] = values[place] as string | boolean;
    });
    return made;
  }
  const width = widthOf(name);
  const made = emptyLike(column.length ? column : values, count * width);
  made.set(column);
  for (let place = 0; place < places.length; place += 1) {
    const row = places[place] as number;
    made[row * width] = values[place * width] as number;
    if (width === 2) made[row * width + 1] = values[place * width + 1] as number;
  }
  return made;
}

function emptyLike(column: Float64Array | Float32Array, length: number): Float64Array | Float32Array {
  return column instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
}
