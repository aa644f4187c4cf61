// The list of worlds, and the demos in one click.
import type { Client, WorldDescription } from "@orca-crowd/client";
import { ApiError, ConnectionFailed } from "@orca-crowd/client";
import type { Access } from "../access/access.ts";
import type { Box } from "../drawing/camera.ts";
import type { Gate } from "../world/tally.ts";
import { counted, element, make } from "./page.ts";
import { summary, type Figures } from "./scene.ts";

export interface Demo {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What it comes to; null where it goes on for ever. */
  readonly figures: Figures | null;
}

export interface Started {
  readonly world: WorldDescription;
  readonly view: Box;
  readonly attribution: string | null;
  readonly gate: Gate | null;
  readonly arrival: number;
}

/** Scenes that the server has. */
export function demos(client: Client): Promise<readonly Demo[]> {
  return client.call({
    method: "GET", path: "/v1/demos", repeatable: true,
    read: (body) => (body as { readonly demos: readonly Demo[] }).demos,
  });
}

/** Make the world of a scene, and let it run. */
export function startDemo(client: Client, name: string): Promise<Started> {
  return client.call({ method: "POST", path: `/v1/demos/${encodeURIComponent(name)}`, read: (body) => body as Started });
}

/** A card a demo, into every place for them. */
export function showDemos(hosts: readonly HTMLElement[], list: readonly Demo[], start: (name: string) => void): void {
  for (const host of hosts) {
    host.replaceChildren(
      ...list.map((demo) => {
        const words = [make("b", "", demo.title), make("span", "", demo.description)];
        if (demo.figures !== null) words.push(make("span", "card-figures", summary(demo.figures)));
        const button = make("button", "", ...words);
        button.type = "button";
        button.dataset["demo"] = demo.name;
        button.addEventListener("click", () => start(demo.name));
        return button;
      }),
    );
  }
}

const POLL_SECONDS = 3;

export interface WorldListEvents {
  choose(id: string): void;
  /** What the server says of every world, now and then. */
  listed(worlds: readonly WorldDescription[]): void;
  refused(error: unknown): void;
}

export class WorldList {
  private readonly select = element<HTMLSelectElement>("worlds");
  private shownKey = "";

  constructor(private readonly access: Access, private readonly events: WorldListEvents) {
    this.select.addEventListener("change", () => {
      if (this.select.value) events.choose(this.select.value);
      this.select.blur();
    });
  }

  /** Ask again and again. */
  async watch(current: () => string | null): Promise<never> {
    for (;;) {
      await this.update(current());
      await new Promise((resolve) => setTimeout(resolve, POLL_SECONDS * 1000));
    }
  }

  /** Show none. */
  clear(): void {
    this.show([], null);
  }

  /** Ask once. What fails for want of a connection is told by the stream, not here. */
  async update(current: string | null): Promise<void> {
    // without a key every answer would be the same
    if (this.access.locked) return;
    const { client } = this.access;
    try {
      const worlds = (await client.worlds()).map((world) => world.description!);
      if (client !== this.access.client) return;
      this.show(worlds, current);
      this.events.listed(worlds);
    } catch (error) {
      const quiet = error instanceof ConnectionFailed || (error instanceof ApiError && error.status === 503);
      if (!quiet) this.events.refused(error);
    }
  }

  private show(worlds: readonly WorldDescription[], current: string | null): void {
    const options = worlds.map((world) => ({ id: world.id, text: `${world.name ?? world.id} · ${counted(world.agents)} agents` }));
    const key = JSON.stringify([options, current]);
    // an open list that is made anew would close under the hand
    if (key === this.shownKey || isOpen(this.select)) return;
    this.shownKey = key;
    const first = new Option(worlds.length > 0 ? "choose…" : "none yet", "");
    this.select.replaceChildren(first, ...options.map(({ id, text }) => new Option(text, id, false, id === current)));
    if (current === null) first.selected = true;
  }
}

function isOpen(select: HTMLSelectElement): boolean {
  // browsers that do not know the word say so by throwing
  try {
    return select.matches(":open");
  } catch {
    return false;
  }
}
