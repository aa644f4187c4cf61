// What went wrong, or what is worth knowing, over the picture for a while: the detail of the server's problem document.
import { ApiError, Forbidden, Unauthorized } from "@orca-crowd/client";
import { make } from "./page.ts";

const SHOWN_SECONDS = { problem: 12, note: 6 };
/** More at once would cover the crowd. */
const MOST = 4;

/** The words of a failure: title and detail, and each item with its field. */
export function wordsOf(error: unknown): { readonly title: string; readonly details: readonly string[] } {
  if (error instanceof ApiError) {
    const faults = error.errors.slice(0, 5).map(({ item, field, message }) => {
      const where = [item === null ? null : `item ${item}`, field].filter((part) => part !== null).join(", ");
      return where ? `${where}: ${message}` : message;
    });
    const more = error.errors.length - faults.length;
    return { title: error.title, details: [error.detail, ...faults, ...(more > 0 ? [`and ${more} more`] : [])] };
  }
  return { title: "That did not work", details: [error instanceof Error ? error.message : String(error)] };
}

export class Messages {
  /** `anotherKey` asks for one, where that may help. */
  constructor(private readonly host: HTMLElement, private readonly anotherKey: () => void) {}

  /** Tell of a failure. */
  problem(error: unknown): void {
    // the dialog for keys is open and says it
    if (error instanceof Unauthorized) return;
    const { title, details } = wordsOf(error);
    this.show("problem", title, details, error instanceof Forbidden ? [this.keyButton()] : []);
  }

  note(title: string, ...details: string[]): void {
    this.show("note", title, details);
  }

  /** Do something; whatever it throws is told. */
  guard(action: () => Promise<void> | void): void {
    void (async () => {
      try {
        await action();
      } catch (error) {
        this.problem(error);
      }
    })();
  }

  private keyButton(): HTMLElement {
    const button = make("button", "", "Use another key…");
    button.type = "button";
    button.addEventListener("click", () => this.anotherKey());
    return button;
  }

  private show(kind: keyof typeof SHOWN_SECONDS, title: string, details: readonly string[], more: readonly Node[] = []): void {
    const close = make("button", "bare", "×");
    close.type = "button";
    close.setAttribute("aria-label", "Dismiss");
    const text = make("div", "", make("strong", "", title), ...details.map((detail) => make("p", "", detail)), ...more);
    const message = make("div", `message ${kind}`, text, close);
    close.addEventListener("click", () => message.remove());
    // the same again takes the place of the first
    for (const other of [...this.host.children]) if (other.textContent === message.textContent) other.remove();
    while (this.host.children.length >= MOST) this.host.firstElementChild!.remove();
    this.host.append(message);
    setTimeout(() => message.remove(), SHOWN_SECONDS[kind] * 1000);
  }
}
