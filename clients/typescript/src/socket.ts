// Finding a WebSocket: browsers and newer Nodes have one; Node 20 takes that of the package `ws`.

import { OrcaCrowdError } from "./errors.js";

/** What this client needs of a WebSocket; that of browsers and that of `ws` both have it. */
export interface Socket {
  binaryType: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "error", listener: (event: { readonly message?: string }) => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

/** The class; what it does not know of the third argument, as browsers, it passes over. */
export type WebSocketConstructor = new (
  url: string,
  protocols: string[],
  // any: each implementation has options of its own
  options?: any,
) => unknown;

/** The given class, else the global one, else that of `ws`; throws where there is none. */
export async function findWebSocket(given: WebSocketConstructor | undefined): Promise<WebSocketConstructor> {
  const found = given ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  if (found !== undefined) return found;
  // named by a variable, so that no bundler looks for what browsers never need
  const name = "ws";
  try {
    const { WebSocket } = (await import(/* @vite-ignore */ name)) as { WebSocket: WebSocketConstructor };
    return WebSocket;
  } catch (error) {
    throw new OrcaCrowdError(
      "this JavaScript has no WebSocket: `npm install ws`, or give one with new Client(url, { webSocket })",
      { cause: error },
    );
  }
}
