// The error tree of the client.
//
//     OrcaCrowdError
//     ├── CannotEncode            a value that no encoding carries; nothing was sent
//     ├── ProtocolError           an answer or a message that is not the wire's
//     ├── TimedOut                nothing came within the time given
//     ├── BufferFull              frames and events were not taken from a stream that goes on
//     ├── ConnectionFailed        the server was not reached, or the connection broke and retries did not help
//     ├── StreamClosed            the stream has ended; code and reason
//     │   ├── StreamRefused       1008: the key or the lease does not allow it
//     │   ├── MessageTooLarge     1009: a message over the limit of one of the two sides
//     │   ├── WorldGone           4004: the world was deleted
//     │   └── WorldFailed         4009: the world failed
//     └── ApiError                the server refused: status, code, title, detail, errors
//         ├── BadRequest          400    ├── Unauthorized  401    ├── Forbidden       403
//         ├── NotFound            404    ├── Conflict      409    ├── Gone            410
//         ├── TooLarge            413    ├── WrongKind     415    ├── InvalidRequest  422
//         └── RateLimited         429        Unavailable   503        NoRoom          507
//
// A refused request has changed nothing.

/** Root of the tree: everything this package throws on purpose. */
export class OrcaCrowdError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A value that the encoding cannot carry; nothing was sent. */
export class CannotEncode extends OrcaCrowdError {}

/** What came is not an answer or a message of the protocol: another server, or a proxy's page. */
export class ProtocolError extends OrcaCrowdError {}

/** Nothing came within the time given. */
export class TimedOut extends OrcaCrowdError {}

/** Too many frames and events wait in a stream that nobody reads. */
export class BufferFull extends OrcaCrowdError {}

/** The server was not reached, or the connection broke and bounded retries did not mend it. */
export class ConnectionFailed extends OrcaCrowdError {}

/** One fault in a request: the position of the item in it, the item's field, and what would be right. */
export interface Fault {
  readonly item: number | null;
  readonly field: string | null;
  readonly message: string;
}

/** The parts of a problem document (RFC 9457); members beyond the common ones stand in `more`. */
export interface ProblemParts {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly Fault[];
  readonly more: Readonly<Record<string, unknown>>;
}

// this many faults are spelled out in the message; `errors` holds all of them
const SHOWN_FAULTS = 3;

/** The server refused: `status` (HTTP), stable `code`, `title`, `detail` and `errors` of the problem document. */
export class ApiError extends OrcaCrowdError implements ProblemParts {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly Fault[];
  /** Members that only some codes have, such as `step` of `wrong-step`. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(problem: ProblemParts) {
    super(problemText(problem));
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.detail = problem.detail;
    this.errors = problem.errors;
    this.more = problem.more;
  }
}

/** 400: the body is neither JSON nor MessagePack. */
export class BadRequest extends ApiError {}
/** 401: the server wants a key. */
export class Unauthorized extends ApiError {}
/** 403: not allowed. */
export class Forbidden extends ApiError {}
/** 404: no such world, agent, obstacle or area was ever here. */
export class NotFound extends ApiError {}
/** 409: exists, or conflicts with a step, a lease, a clock or a key. */
export class Conflict extends ApiError {}
/** 410: the id was here and was removed; ids are never given twice. */
export class Gone extends ApiError {}
/** 413: over a limit on size. */
export class TooLarge extends ApiError {}
/** 415: a media type that the server does not read. */
export class WrongKind extends ApiError {}
/** 422: invalid values; `errors` names item and field of each. */
export class InvalidRequest extends ApiError {}
/** 429: over a limit on number. */
export class RateLimited extends ApiError {}
/** 503: not ready, or the world failed. */
export class Unavailable extends ApiError {}
/** 507: no room to keep it. */
export class NoRoom extends ApiError {}

/** The stream has ended with WebSocket close `code` and `reason`. */
export class StreamClosed extends OrcaCrowdError {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason = "") {
    const meaning = CLOSE_CODES[code] ?? "not a documented code";
    super(`the stream was closed with ${code} (${meaning})${reason ? `: ${reason}` : ""}`);
    this.code = code;
    this.reason = reason;
  }
}

/** 1008: not allowed. */
export class StreamRefused extends StreamClosed {}
/** 1009: a message over the limit of one of the two sides. */
export class MessageTooLarge extends StreamClosed {}
/** 4004: the world was deleted or its time to live ran out. */
export class WorldGone extends StreamClosed {}
/** 4009: the world failed; its owner finds more in the server's log. */
export class WorldFailed extends StreamClosed {}

const CLOSE_CODES: Readonly<Record<number, string>> = {
  1000: "done",
  1001: "going away",
  1006: "no close frame",
  1008: "not allowed",
  1009: "too large",
  1012: "restarting",
  4001: "queue overflow",
  4004: "world gone",
  4009: "world failed",
};
const STREAM_ERRORS: Readonly<Record<number, typeof StreamClosed>> = {
  1008: StreamRefused,
  1009: MessageTooLarge,
  4004: WorldGone,
  4009: WorldFailed,
};
const STATUS_ERRORS: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequest,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  410: Gone,
  413: TooLarge,
  415: WrongKind,
  422: InvalidRequest,
  429: RateLimited,
  503: Unavailable,
  507: NoRoom,
};

/** The error of the class that stands for the close code. */
export function streamClosed(code: number, reason = ""): StreamClosed {
  return new (STREAM_ERRORS[code] ?? StreamClosed)(code, reason);
}

/** The error of a decoded problem document, as REST and the socket's `error` message both carry it. */
export function apiError(document: unknown, status = 0): ApiError {
  const found = isMap(document) ? document : {};
  const { type: _type, title, status: told, code, detail, errors, ...more } = found;
  const problem: ProblemParts = {
    status: typeof told === "number" ? told : status,
    code: typeof code === "string" ? code : "unknown",
    title: typeof title === "string" ? title : `HTTP ${status} without a problem document`,
    detail: typeof detail === "string" ? detail : "",
    errors: Array.isArray(errors) ? errors.filter(isMap).map(readFault) : [],
    more,
  };
  return new (STATUS_ERRORS[problem.status] ?? ApiError)(problem);
}

function readFault(entry: Record<string, unknown>): Fault {
  return {
    item: typeof entry["item"] === "number" ? entry["item"] : null,
    field: typeof entry["field"] === "string" ? entry["field"] : null,
    message: typeof entry["message"] === "string" ? entry["message"] : "refused",
  };
}

function problemText({ status, code, title, detail, errors }: ProblemParts): string {
  const text = `${status} ${code}: ${detail || title}`;
  const only = errors.length === 1 ? errors[0] : undefined;
  // a detail that tells the only fault already is not followed by the same
  if (errors.length === 0 || (only && detail.includes(only.message))) return text;
  const shown = errors.slice(0, SHOWN_FAULTS).map(faultText);
  if (errors.length > SHOWN_FAULTS) shown.push(`and ${errors.length - SHOWN_FAULTS} more`);
  return `${text} [${shown.join("; ")}]`;
}

function faultText({ item, field, message }: Fault): string {
  const where = [item === null ? "" : `item ${item}`, field ?? ""].filter(Boolean).join(", ");
  return where ? `${where}: ${message}` : message;
}

/** Whether the value is a map with names. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
