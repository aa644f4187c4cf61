// Where a key is kept: for as long as the tab is open, or on the device where that is wanted. Never in the address.

/** Scopes of keys, each with everything of the one before. */
export const SCOPES = ["read", "control", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether a scope is enough for what asks for another. */
export function covers(held: Scope, wanted: Scope): boolean {
  return SCOPES.indexOf(held) >= SCOPES.indexOf(wanted);
}

const NAME = "orca-crowd.key";
const FORM = /^orca_[0-9a-z]{8}_[0-9A-Za-z_-]{43}$/;

/** The key in what somebody pasted; null where it has not the form of one, which would only cost a try. */
export function readKey(text: string): string | null {
  const key = text.trim().replace(/^Bearer\s+/i, "");
  return FORM.test(key) ? key : null;
}

/** The part of a key that is no secret: the name that `orca-crowd keys list` shows. */
export function nameOf(key: string): string {
  return key.split("_")[1] ?? "";
}

/** What `sessionStorage` and `localStorage` both are. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class Keeper {
  /** What is asked for is found even where the browser keeps nothing: as long as the page is open. */
  private held: string | null = null;

  /** `tab` ends with the tab, `device` stays. */
  constructor(private readonly tab: () => Shelf, private readonly device: () => Shelf) {
    this.held = this.find(this.tab) ?? this.find(this.device);
  }

  get key(): string | null {
    return this.held;
  }

  /** Whether the key is still there when the tab is closed. */
  get remembered(): boolean {
    return this.held !== null && this.find(this.device) === this.held;
  }

  keep(key: string, remember: boolean): void {
    this.forget();
    this.held = key;
    this.quietly(() => (remember ? this.device : this.tab)().setItem(NAME, key));
  }

  forget(): void {
    this.held = null;
    for (const shelf of [this.tab, this.device]) this.quietly(() => shelf().removeItem(NAME));
  }

  private find(shelf: () => Shelf): string | null {
    const found = this.quietly(() => shelf().getItem(NAME)) ?? "";
    return readKey(found);
  }

  /** A browser that may keep nothing throws, even when it is only asked for the shelf. */
  private quietly<Result>(action: () => Result): Result | undefined {
    try {
      return action();
    } catch {
      return undefined;
    }
  }
}
