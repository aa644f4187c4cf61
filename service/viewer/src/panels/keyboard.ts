// Keys, in one table: what is listed in the help is what works.
import { make } from "./page.ts";

export interface Shortcut {
  /** As `KeyboardEvent.key`; several do the same. */
  readonly keys: readonly string[];
  /** How the keys are written in the help; nothing where another entry says it. */
  readonly label: string;
  readonly meaning: string;
  readonly run: () => void;
}

/** Whether keys belong to what has the focus: fields take all, buttons and boxes take those that press them. */
export function belongsToFocus(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("input[type=range]")) return key.startsWith("Arrow") || key === "Home" || key === "End";
  if (target.closest("input[type=radio]")) return key.startsWith("Arrow") || key === " ";
  if (target.closest("input[type=checkbox], button, a")) return key === " " || key === "Enter";
  return target.closest("input, select, textarea") !== null;
}

/** Listen to keys while no dialog is open. */
export function listen(shortcuts: readonly Shortcut[]): void {
  const byKey = new Map(shortcuts.flatMap((shortcut) => shortcut.keys.map((key) => [key, shortcut] as const)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (belongsToFocus(event.target, event.key)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const shortcut = byKey.get(key);
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.run();
  });
}

/** The list for the help. */
export function list(host: HTMLElement, shortcuts: readonly Shortcut[]): void {
  host.replaceChildren(
    ...shortcuts.filter((shortcut) => shortcut.label).map(({ label, meaning }) =>
      make("div", "", make("dt", "", ...label.split(" ").map((key) => make("kbd", "", key))), make("dd", "", meaning)),
    ),
  );
}
