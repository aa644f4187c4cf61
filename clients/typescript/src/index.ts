// The client of orca-crowd: worlds of agents steered with ORCA, over REST and WebSocket.

export { Client, type ClientOptions, type SteerOptions } from "./client.js";
export { World, type AgentsOptions } from "./world.js";
export { Stream, type StreamEvents, type StreamOptions } from "./stream.js";
export { CrowdState, Frame } from "./state.js";
export type { StreamItem } from "./stream-state.js";
export * as commands from "./commands.js";
export type { AgentColumns, AreaLike, Command, GridMap, LevelOfDetail, NumberColumn, ObstacleLike, Pair, VectorColumn, WordColumn } from "./commands.js";
export type { Column, IdentifierArray, Identifiers, NumberArray, Numbers } from "./columns.js";
export type { EncodingName } from "./encoding.js";
export { Agents } from "./results.js";
export type { Acknowledged, Added, Changed, CrowdEvent, Removed, Stepped } from "./results.js";
export type { Return, StepOptions } from "./stepping.js";
export { RECONNECTING, REQUESTING, type Backoff } from "./retry.js";
export type { WebSocketConstructor } from "./socket.js";
export {
  ApiError,
  BadRequest,
  BufferFull,
  CannotEncode,
  Conflict,
  ConnectionFailed,
  Forbidden,
  Gone,
  InvalidRequest,
  MessageTooLarge,
  NoRoom,
  NotFound,
  OrcaCrowdError,
  ProtocolError,
  RateLimited,
  StreamClosed,
  StreamRefused,
  TimedOut,
  TooLarge,
  Unauthorized,
  Unavailable,
  WorldFailed,
  WorldGone,
  WrongKind,
  type Fault,
} from "./errors.js";
export type {
  AgentChange,
  AgentDescription,
  Digest,
  Explanation,
  FieldName,
  Geometry,
  Hello,
  Lease,
  NewAgent,
  NewArea,
  NewObstacle,
  NewWorld,
  Notice,
  Obstacle,
  PathFound,
  PathQuery,
  PathsFound,
  PingData,
  RestSchemas,
  ServerInfo,
  StreamSchemas,
  Subscription,
  WalkableArea,
  WorldChange,
  WorldDescription,
  WorldOptions,
} from "./wire.js";
