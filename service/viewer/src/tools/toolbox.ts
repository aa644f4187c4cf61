// The tool in hand: choosing agents, drawing walls and areas, placing agents. What is made goes to the server at once.
import type { Added } from "@orca-crowd/client";
import type { Session } from "../world/session.ts";
import type { Pair, Ring } from "../world/geometry.ts";
import { Strokes } from "../drawing/marks.ts";
import { Sketch, snapped, type SketchKind } from "./sketch.ts";

export type ToolName = "select" | "wall" | "area" | "agents";
export const TOOLS: readonly ToolName[] = ["select", "wall", "area", "agents"];

export interface ToolboxEvents {
  changed(): void;
  /** The tool `select` was pressed here. */
  chosen(x: number, y: number): void;
  guard(action: () => Promise<void>): void;
}

interface Made {
  readonly kind: "wall" | "area" | "agents";
  readonly ids: readonly number[];
}

/** Pixels within which a press on the first point closes a line. */
const CLOSING = 12;
const RADIUS = 0.5;

export class Toolbox {
  name: ToolName = "select";
  sketch: Sketch | null = null;
  /** How many agents are placed at once. */
  count = 10;
  private way: { readonly from: Pair; readonly to: Pair } | null = null;
  private made: Made[] = [];

  /** `pixel()` is how many metres a pixel of the page is. */
  constructor(private readonly session: Session, private readonly pixel: () => number, private readonly events: ToolboxEvents) {}

  take(name: ToolName): void {
    this.name = name;
    this.way = null;
    this.sketch = name === "wall" || name === "area" ? new Sketch(name) : null;
    this.events.changed();
  }

  /** Another world: what was made in the one before cannot be undone here. */
  forget(): void {
    this.made = [];
    this.take("select");
  }

  /** What to do with the tool in hand. */
  get words(): string {
    if (this.name === "agents") return "Drag from where they start to where they go";
    if (this.sketch === null) return "";
    const thing = this.name === "wall" ? "wall" : "walkable area";
    if (this.sketch.length === 0) return `Press where the ${thing} begins`;
    return this.sketch.whole ? "Enter finishes, Escape takes a point back" : "Press for the next point";
  }

  get canFinish(): boolean {
    return this.sketch?.whole ?? false;
  }

  get canUndo(): boolean {
    return (this.sketch?.length ?? 0) > 0 || this.made.length > 0;
  }

  press(x: number, y: number): void {
    if (this.name === "agents") return this.place([x, y], [x, y]);
    if (this.sketch === null) return this.events.chosen(x, y);
    if (this.sketch.closes(x, y, CLOSING * this.pixel())) return this.finish(true);
    this.sketch.add(snapped(x, this.pixel()), snapped(y, this.pixel()));
    this.events.changed();
  }

  aim(x: number, y: number): void {
    if (this.sketch === null) return;
    this.sketch.aim(x, y);
    this.events.changed();
  }

  /** Whether a drag belongs to the tool. */
  get drags(): boolean {
    return this.name === "agents";
  }

  drag(from: Pair, to: Pair, done: boolean): void {
    this.way = done ? null : { from, to };
    if (done) this.place(from, to);
    this.events.changed();
  }

  /** Take back: the last point, else what was made last. With nothing to take back the tool is put away. */
  escape(): void {
    if (this.sketch?.undo() === true) this.events.changed();
    else this.take("select");
  }

  undo(): void {
    if (this.sketch?.undo() === true) return this.events.changed();
    const last = this.made.pop();
    if (last === undefined) return;
    this.events.guard(async () => {
      const world = this.session.open;
      if (last.kind === "agents") await world.removeAgents(last.ids);
      else for (const id of last.ids) await (last.kind === "wall" ? world.removeObstacle(id) : world.removeWalkable(id));
      await this.session.changed(last.kind === "agents" ? "agents" : "scenery");
      this.events.changed();
    });
  }

  /** Send what was drawn; `closed` where a wall goes round. */
  finish(closed = false): void {
    const { sketch } = this;
    if (sketch === null || !sketch.whole) return;
    const { kind } = sketch;
    const points = sketch.takeAll();
    this.events.changed();
    this.events.guard(async () => {
      const { ids } = await this.send(kind, points, closed).catch((error: unknown) => {
        // a refused shape comes back, so that it can be mended
        sketch.putBack(points);
        this.events.changed();
        throw error;
      });
      this.made.push({ kind, ids: [...ids] });
      await this.session.changed("scenery");
      this.events.changed();
    });
  }

  private send(kind: SketchKind, points: Ring, closed: boolean): Promise<Added> {
    const world = this.session.open;
    const pairs = points.map(([x, y]) => [x, y]);
    if (kind === "wall") return world.addObstacles([{ points: pairs, closed }]);
    return world.addWalkable([{ geometry: { type: "Polygon", coordinates: [[...pairs, pairs[0]!]] } }]);
  }

  private place(from: Pair, to: Pair): void {
    const spots = block(this.count, 2.2 * RADIUS);
    const at = (middle: Pair): [number, number][] =>
      spots.map(([x, y]) => [snapped(middle[0] + x, this.pixel()), snapped(middle[1] + y, this.pixel())]);
    this.events.guard(async () => {
      const { ids } = await this.session.open.addAgents({ position: at(from), goal: at(to), radius: RADIUS, goal_tolerance: 0.1 });
      this.made.push({ kind: "agents", ids: [...ids] });
      await this.session.changed("agents");
      this.events.changed();
    });
  }

  /** What is in the making, for the drawing. */
  strokes(): Strokes {
    const strokes = new Strokes();
    if (this.sketch !== null) {
      const size = 4 * this.pixel();
      strokes.path(this.sketch.shown(), this.sketch.kind === "area");
      for (const [x, y] of this.sketch.path) strokes.ring(x, y, size, 12);
    }
    if (this.way !== null) {
      const { from, to } = this.way;
      strokes.line(...from, ...to);
      for (const [x, y] of block(this.count, 2.2 * RADIUS)) {
        strokes.ring(from[0] + x, from[1] + y, RADIUS, 16);
        strokes.cross(to[0] + x, to[1] + y, RADIUS * 0.4);
      }
    }
    return strokes;
  }
}

/** Spots of a square block around the origin, `distance` apart. */
export function block(count: number, distance: number): Pair[] {
  const side = Math.ceil(Math.sqrt(count));
  const rows = Math.ceil(count / side);
  return Array.from({ length: count }, (_, at): Pair => [
    ((at % side) - (side - 1) / 2) * distance,
    ((rows - 1) / 2 - Math.floor(at / side)) * distance,
  ]);
}
