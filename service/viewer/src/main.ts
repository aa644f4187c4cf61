// Starts the page, and gives its buttons and keys something to do.
import "./panels/language.ts";
import "./style/tokens.css";
import "./style/layout.css";
import "./style/parts.css";
import "./style/explain.css";
import "./style/key.css";
import "./style/scene.css";
import { list, listen, type Shortcut } from "./panels/keyboard.ts";
import { element, make } from "./panels/page.ts";
import type { ToolName } from "./tools/toolbox.ts";
import { Viewer } from "./viewer.ts";

/** For tests and for whoever measures: what a frame takes, and what is shown. */
declare global {
  interface Window {
    orcaCrowd?: {
      /** Milliseconds of the main thread for each of the last frames. */
      readonly frameTimes: readonly number[];
      readonly framesDrawn: () => number;
      readonly step: () => number;
      readonly agents: () => number;
      /** Where a point of the world is on the canvas, in pixels of the page. */
      readonly toScreen: (x: number, y: number) => readonly [number, number];
      readonly position: (id: number) => readonly [number, number] | null;
      readonly keptBytes: () => number;
    };
  }
}

const PAN = 60;

function shortcuts(viewer: Viewer): Shortcut[] {
  const { toolbox, transport, looks, selection } = viewer;
  const key = (keys: string[], label: string, meaning: string, run: () => void): Shortcut => ({ keys, label, meaning, run });
  const take = (name: ToolName): boolean | void => viewer.session.id !== null && viewer.may("control") && toolbox.take(name);
  return [
    key([" "], "Space", "play or pause", () => viewer.may("control") && transport.togglePlay()),
    key(["."], ".", "single step", () => (!viewer.session.playhead.live || viewer.may("control")) && transport.step()),
    key([","], ",", "one kept step back", () => transport.stepBack()),
    key(["l"], "L", "back to live", () => transport.goLive()),
    key(["<"], "< >", "slower, faster", () => transport.shiftSpeed(-1)),
    key([">"], "", "faster", () => transport.shiftSpeed(1)),
    key(["0"], "0", "show everything", () => viewer.fit()),
    key(["+", "="], "+ −", "zoom", () => viewer.zoom(1.25)),
    key(["-", "_"], "", "zoom out", () => viewer.zoom(0.8)),
    key(["ArrowLeft"], "← ↑ → ↓", "pan", () => viewer.pan(PAN, 0)),
    key(["ArrowRight"], "", "pan right", () => viewer.pan(-PAN, 0)),
    key(["ArrowUp"], "", "pan up", () => viewer.pan(0, PAN)),
    key(["ArrowDown"], "", "pan down", () => viewer.pan(0, -PAN)),
    key(["c"], "C", "next colours", () => looks.nextColour()),
    key(["h"], "H", "next heat map", () => looks.nextHeat()),
    key(["t"], "T", "trails", () => looks.toggleTrails()),
    key(["f"], "F", "follow the chosen agent", () => selection.follow(!selection.following)),
    key(["v"], "V", "choose agents", () => toolbox.take("select")),
    key(["w"], "W", "draw a wall", () => take("wall")),
    key(["a"], "A", "draw a walkable area", () => take("area")),
    key(["g"], "G", "place agents", () => take("agents")),
    key(["Enter"], "Enter", "finish what is drawn", () => toolbox.finish()),
    key(["Escape"], "Esc", "take a point back, put a tool away", () => (toolbox.name === "select" ? selection.choose(null) : toolbox.escape())),
    key(["u", "Backspace"], "U", "undo what was drawn", () => toolbox.undo()),
    key(["n"], "N", "new world", () => viewer.dialog.open()),
    key(["k"], "K", "key of the server", () => (viewer.keyDialog.concerned ? viewer.keyDialog.open() : viewer.messages.note("This server wants no key"))),
    key(["d"], "D", "light or dark", () => viewer.theme.toggle()),
    key(["?"], "?", "this list", () => element<HTMLDialogElement>("help-dialog").showModal()),
  ];
}

function begin(): void {
  const viewer = new Viewer();
  const keys = shortcuts(viewer);
  listen(keys);
  list(element("keys"), keys);
  const on = (id: string, run: () => void): void => element(id).addEventListener("click", run);
  on("new", () => viewer.dialog.open());
  on("welcome-new", () => viewer.dialog.open());
  on("theme", () => viewer.theme.toggle());
  on("help", () => element<HTMLDialogElement>("help-dialog").showModal());
  on("help-close", () => element<HTMLDialogElement>("help-dialog").close());
  on("fit", () => viewer.fit());
  on("zoom-in", () => viewer.zoom(1.25));
  on("zoom-out", () => viewer.zoom(0.8));
  on("panel", () => {
    const open = element("side").classList.toggle("open");
    element("panel").setAttribute("aria-expanded", String(open));
  });
  window.orcaCrowd = {
    frameTimes: viewer.loop.frameTimes,
    framesDrawn: () => viewer.loop.drawn,
    step: () => viewer.session.playhead.shown.step,
    agents: () => viewer.session.playhead.shown.ids.length,
    toScreen: (x, y) => viewer.camera.toScreen(x, y),
    position: (id) => {
      const frame = viewer.session.playhead.shown;
      const row = frame.ids.indexOf(id);
      return row < 0 ? null : [frame.position[2 * row]!, frame.position[2 * row + 1]!];
    },
    keptBytes: () => viewer.session.ring.bytes,
  };
  viewer.guard(() => viewer.start());
}

try {
  begin();
} catch (error) {
  // without WebGL2 nothing can be drawn, which has to be said on the page itself
  element("messages").append(make("div", "message problem", make("strong", "", error instanceof Error ? error.message : String(error))));
}
