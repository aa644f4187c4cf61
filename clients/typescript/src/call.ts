// One REST call: what is sent, whether it may be sent twice, and how its answer is read.

import { type Encoding, JSON_TEXT, MESSAGE_PACK } from "./encoding.js";
import { ApiError, ConnectionFailed, OrcaCrowdError, ProtocolError, TimedOut, apiError } from "./errors.js";
import { Attempts, type Backoff, pause } from "./retry.js";

export const BYTES = "application/octet-stream";
export const LEASE_HEADER = "Orca-Crowd-Lease";
export const CONTROLLER_HEADER = "Orca-Crowd-Controller";
/** What a server is told with every call, so that it can say when this client is too old for it. */
export const CLIENT_HEADER = "Orca-Crowd-Client";
export const CLIENT = "typescript/0.1.0";

// of an error page that is no problem document this much is shown
const SHOWN_PAGE = 200;
// what an attempt that never reached the server fails with
const NEVER_REACHED: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT"]);

/** One call; `repeatable` says that sending it twice has one effect: it only reads, or carries a key. */
export interface Call<Result> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly read: (body: unknown) => Result;
  /** Encoded in the client's encoding. */
  readonly body?: unknown;
  /** Sent as it is, with `mediaType`. */
  readonly content?: string | Uint8Array;
  readonly mediaType?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly repeatable?: boolean;
}

/** What every call of a client has in common. */
export interface Transport {
  readonly url: string;
  readonly encoding: Encoding;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds that one answer may take. */
  readonly timeout: number;
  readonly retry: Backoff;
  readonly fetch: typeof fetch;
}

/** Path of a world's resource; every part is escaped, so an id may hold any character. */
export function worldPath(world: string, ...parts: (string | number)[]): string {
  return ["/v1/worlds", ...[world, ...parts].map((part) => encodeURIComponent(part))].join("/");
}

/** Send a call and read its answer, again where the connection breaks and that is safe. */
export async function send<Result>(transport: Transport, call: Call<Result>): Promise<Result> {
  const [url, request] = build(transport, call);
  const attempts = new Attempts(transport.retry);
  for (;;) {
    let answer: Response;
    let content: Uint8Array<ArrayBuffer>;
    try {
      const signal = AbortSignal.timeout(transport.timeout * 1000);
      answer = await transport.fetch(url, { ...request, signal });
      content = new Uint8Array(await answer.arrayBuffer());
    } catch (error) {
      const failure = failureOf(error, call, url, transport.timeout);
      const delay = failure.again ? attempts.nextDelay() : undefined;
      if (delay === undefined) throw failure.error;
      await pause(delay);
      continue;
    }
    return readAnswer(call, answer.status, answer.headers.get("content-type") ?? "", content);
  }
}

/** Read the answer to a call; throws `ApiError` for a refusal and `ProtocolError` for what is no answer at all. */
export function readAnswer<Result>(
  call: Call<Result>,
  status: number,
  mediaType: string,
  content: Uint8Array<ArrayBuffer>,
): Result {
  if (status >= 400) throw problem(status, mediaType, content);
  const what = `${call.method} ${call.path}`;
  if (status < 200 || status >= 300) throw new ProtocolError(`${what} was answered with ${status}`);
  const body = decodeBody(mediaType, content);
  try {
    return call.read(body);
  } catch (error) {
    if (error instanceof OrcaCrowdError && !(error instanceof ProtocolError)) throw error;
    throw new ProtocolError(`the answer to ${what} is not as documented: ${String(error)}`, { cause: error });
  }
}

function build(transport: Transport, call: Call<unknown>): [string, RequestInit] {
  const { encoding } = transport;
  const url = new URL(transport.url + call.path);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  // a problem document is JSON whatever was asked for
  const accept = `${call.accept ?? encoding.mediaType}, application/problem+json`;
  const headers: Record<string, string> = { Accept: accept, ...transport.headers, ...call.headers };
  let body: BodyInit | null = null;
  if (call.content !== undefined) {
    headers["Content-Type"] = call.mediaType ?? BYTES;
    body = call.content as BodyInit;
  } else if (call.body !== undefined) {
    headers["Content-Type"] = encoding.mediaType;
    body = encoding.encode(call.body);
  }
  return [url.href, { method: call.method, headers, body }];
}

/** What a failed attempt means, and whether another one may be made. */
function failureOf(error: unknown, call: Call<unknown>, url: string, timeout: number): { error: Error; again: boolean } {
  const what = `${call.method} ${url}`;
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return { error: new TimedOut(`${what} was not answered within ${timeout} s`, { cause: error }), again: false };
  }
  const cause = error instanceof Error ? (error.cause as { code?: unknown; message?: unknown } | undefined) : undefined;
  const again = call.repeatable === true || NEVER_REACHED.has(cause?.code);
  const why = String(cause?.message || cause?.code || (error instanceof Error ? error.message : error));
  // the caller must know whether the request may have had its effect
  const text = again ? `${what} failed: ${why}` : `the connection broke, ${what} may have taken effect: ${why}`;
  return { error: new ConnectionFailed(text, { cause: error }), again };
}

/** The body by the media type of the answer, not by what was asked for; bytes where it is no document. */
function decodeBody(mediaType: string, content: Uint8Array<ArrayBuffer>): unknown {
  if (content.byteLength === 0) return undefined;
  if (mediaType.includes("msgpack")) return MESSAGE_PACK.decode(content);
  if (mediaType.includes("json")) return JSON_TEXT.decode(content);
  return content;
}

/** The error of a refusal; a page that is no problem document gives one with code `unknown` and its beginning. */
function problem(status: number, mediaType: string, content: Uint8Array<ArrayBuffer>): ApiError {
  let document: unknown = content;
  try {
    document = decodeBody(mediaType, content);
  } catch {
    // told below as the page that it is
  }
  if (document instanceof Uint8Array) return apiError({ detail: new TextDecoder().decode(document).slice(0, SHOWN_PAGE) }, status);
  return apiError(document, status);
}
