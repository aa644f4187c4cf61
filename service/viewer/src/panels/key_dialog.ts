// The dialog that asks for a key, says why one is refused, and forgets it again; and its button in the bar.
import type { Access } from "../access/access.ts";
import { nameOf, type Scope } from "../access/keeper.ts";
import { element, make, say } from "./page.ts";

const WORDS: Readonly<Record<Scope, string>> = { read: "read only", control: "control", admin: "admin" };
const MEANING: Readonly<Record<Scope, string>> = {
  read: "it shows worlds and changes nothing",
  control: "it changes and steps the worlds there are",
  admin: "it makes, changes and deletes worlds",
};
const COMMAND = "orca-crowd keys create";
const OVER = "The key in use is not valid any more, it expired or was revoked. It has been forgotten.";

export interface KeyDialogEvents {
  /** The server takes the key. */
  entered(): void;
  forgotten(): void;
}

export class KeyDialog {
  private readonly dialog = element<HTMLDialogElement>("key-dialog");
  private readonly input = element<HTMLInputElement>("key-text");
  private readonly eye = element<HTMLButtonElement>("key-show");
  private readonly remember = element<HTMLInputElement>("key-remember");
  private readonly submit = element<HTMLButtonElement>("key-enter");
  private waiting = 0;
  private asking = false;

  constructor(private readonly access: Access, private readonly events: KeyDialogEvents) {
    element("key").addEventListener("click", () => this.open());
    element("key-cancel").addEventListener("click", () => this.dialog.close());
    element("key-forget").addEventListener("click", () => this.forget());
    this.eye.addEventListener("click", () => this.reveal(this.input.type === "password"));
    this.input.addEventListener("input", () => this.problem(""));
    // a key is not left lying in a field
    this.dialog.addEventListener("close", () => this.clear());
    element("key-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.enter();
    });
  }

  /** Whether there is anything to say about keys. */
  get concerned(): boolean {
    return this.access.locked || this.access.keeper.key !== null;
  }

  /** The server wants a key; with `refused` the one before is worth nothing any more. */
  ask(refused: boolean): void {
    this.open();
    if (refused) this.problem(OVER);
  }

  open(): void {
    this.show();
    if (!this.dialog.open) {
      this.problem("");
      this.remember.checked = this.access.keeper.remembered;
      this.dialog.showModal();
    }
    this.input.focus();
  }

  /** Another key is in use, or the server has told what it allows. */
  show(): void {
    const { locked, scope, keeper } = this.access;
    const used = keeper.key;
    const button = element("key");
    button.hidden = !this.concerned;
    button.dataset["state"] = locked ? "wanted" : (scope ?? "");
    const state = locked ? "key wanted" : scope === null ? "key" : WORDS[scope];
    say(element("key-state"), state);
    button.setAttribute("aria-label", locked ? "This server wants a key" : `Key of this server: ${state}`);
    say(element("key-title"), used === null ? "This server wants a key" : "Key of this server");
    const kept = keeper.remembered ? "remembered on this device" : "kept until this tab is closed";
    const means = scope === null ? "" : ` has scope ${scope}: ${MEANING[scope]}. It`;
    const words = used === null ? ["Whoever runs the server makes one with ", make("code", "", COMMAND), "."] : [`Key ${nameOf(used)}${means} is ${kept}.`];
    element("key-words").replaceChildren(...words);
    say(element("key-label"), used === null ? "Key" : "Another key");
    say(element("key-cancel"), used === null ? "Not now" : "Close");
    element("key-forget").hidden = used === null;
    element("key-open-wire").hidden = window.isSecureContext;
  }

  private async enter(): Promise<void> {
    if (this.asking) return;
    if (this.input.value.trim() === "") return this.problem("Paste the key into the field.");
    this.asking = true;
    this.submit.disabled = true;
    const refusal = await this.access.enter(this.input.value, this.remember.checked);
    this.asking = false;
    this.submit.disabled = false;
    if (refusal === null) {
      this.dialog.close();
      this.events.entered();
      return;
    }
    this.problem(refusal.words, refusal.wait);
    this.input.select();
  }

  private forget(): void {
    this.dialog.close();
    this.access.forget();
    this.events.forgotten();
  }

  private reveal(on: boolean): void {
    this.input.type = on ? "text" : "password";
    this.eye.setAttribute("aria-pressed", String(on));
    this.eye.querySelector("use")!.setAttribute("href", on ? "#icon-eye-off" : "#icon-eye");
    const words = on ? "Hide the key" : "Show the key";
    this.eye.setAttribute("aria-label", words);
    this.eye.title = words;
  }

  private clear(): void {
    this.input.value = "";
    this.reveal(false);
  }

  /** What is wrong; with seconds to wait nothing can be sent before they are over. */
  private problem(words: string, wait = 0): void {
    window.clearTimeout(this.waiting);
    const place = element("key-problem");
    say(place, wait > 0 ? `${words} Another try is possible in ${wait} s.` : words);
    place.hidden = words === "";
    this.input.setAttribute("aria-invalid", String(words !== ""));
    this.submit.disabled = wait > 0;
    if (wait > 0) this.waiting = window.setTimeout(() => this.problem(wait > 1 ? words : "", wait - 1), 1000);
  }
}
