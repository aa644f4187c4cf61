// What the server lets this page do: the key in use, the client that sends it, and its scope. No element is known here.
import { ApiError, Client, ConnectionFailed, RateLimited, Unauthorized } from "@orca-crowd/client";
import { covers, readKey, type Keeper, type Scope } from "./keeper.ts";

/** Why a key was not taken; `wait` seconds before another one is worth a try. */
export interface Refusal {
  readonly words: string;
  readonly wait: number;
}

export interface AccessEvents {
  /** The server wants a key; with `refused` the one that was in use is worth nothing any more. */
  wanted(refused: boolean): void;
  /** Another key is in use, or none. */
  changed(): void;
}

const NOT_A_KEY = "This is not a key. One begins with “orca_” and is 57 letters long; check that all of it was copied.";
const NOT_VALID = "The server does not take this key: it may be mistyped, expired or revoked.";

export class Access {
  /** Sends the key in use; another one after `changed`. */
  client: Client;
  /** Of the key, null until the server has told. */
  scope: Scope | null = null;
  /** Nothing is worth asking before there is a key. */
  locked = false;

  constructor(private readonly url: string, readonly keeper: Keeper, private readonly events: AccessEvents) {
    this.client = this.clientOf(keeper.key);
  }

  /** Whether the key allows it; what is not known yet is left to the server. */
  allows(scope: Scope): boolean {
    return this.scope === null || covers(this.scope, scope);
  }

  /** What to say of something that the key does not allow. */
  hint(scope: Scope, what = "This"): string {
    return `${what} needs a key with scope ${scope}; the one in use has ${this.scope}.`;
  }

  /** Learn what the key in use allows; throws where it is worth nothing, after having told. */
  async learn(): Promise<void> {
    const { client } = this;
    const { scope } = await client.info();
    if (client !== this.client) return;
    this.scope = scope;
    this.events.changed();
  }

  /** Use a key where the server takes it, else say why not. */
  async enter(text: string, remember: boolean): Promise<Refusal | null> {
    const key = readKey(text);
    if (key === null) return { words: NOT_A_KEY, wait: 0 };
    let wait = 0;
    const noting: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      wait = Number(answer.headers.get("Retry-After") ?? 0);
      return answer;
    };
    try {
      const { scope } = await new Client(this.url, { key, fetch: noting }).info();
      this.keeper.keep(key, remember);
      this.use(key, scope);
      return null;
    } catch (error) {
      return { words: wordsOf(error), wait };
    }
  }

  /** Go on without the key. */
  forget(): void {
    this.keeper.forget();
    this.use(null, null);
  }

  /** Ask for something that is not in the client, with the key. */
  readonly fetch = async (path: string): Promise<Response> => {
    const { transport } = this.client;
    return transport.fetch(this.url + path, { headers: { ...transport.headers } });
  };

  private use(key: string | null, scope: Scope | null): void {
    this.client = this.clientOf(key);
    this.scope = scope;
    this.locked = false;
    this.events.changed();
  }

  /** A client whose every answer is looked at: whatever asks, 401 means that a key is wanted. */
  private clientOf(key: string | null): Client {
    const watching: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (answer.status === 401 && client === this.client) this.lock();
      return answer;
    };
    const client: Client = new Client(this.url, { ...(key === null ? {} : { key }), fetch: watching });
    return client;
  }

  private lock(): void {
    if (this.locked) return;
    const refused = this.keeper.key !== null;
    // a key that is refused once is refused for ever, and every try counts against this address
    if (refused) this.forget();
    this.locked = true;
    this.events.wanted(refused);
    this.events.changed();
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof Unauthorized) return NOT_VALID;
  if (error instanceof RateLimited) return "Too many keys were tried from here.";
  if (error instanceof ConnectionFailed) return "The server cannot be reached.";
  if (error instanceof ApiError) return `${error.title}: ${error.detail}`;
  return error instanceof Error ? error.message : String(error);
}
