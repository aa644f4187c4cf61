// The names of the wire as types, made from the schemas by which the server checks bodies and messages.

import type { components as Rest } from "./generated/rest.js";
import type { components as Streamed } from "./generated/stream.js";

/** Bodies and answers of REST, by the names of `/openapi.json`. */
export type RestSchemas = Rest["schemas"];
/** Messages of the stream, by the names of `/asyncapi.json`. */
export type StreamSchemas = Streamed["schemas"];

/** What a new world is made of; `time_step` must be given. */
export type NewWorld = RestSchemas["NewWorld"];
/** What may change in a world. */
export type WorldChange = RestSchemas["WorldChange"];
/** A world as the server tells of it. */
export type WorldDescription = RestSchemas["WorldShown"];
/** What the server tells of itself: version, kernels, limits, options. */
export type ServerInfo = RestSchemas["InfoAnswer"];
/** Options of a world; what is left out is the profile's. */
export type WorldOptions = RestSchemas["OptionsBody"];
/** An agent to add; all but the position may be left out. */
export type NewAgent = RestSchemas["NewAgent"];
/** Fields of an agent; those left out stay as they are, null clears. */
export type AgentChange = RestSchemas["AgentChange"];
/** An agent with its effective values. */
export type AgentDescription = RestSchemas["AgentAnswer"];
/** Why an agent moves as it does. */
export type Explanation = RestSchemas["ExplainAnswer"];
/** An obstacle to add. */
export type NewObstacle = RestSchemas["ObstacleRow"];
/** An obstacle as the server has it. */
export type Obstacle = RestSchemas["ObstacleShown"];
/** A walkable area to add. */
export type NewArea = RestSchemas["AreaRow"];
/** A walkable area as the server has it. */
export type WalkableArea = RestSchemas["AreaShown"];
/** From where to where, for a disc of which radius. */
export type PathQuery = RestSchemas["PathQueryRow"];
/** A way, or why there is none. */
export type PathFound = RestSchemas["PathShown"];
/** Ways in the order in which they were asked for. */
export type PathsFound = RestSchemas["PathsAnswer"];
/** A GeoJSON Polygon or MultiPolygon. */
export type Geometry = RestSchemas["Geometry"];
/** A warning that goes with an accepted request. */
export type Notice = RestSchemas["Warning_"];
/** The right to step, until `expires`. */
export type Lease = RestSchemas["LeaseAnswer"];
/** The hash over the bits of every agent's position and velocity. */
export type Digest = RestSchemas["DigestAnswer"];

/** The first message of every socket. */
export type Hello = StreamSchemas["Hello"];
/** What a stream asks to see: the members of `subscribe`. */
export type Subscription = Omit<StreamSchemas["Subscribe"], "type">;
/** Columns that a client may ask for. */
export type FieldName = NonNullable<Subscription["fields"]>[number];
/** What `ping` carries and `pong` brings back. */
export type PingData = NonNullable<StreamSchemas["Ping"]["data"]>;
