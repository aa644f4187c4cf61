// The dialog that makes worlds: from a demo, from a map, or empty; a file that is dropped on the page opens it.
import type { World } from "@orca-crowd/client";
import type { Access } from "../access/access.ts";
import type { Session } from "../world/session.ts";
import { wordsOf } from "./messages.ts";
import { element, say } from "./page.ts";

const EMPTY = "Drop a MovingAI map or GeoJSON file here, or choose one. Without a file the world is empty.";
const OTHER = "This is neither a MovingAI map (its first line is “type octile”) nor GeoJSON.";

export interface NewWorldEvents {
  /** A world was made, or a map was added to the open one. */
  made(id: string): Promise<void>;
  warned(messages: readonly string[]): void;
  /** Whether the key allows it; says so where it does not. */
  may(): boolean;
}

export class NewWorldDialog {
  private readonly dialog = element<HTMLDialogElement>("new-dialog");
  private readonly input = element<HTMLInputElement>("new-file");
  private readonly into = element<HTMLInputElement>("new-into");
  private file: { readonly name: string; readonly text: string } | null = null;

  constructor(private readonly access: Access, private readonly session: Session, private readonly events: NewWorldEvents) {
    element("new-cancel").addEventListener("click", () => this.dialog.close());
    element("new-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.create();
    });
    this.input.addEventListener("change", () => void this.choose(this.input.files?.[0]));
    this.dropOn(document.body);
  }

  /** Open where the key allows it. */
  open(): boolean {
    if (!this.events.may()) return false;
    // who may not make worlds may still add a map to the one that is open
    const makes = this.access.allows("admin");
    this.into.disabled = !makes || this.session.id === null;
    if (this.into.disabled) this.into.checked = !makes;
    this.problem("");
    if (!this.dialog.open) this.dialog.showModal();
    return true;
  }

  close(): void {
    this.dialog.close();
  }

  // ---- files

  private dropOn(target: HTMLElement): void {
    let depth = 0;
    const hint = element("drop");
    const carriesFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    target.addEventListener("dragenter", (event) => {
      if (!carriesFile(event)) return;
      depth += 1;
      hint.hidden = false;
    });
    target.addEventListener("dragleave", () => {
      depth = Math.max(0, depth - 1);
      hint.hidden = depth === 0;
    });
    target.addEventListener("dragover", (event) => event.preventDefault());
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      depth = 0;
      hint.hidden = true;
      const file = event.dataTransfer?.files[0];
      if (file !== undefined && this.open()) void this.choose(file);
    });
  }

  private async choose(file: File | undefined): Promise<void> {
    this.problem("");
    this.file = null;
    if (file !== undefined) {
      const text = await file.text();
      if (/^\s*(\{|type\b)/.test(text)) this.file = { name: file.name, text };
      else this.problem(OTHER);
    }
    say(element("new-file-name"), this.file === null ? EMPTY : `${this.file.name}, ${Math.ceil(this.file.text.length / 1024)} KiB`);
    element("new-map-fields").hidden = this.file === null;
    element("new-cell-field").hidden = !this.isGrid;
    const name = element<HTMLInputElement>("new-name");
    if (this.file !== null && name.value === "") name.value = this.file.name.replace(/\.[^.]*$/, "");
  }

  /** Whether the file is a grid map, which alone has cells. */
  private get isGrid(): boolean {
    return this.file !== null && !this.file.text.trimStart().startsWith("{");
  }

  // ---- making

  private async create(): Promise<void> {
    const button = element<HTMLButtonElement>("new-create");
    button.disabled = true;
    this.problem("");
    try {
      const into = this.into.checked && this.file !== null;
      const world = into ? this.session.open : await this.empty();
      if (this.file !== null) await this.addMap(world, !into);
      await this.events.made(world.id);
      this.reset();
      this.dialog.close();
    } catch (error) {
      const { title, details } = wordsOf(error);
      this.problem([title, ...details].join(". "));
    } finally {
      button.disabled = false;
    }
  }

  private empty(): Promise<World> {
    const name = element<HTMLInputElement>("new-name").value.trim();
    const time_step = Number(element<HTMLInputElement>("new-time-step").value);
    return this.access.client.createWorld({ time_step, ...(name ? { name } : {}) });
  }

  private async addMap(world: World, fresh: boolean): Promise<void> {
    const chosen = document.querySelector<HTMLInputElement>('input[name="as"]:checked')!.value;
    const cell_size = Number(element<HTMLInputElement>("new-cell").value);
    try {
      const as = chosen === "walkable" ? "walkable" : "obstacles";
      const { warnings } = await world.addMap(this.file!.text, { as, ...(this.isGrid ? { cell_size } : {}) });
      this.events.warned(warnings.map((warning) => warning.message));
    } catch (error) {
      // a map that is refused leaves no empty world behind
      if (fresh) await world.delete();
      throw error;
    }
  }

  private reset(): void {
    this.file = null;
    this.input.value = "";
    element<HTMLInputElement>("new-name").value = "";
    element("new-map-fields").hidden = true;
    say(element("new-file-name"), EMPTY);
  }

  private problem(words: string): void {
    const place = element("new-problem");
    say(place, words);
    place.hidden = words === "";
  }
}
