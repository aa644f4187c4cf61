// How often and after which delay a broken connection is tried again: bounded, growing, and scattered.

/** `attempts` more tries; delays in seconds grow from `first` by `factor` up to `longest`. */
export interface Backoff {
  readonly attempts: number;
  readonly first?: number;
  readonly factor?: number;
  readonly longest?: number;
}

/** A request: a second and a half at most, then the caller is told. */
export const REQUESTING: Backoff = { attempts: 4 };
/** A stream: as long as a restart of the server takes, about half a minute. */
export const RECONNECTING: Backoff = { attempts: 12 };

/** The tries that are left, until `renew` says that things went well. */
export class Attempts {
  #backoff: Backoff;
  #used = 0;

  constructor(backoff: Backoff) {
    this.#backoff = backoff;
  }

  /**
   * Use up one try: milliseconds to wait before it, undefined where none is left.
   *
   * Each delay is scattered over its upper half, so that a thousand clients of a server that restarts do not come back
   * in one instant.
   */
  nextDelay(): number | undefined {
    const { attempts, first = 0.1, factor = 2, longest = 5 } = this.#backoff;
    if (this.#used >= attempts) return undefined;
    const delay = Math.min(first * factor ** this.#used, longest);
    this.#used += 1;
    return delay * (0.5 + 0.5 * Math.random()) * 1000;
  }

  /** Begin anew, with another backoff where one is given. */
  renew(backoff: Backoff = this.#backoff): void {
    this.#backoff = backoff;
    this.#used = 0;
  }
}

/** Wait for so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
