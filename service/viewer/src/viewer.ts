// The page as a whole: the session, the picture and the panels, each of which knows little of the others.
import { Access } from "./access/access.ts";
import { Keeper, type Scope } from "./access/keeper.ts";
import { Camera, type Box } from "./drawing/camera.ts";
import { Gestures } from "./drawing/gestures.ts";
import { Loop } from "./drawing/loop.ts";
import { Strokes, gridLines, waitingLines } from "./drawing/marks.ts";
import { Motion } from "./drawing/motion.ts";
import { Painter } from "./drawing/painter.ts";
import { Stage } from "./drawing/stage.ts";
import { ThemeSwitch, readTheme, type Theme } from "./drawing/theme.ts";
import { Charts } from "./panels/charts.ts";
import { KeyDialog } from "./panels/key_dialog.ts";
import { Legend } from "./panels/legend.ts";
import { Looks } from "./panels/looks.ts";
import { Messages } from "./panels/messages.ts";
import { Meter } from "./panels/meter.ts";
import { NewWorldDialog } from "./panels/new_world.ts";
import { element, say } from "./panels/page.ts";
import { permit } from "./panels/permits.ts";
import { ScenePanel } from "./panels/scene.ts";
import { Selection } from "./panels/selection.ts";
import { Toolbar } from "./panels/toolbar.ts";
import { Transport } from "./panels/transport.ts";
import { WorldList, demos, showDemos, startDemo, type Demo } from "./panels/worlds.ts";
import { Toolbox } from "./tools/toolbox.ts";
import { nearest, type CrowdFrame } from "./world/frame.ts";
import { extent } from "./world/geometry.ts";
import { Session } from "./world/session.ts";

/** What lies over the picture: tools on the left, the scale below. */
const INSETS = { left: 66, right: 18, top: 18, bottom: 40 };
/** How near a press must be to an agent, in pixels. */
const REACH = 14;
/** Figures and legend are written at most so often, in milliseconds. */
const WORDS_EVERY = 120;

export class Viewer {
  readonly access: Access = new Access(location.origin, new Keeper(() => sessionStorage, () => localStorage), {
    wanted: (refused) => this.keyDialog.ask(refused),
    changed: () => this.permitted(),
  });
  readonly keyDialog: KeyDialog = new KeyDialog(this.access, {
    entered: () => this.guard(() => this.open()),
    forgotten: () => this.forgotten(),
  });
  readonly messages = new Messages(element("messages"), () => this.keyDialog.open());
  readonly camera = new Camera();
  readonly canvas = element<HTMLCanvasElement>("view");
  readonly stage = new Stage(this.canvas);
  readonly motion = new Motion();
  readonly painter = new Painter();
  readonly guard = (action: () => Promise<void> | void): void => this.messages.guard(action);
  readonly session: Session = new Session(this.access, {
    frame: (frame) => this.arrived(frame),
    event: (event) => this.meter.event(event),
    connection: (state, words) => {
      element("connection").dataset["state"] = state;
      say(element("connection"), words);
    },
    described: () => this.described(),
    scenery: () => {
      this.stage.scenery(this.session.scenery);
      this.request();
    },
    refused: (error) => this.messages.problem(error),
  });
  readonly loop = new Loop((now) => this.draw(now), () => this.session.takeCost());
  readonly looks = new Looks(() => this.request());
  readonly toolbox: Toolbox = new Toolbox(this.session, () => 1 / this.camera.scale, {
    changed: () => this.toolChanged(),
    chosen: (x, y) => this.selection.choose(nearest(this.session.playhead.shown, x, y, REACH / this.camera.scale)),
    guard: this.guard,
  });
  readonly toolbar = new Toolbar(this.toolbox, this.access);
  readonly selection: Selection = new Selection(this.session, this.access, { changed: () => this.request(), guard: this.guard });
  readonly transport = new Transport(this.session, this.access, { guard: this.guard, sought: () => this.sought() });
  readonly meter: Meter = new Meter(this.session, this.access, () => this.measured());
  readonly charts = new Charts(element("charts"), this.meter.samples);
  readonly legend = new Legend(element("legend"));
  readonly scene = new ScenePanel();
  readonly worlds = new WorldList(this.access, {
    choose: (id) => this.guard(() => this.enter(id)),
    listed: (list) => list.forEach((description) => this.session.told(description)),
    refused: (error) => this.messages.problem(error),
  });
  readonly dialog = new NewWorldDialog(this.access, this.session, {
    may: () => this.may(this.session.id === null ? "admin" : "control"),
    made: async (id) => {
      if (id !== this.session.id) return this.enter(id);
      await this.session.changed("scenery");
      this.fit();
    },
    warned: (messages) => {
      if (messages.length > 0) this.messages.note("The map was added, and the server warns", ...messages);
    },
  });
  readonly theme = new ThemeSwitch(() => this.repaint());
  private demos: readonly Demo[] = [];
  private colours: Theme = readTheme();
  private view: Box | null = null;
  private fitWhenKnown = false;
  private wordsAt = -Infinity;

  constructor() {
    new Gestures(this.canvas, this.camera, {
      tap: (x, y) => this.toolbox.press(x, y),
      takesDrag: () => this.toolbox.drags,
      dragged: (fromX, fromY, x, y, done) => this.toolbox.drag([fromX, fromY], [x, y], done),
      hover: (x, y) => this.toolbox.aim(x, y),
      moved: () => {
        this.selection.follow(false);
        this.request();
      },
    });
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    this.described();
  }

  /** Show what there is, and go on looking what there is. */
  async start(): Promise<void> {
    try {
      await this.open();
    } finally {
      void this.worlds.watch(() => this.session.id);
    }
  }

  /** What the address asks for, else what invites to begin; anew with every key. */
  async open(): Promise<void> {
    await this.access.learn();
    this.demos = await demos(this.access.client);
    showDemos([element("welcome-demos"), element("new-demos")], this.demos, (name) => this.startDemo(name));
    this.permitted();
    const asked = new URL(location.href).searchParams.get("world");
    if (asked !== null) this.guard(() => this.enter(asked));
    else await this.worlds.update(null);
  }

  /** Whether the key allows it; where it does not, that is said. */
  may(scope: Scope): boolean {
    const allowed = this.access.allows(scope);
    if (!allowed) this.messages.note("Not with this key", this.access.hint(scope));
    return allowed;
  }

  /** The key is gone, and what it showed goes with it. */
  private forgotten(): void {
    this.session.leave();
    this.selection.choose(null);
    this.scene.show();
    this.toolbox.forget();
    this.painter.restart();
    this.meter.restart();
    this.stage.scenery(this.session.scenery);
    this.worlds.clear();
    say(element("attribution"), "");
    document.title = "orca-crowd";
    this.described();
    this.guard(() => this.open());
  }

  startDemo(name: string): void {
    this.guard(async () => {
      const { world, view, attribution, gate, arrival } = await startDemo(this.access.client, name);
      this.dialog.close();
      await this.enter(world.id, view);
      this.scene.show(this.demos.find((demo) => demo.name === name) ?? null, { gate, arrival });
      if (this.scene.turning) this.looks.showTrails();
      say(element("attribution"), attribution ?? "");
    });
  }

  /** Open a world and show all of it. */
  async enter(id: string, view: Box | null = null): Promise<void> {
    await this.session.enter(id);
    this.view = view;
    this.scene.show();
    this.fitWhenKnown = true;
    say(element("attribution"), "");
    this.selection.choose(null);
    this.toolbox.forget();
    this.painter.restart();
    this.meter.restart();
    const address = new URL(location.href);
    address.searchParams.set("world", id);
    history.replaceState(null, "", address);
    document.title = `${this.session.description?.name ?? id} – orca-crowd`;
    this.fit();
    await this.worlds.update(id);
  }

  fit(): void {
    this.selection.follow(false);
    this.camera.fit(this.view ?? extent(this.session.scenery, this.session.newest.position), INSETS);
    this.request();
  }

  zoom(factor: number): void {
    this.camera.zoom(factor, this.camera.width / 2, this.camera.height / 2);
    this.request();
  }

  pan(dx: number, dy: number): void {
    this.selection.follow(false);
    this.camera.pan(dx, dy);
    this.request();
  }

  request(): void {
    this.loop.request();
  }

  // ---- what comes

  private arrived(frame: CrowdFrame): void {
    const before = this.session.ring.at(this.session.ring.length - 2);
    const next = before !== undefined && frame.step > before.step && frame.step - before.step < 20;
    this.motion.arrival(performance.now(), next ? frame.time - before.time : 0);
    if (this.fitWhenKnown) {
      this.fitWhenKnown = false;
      this.fit();
    }
    this.selection.update();
    this.scene.see(frame);
    this.request();
  }

  private described(): void {
    this.transport.showClock();
    if (!this.session.alive && this.toolbox.name !== "select") this.toolbox.take("select");
    this.toolbar.show(this.session.alive);
    // a map may also be added to the world that is open
    permit(element<HTMLButtonElement>("new"), this.access, this.session.id === null ? "admin" : "control");
    permit(element<HTMLButtonElement>("welcome-new"), this.access, "admin");
    const makes = this.access.allows("admin");
    for (const id of ["welcome-words", "welcome-demos", "welcome-new"]) element(id).hidden = !makes;
    say(element("welcome-title"), makes ? "Start with a demo" : "Choose a world above");
    element("welcome-hint").hidden = makes;
    if (!makes) say(element("welcome-hint"), this.access.hint("admin", "Making one"));
    element("welcome").hidden = this.session.id !== null;
    element("tools").hidden = this.session.id === null;
    this.request();
  }

  /** Another key is in use, or the server has told what it allows. */
  private permitted(): void {
    this.keyDialog.show();
    if (!this.access.allows("control") && this.toolbox.name !== "select") this.toolbox.take("select");
    this.selection.permit();
    for (const card of document.querySelectorAll<HTMLButtonElement>("[data-demo]")) permit(card, this.access, "admin");
    this.described();
  }

  private toolChanged(): void {
    this.toolbar.show(this.session.alive);
    this.request();
  }

  private sought(): void {
    this.motion.stop();
    this.wordsAt = -Infinity;
    this.request();
  }

  private measured(): void {
    this.charts.update();
    say(element("measured-step"), this.session.id === null ? "" : `step ${this.session.newest.step}`);
  }

  private repaint(): void {
    this.colours = readTheme();
    this.stage.repaint();
    this.charts.repaint();
    this.request();
  }

  private resize(): void {
    this.stage.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.camera.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.request();
  }

  // ---- the picture

  private draw(now: number): boolean {
    const { playhead } = this.session;
    const frame = playhead.shown;
    const lag = playhead.live && this.looks.smooth ? this.motion.lag(performance.now()) : 0;
    const place = this.selection.following ? this.selection.place(frame, lag) : null;
    if (place !== null) this.camera.centre(...place);
    const { due } = this.painter.heatOf(frame, this.looks.heat, this.camera, now);
    const pixel = 1 / this.camera.scale;
    this.stage.draw(
      this.camera,
      {
        frame,
        colours: this.painter.coloursOf(frame, this.looks.colour, this.colours),
        lag,
        trails: this.looks.trails ? this.painter.trailsOf(playhead, this.session.description?.time_step ?? 0.1) : [],
        heat: this.painter.heat,
        heatTop: this.painter.heatTop,
        waiting: this.looks.colour === "turns" ? waitingLines(frame) : new Strokes(),
        chosen: this.selection.strokes(frame, lag, pixel),
        sketch: this.toolbox.strokes(),
      },
      this.colours,
    );
    const late = now - this.wordsAt < WORDS_EVERY;
    if (!late) this.words(now, frame);
    return lag > 0 || due || late;
  }

  private words(now: number, frame: CrowdFrame): void {
    this.wordsAt = now;
    this.transport.showFrame();
    this.scene.update();
    const groups = this.looks.colour === "group" ? this.painter.groups.of(frame) : null;
    this.legend.show(frame, this.looks.colour, groups, this.painter.heat, this.painter.heatTop, this.colours);
    const { distance } = gridLines(this.camera.view(), this.camera.scale);
    element("scale-bar").style.width = `${distance * this.camera.scale}px`;
    say(element("scale-text"), distance >= 1000 ? `${distance / 1000} km` : `${Number(distance.toPrecision(3))} m`);
    this.canvas.dataset["step"] = String(frame.step);
  }
}
