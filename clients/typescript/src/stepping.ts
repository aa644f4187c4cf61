// Bodies of commands and steps, which REST and the socket share.

import type { IdentifierArray } from "./columns.js";
import { type Command, encodeCommand } from "./commands.js";
import type { Encoding } from "./encoding.js";
import type { FieldName } from "./wire.js";

/** What an answer to steps shows beside the events. */
export type Return = "none" | "digest" | "agents";

/** What may go with a step, by its names on the wire. */
export interface StepOptions {
  /** Refuse with `wrong-step` unless so many steps were taken before. */
  readonly expected_step?: number;
  /** Taken before the first step; they and the steps are one. */
  readonly commands?: readonly Command[];
  /** Makes a repeated request have one effect; made where none is given. */
  readonly key?: string;
  readonly return?: Return;
  /** With `return: "agents"`: columns beside the ids. */
  readonly fields?: readonly FieldName[];
  /** With `return: "agents"`: only these. */
  readonly ids?: IdentifierArray;
}

/** An idempotency key that nobody else has. `crypto.randomUUID` is not there on pages served by plain http. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `{commands, key}`; without a key one is made, so that a repeated request has one effect. */
export function commandsBody(encoding: Encoding, commands: readonly Command[], key = freshKey()): Keyed {
  return { commands: commands.map((command) => encodeCommand(encoding, command)), key };
}

/** A body with its key. */
export type Keyed = Record<string, unknown> & { key: string };

/** The body of a step or of `ready`; without a key one is made, so that a repeated request steps once. */
export function stepBody(encoding: Encoding, options: StepOptions & { readonly for_step?: number; count?: number }): Keyed {
  const { commands, ids, fields, key = freshKey(), ...rest } = options;
  const body: Keyed = { ...rest, key };
  if (commands !== undefined) body["commands"] = commands.map((command) => encodeCommand(encoding, command));
  if (fields !== undefined) body["fields"] = [...fields];
  if (ids !== undefined) body["ids"] = encoding.identifierColumn(ids);
  return body;
}
