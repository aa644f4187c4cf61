// Commands by name: what `World.commands`, the `commands` of a step and a stream's `command` take.
//
// Each function gives a map `{op, …}` with the body of the REST call of the same name; a map written by hand does as
// well. Agents are given in columns, where a single value stands for all (`radius: 0.4`), or as a list of rows.

import type { IdentifierArray, NumberArray } from "./columns.js";
import { type Encoding, encodeColumns } from "./encoding.js";
import { isMap } from "./errors.js";
import type { AgentChange, Geometry, NewAgent, NewArea, NewObstacle } from "./wire.js";

export type Pair = readonly [number, number];
/** Words or booleans: a list, or one for all. */
export type WordColumn = readonly (string | boolean)[] | string | boolean;
/** A column of numbers, or one value for all; null clears. */
export type NumberColumn = NumberArray | readonly (number | null)[] | number | null;
/** A column of pairs, flat as a typed array, or one pair for all; null clears. */
export type VectorColumn = Exclude<NumberArray, readonly number[]> | readonly (Pair | readonly number[] | null)[] | Pair | null;

/** Free and blocked cells; `origin`, where the lower left corner lies, and the side of a cell may be left out. */
export interface GridMap {
  /** From the top; `.`, `G` and `S` are free, all else is blocked. */
  readonly rows: readonly string[];
  readonly cell_size?: number;
  readonly origin?: Pair;
}

/** Agents farther than `distance` from every point and box are solved every few steps, or with fewer neighbours. */
export interface LevelOfDetail {
  readonly distance: number;
  readonly every?: number;
  readonly neighbors?: number | null;
  readonly points?: readonly Pair[];
  readonly boxes?: readonly (readonly [number, number, number, number])[];
}

/** Agents in columns, each with one row an agent or one value for all. */
export interface AgentColumns {
  readonly id?: IdentifierArray;
  readonly position?: VectorColumn;
  readonly velocity?: VectorColumn;
  readonly preferred_velocity?: VectorColumn;
  readonly goal?: VectorColumn;
  readonly preferred_speed?: NumberColumn;
  readonly goal_tolerance?: NumberColumn;
  readonly radius?: NumberColumn;
  readonly max_speed?: NumberColumn;
  readonly time_horizon?: NumberColumn;
  readonly obstacle_horizon?: NumberColumn;
  readonly neighbor_distance?: NumberColumn;
  readonly max_neighbors?: NumberColumn;
  readonly weight?: NumberColumn;
  readonly priority?: NumberColumn;
  readonly locked?: WordColumn;
  readonly avoidance?: WordColumn;
  readonly layer?: NumberColumn;
  readonly mask?: NumberColumn;
  readonly elevation?: NumberColumn;
  readonly height?: NumberColumn;
  readonly group?: NumberColumn;
  readonly group_mode?: WordColumn;
  readonly quality?: WordColumn;
  readonly max_acceleration?: NumberColumn;
  readonly max_turning_rate?: NumberColumn;
  readonly forward_preference?: NumberColumn;
  readonly heading?: VectorColumn;
  readonly guidance?: WordColumn;
  readonly [field: string]: unknown;
}

/** An obstacle, or its bare points. */
export type ObstacleLike = NewObstacle | readonly (readonly number[])[];
/** A walkable area, or its bare GeoJSON geometry. */
export type AreaLike = NewArea | Geometry;
/** `{op, …}` with the body of the REST call of that name. */
export interface Command {
  readonly op: string;
  readonly [member: string]: unknown;
}

/** Add agents, as rows or in columns; `id` chooses ids, left out the server gives them. */
export function addAgents(agents: readonly NewAgent[] | AgentColumns): Command {
  return { op: "add_agents", ...agentsBody(agents) };
}

/** Change fields of agents; null clears a goal, a preferred velocity or a preferred speed. */
export function setAgents(ids: IdentifierArray, columns: AgentColumns): Command;
export function setAgents(rows: readonly AgentChange[]): Command;
export function setAgents(ids: IdentifierArray | readonly AgentChange[], columns?: AgentColumns): Command {
  return columns === undefined ? { op: "set_agents", agents: ids } : { op: "set_agents", ids, columns };
}

/** Remove agents; their ids are never given again. */
export function removeAgents(ids: IdentifierArray): Command {
  return { op: "remove_agents", ids };
}

/** Add obstacles. */
export function addObstacles(obstacles: readonly ObstacleLike[]): Command {
  return { op: "add_obstacles", obstacles: obstacles.map(obstacleBody) };
}

/** Replace an obstacle. */
export function setObstacle(id: number, obstacle: ObstacleLike): Command {
  return { op: "set_obstacle", ...obstacleBody(obstacle), id };
}

/** Remove an obstacle. */
export function removeObstacle(id: number): Command {
  return { op: "remove_obstacle", id };
}

/** Let obstacles stand open: they do not act until they are closed. */
export function openDoor(ids: IdentifierArray): Command {
  return { op: "open_door", ids };
}

/** Let obstacles that stood open act again. */
export function closeDoor(ids: IdentifierArray): Command {
  return { op: "close_door", ids };
}

/** Add walkable areas; several are a union. */
export function addWalkable(areas: readonly AreaLike[]): Command {
  return { op: "add_walkable", areas: areas.map(areaBody) };
}

/** Replace a walkable area. */
export function setWalkable(id: number, area: AreaLike): Command {
  return { op: "set_walkable", ...areaBody(area), id };
}

/** Remove a walkable area. */
export function removeWalkable(id: number): Command {
  return { op: "remove_walkable", id };
}

/** Say where detail matters, or with null that it does everywhere. */
export function setLevelOfDetail(levelOfDetail: LevelOfDetail | null): Command {
  return { op: "set_level_of_detail", level_of_detail: levelOfDetail };
}

/** Give the world a grid map, or with null take it away. */
export function setGridMap(gridMap: GridMap | null): Command {
  return { op: "set_grid_map", grid_map: gridMap };
}

/** `{agents}` of rows, `{columns}` of columns. */
export function agentsBody(agents: readonly NewAgent[] | AgentColumns): Record<string, unknown> {
  return Array.isArray(agents) ? { agents } : { columns: agents };
}

/** An obstacle as the wire has it. */
export function obstacleBody(obstacle: ObstacleLike): Record<string, unknown> {
  return isMap(obstacle) ? obstacle : { points: obstacle };
}

/** A walkable area as the wire has it: a geometry has a type, an area has a geometry. */
export function areaBody(area: AreaLike): Record<string, unknown> {
  return "geometry" in area ? { ...area } : { geometry: area };
}

/** Make one command travel: columns and ids as columns, the rest as it is. */
export function encodeCommand(encoding: Encoding, command: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { ids, columns, ...rest } = command;
  const made: Record<string, unknown> = rest;
  const count = (ids as ArrayLike<unknown> | undefined)?.length;
  if (ids !== undefined) made["ids"] = encoding.identifierColumn(ids);
  if (columns !== undefined) made["columns"] = isMap(columns) ? encodeColumns(encoding, columns, count) : columns;
  return made;
}
