// The buttons of the tools, and the line that says what to do with the one in hand.
import type { Access } from "../access/access.ts";
import { TOOLS, type Toolbox, type ToolName } from "../tools/toolbox.ts";
import { element, say } from "./page.ts";
import { permit } from "./permits.ts";

const MOST_PLACED = 500;

export class Toolbar {
  private readonly buttons = [...element("tools").querySelectorAll<HTMLButtonElement>("[data-tool]")];
  private readonly count = element<HTMLInputElement>("place-count");
  private readonly stage = document.querySelector<HTMLElement>(".stage")!;

  constructor(private readonly toolbox: Toolbox, private readonly access: Access) {
    for (const button of this.buttons) {
      button.addEventListener("click", () => toolbox.take(button.dataset["tool"] as ToolName));
    }
    element("hint-done").addEventListener("click", () => toolbox.finish());
    element("hint-undo").addEventListener("click", () => toolbox.undo());
    this.count.addEventListener("input", () => {
      const count = Math.round(Number(this.count.value));
      if (count >= 1) toolbox.count = Math.min(count, MOST_PLACED);
    });
  }

  /** Show the tool in hand; without a world that takes orders there is only looking. */
  show(alive: boolean): void {
    const { toolbox } = this;
    this.stage.dataset["tool"] = toolbox.name;
    for (const button of this.buttons) {
      const name = button.dataset["tool"] as ToolName;
      button.setAttribute("aria-pressed", String(name === toolbox.name));
      // looking is for everybody
      if (name !== TOOLS[0]) permit(button, this.access, "control", alive);
    }
    element("hint").hidden = toolbox.name === "select";
    element("hint-count").hidden = toolbox.name !== "agents";
    element("hint-done").hidden = toolbox.name === "agents";
    element<HTMLButtonElement>("hint-done").disabled = !toolbox.canFinish;
    element<HTMLButtonElement>("hint-undo").disabled = !toolbox.canUndo;
    say(element("hint-text"), toolbox.words);
  }
}
