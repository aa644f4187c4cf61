// Listeners by the name of what they listen to.

/** May give a promise, which is waited for before the next item is taken. */
export type Listener<Value> = (value: Value) => void | Promise<void>;

/** Functions that are called when something comes; what one of them throws is reported as if nobody had called it. */
export class Listeners<Events> {
  #byName = new Map<keyof Events, Set<Listener<never>>>();

  /** Call `listener` for everything of that name; the function that is given back ends it. */
  add<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, listeners);
    listeners.add(listener as Listener<never>);
    return () => void listeners.delete(listener as Listener<never>);
  }

  /** Whether anybody listens to one of the names. */
  has(...names: (keyof Events)[]): boolean {
    return names.some((name) => (this.#byName.get(name)?.size ?? 0) > 0);
  }

  /** Call whoever listens; the promise is there once all of them are done. */
  async tell<Name extends keyof Events>(name: Name, value: Events[Name]): Promise<void> {
    const waiting: (void | Promise<void>)[] = [];
    for (const listener of [...(this.#byName.get(name) ?? [])]) {
      try {
        waiting.push((listener as Listener<Events[Name]>)(value));
      } catch (error) {
        report(error);
      }
    }
    for (const result of await Promise.allSettled(waiting)) if (result.status === "rejected") report(result.reason);
  }
}

/** Let an error that nobody takes be seen: on a page's console, or as an uncaught exception in Node. */
export function report(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
