// The page: demos in one click, a list of worlds, and the crowd on a plain canvas.
import { Camera } from "./camera.js";
import { draw } from "./drawing.js";
import { WorldStream } from "./stream.js";

const $ = (id) => document.getElementById(id);
const canvas = $("view");
const camera = new Camera(canvas, () => requestDraw());
const scene = { obstacles: [], walkable: [], position: [], status: [], radius: [], step: null };
let world = null;
let stream = null;
let drawing = false;
let overlaps = 0;

async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const value = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(value.detail || value.title || `${answer.status}`);
  return value;
}

function say(message) {
  $("notice").textContent = message || "";
  $("notice").hidden = !message;
}

// whatever a button starts tells its fault on the page
const guarded = (action) => async (...given) => {
  try {
    say("");
    await action(...given);
  } catch (error) {
    say(error.message);
  }
};

function requestDraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    draw(canvas, camera, scene);
  });
}

function showFigures(message) {
  $("figure-step").textContent = message.step;
  $("figure-time").textContent = `${message.time.toFixed(1)} s`;
  $("figure-agents").textContent = scene.position.length;
  $("figure-overlaps").textContent = overlaps;
  const counts = { moving: 0, arrived: 0, stalled: 0, "no-goal": 0 };
  for (const status of scene.status) counts[status] += 1;
  for (const [name, count] of Object.entries(counts)) $(`count-${name}`).textContent = count;
}

function receive(message) {
  if (message.type === "full" || message.type === "frame") {
    scene.position = message.position;
    scene.radius = message.radius;
    scene.status = message.status;
    scene.step = message.step;
    canvas.dataset.step = message.step;
    showFigures(message);
    requestDraw();
  } else if (message.type === "event" && message.kind === "overlap") {
    overlaps += message.ids.length;
  } else if (message.type === "error") {
    say(message.problem.detail);
  } else if (message.type === "closing") {
    say(`The server closed the stream: ${message.reason}.`);
  }
}

function showClock() {
  const runs = world !== null && world.clock.mode === "realtime";
  $("play").textContent = runs ? "Pause" : "Play";
  $("play").disabled = $("fit").disabled = world === null;
  $("step").disabled = world === null || runs;
}

async function open(id, view) {
  if (stream) stream.close();
  const base = `/v1/worlds/${encodeURIComponent(id)}`;
  world = await call("GET", base);
  overlaps = 0;
  const [obstacles, walkable, agents] = await Promise.all([
    call("GET", `${base}/obstacles`),
    call("GET", `${base}/walkable`),
    call("GET", `${base}/agents?fields=position,radius,status`),
  ]);
  scene.obstacles = obstacles.obstacles;
  scene.walkable = walkable.areas;
  receive({ type: "full", ...agents });
  scene.view = view || extent();
  camera.fit(scene.view);
  $("hint").hidden = true;
  showClock();
  requestDraw();
  stream = new WorldStream(id, ["position", "radius", "status"], receive, say);
  const address = new URL(location);
  address.searchParams.set("world", id);
  history.replaceState(null, "", address);
  await listWorlds();
}

// everything that is drawn, with a margin
function extent() {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const take = ([x, y]) => {
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  };
  scene.position.forEach(take);
  scene.obstacles.forEach((obstacle) => obstacle.points.forEach(take));
  for (const area of scene.walkable) {
    const { type, coordinates } = area.geometry;
    for (const polygon of type === "Polygon" ? [coordinates] : coordinates) polygon.forEach((ring) => ring.forEach(take));
  }
  if (!Number.isFinite(box[0])) return [-10, -10, 10, 10];
  const margin = 1 + 0.05 * Math.max(box[2] - box[0], box[3] - box[1]);
  return [box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin];
}

async function listWorlds() {
  const { worlds } = await call("GET", "/v1/worlds");
  const select = $("worlds");
  select.replaceChildren(new Option(worlds.length ? "choose…" : "none yet", ""));
  for (const one of worlds) {
    select.add(new Option(`${one.name || one.id} · ${one.agents} agents`, one.id, false, world !== null && one.id === world.id));
  }
}

async function listDemos() {
  const { demos } = await call("GET", "/v1/demos");
  for (const demo of demos) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = demo.title;
    button.title = demo.description;
    button.dataset.demo = demo.name;
    button.addEventListener("click", guarded(async () => {
      const started = await call("POST", `/v1/demos/${demo.name}`);
      $("attribution").textContent = started.attribution || "";
      await open(started.world.id, started.view);
    }));
    $("demos").append(button);
  }
}

let rate = 30;
$("play").addEventListener("click", guarded(async () => {
  const runs = world.clock.mode === "realtime";
  if (runs) rate = world.clock.rate;
  const clock = runs ? { mode: "manual" } : { mode: "realtime", rate };
  world = await call("PATCH", `/v1/worlds/${encodeURIComponent(world.id)}`, { clock });
  showClock();
}));
$("step").addEventListener("click", guarded(async () => {
  await call("POST", `/v1/worlds/${encodeURIComponent(world.id)}/steps`, { count: 1 });
}));
$("fit").addEventListener("click", () => camera.fit(scene.view));
$("worlds").addEventListener("change", guarded(async (event) => {
  if (event.target.value) await open(event.target.value);
}));
// buttons take Space themselves; elsewhere it plays, the point steps, and 0 shows everything
document.addEventListener("keydown", (event) => {
  if (world === null || event.target.closest("button, select")) return;
  const button = { " ": "play", ".": "step", 0: "fit" }[event.key];
  if (!button) return;
  event.preventDefault();
  $(button).click();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", requestDraw);

guarded(async () => {
  await Promise.all([listDemos(), listWorlds()]);
  const asked = new URL(location).searchParams.get("world");
  if (asked) await open(asked);
})();
