// The page: the moment that is shown, what plays it, and what a person does.

const now = { frame: 0, part: 0 };
const play = find("play"), moment = find("moment"), speed = find("speed"), hint = find("hint");
let playing = false, clock = 0, before = 0;

function redraw() {
  draw(now);
  // the strip stays, but for the line of the moment
  drawStates(now);
}

function show(frame) {
  now.frame = Math.min(Math.max(frame, 0), frames - 1);
  now.part = 0;
  moment.value = String(now.frame);
  const last = frames - 1;
  find("time").textContent =
    `step ${data.steps[now.frame].toLocaleString("en")} of ${data.steps[last].toLocaleString("en")} · ` +
    `${data.times[now.frame].toFixed(2)} of ${data.times[last].toFixed(2)} s`;
  showLegend(now);
  showValues(now);
  showWaiting(now);
  redraw();
}

function run(on) {
  if (on && now.frame === frames - 1) show(0);
  playing = on;
  play.textContent = on ? "Pause" : "Play";
  clock = data.times[now.frame];
  if (on) requestAnimationFrame((time) => { before = time; advance(time); });
}

function advance(time) {
  if (!playing) return;
  clock += (time - before) / 1000 * Number(speed.value);
  before = time;
  let frame = now.frame;
  while (frame < frames - 1 && data.times[frame + 1] <= clock) frame++;
  if (frame !== now.frame) show(frame);
  if (now.frame === frames - 1) { run(false); return; }
  const begin = data.times[now.frame];
  now.part = Math.max(0, (clock - begin) / (data.times[now.frame + 1] - begin));
  redraw();
  requestAnimationFrame(advance);
}

function by(count) {
  run(false);
  show(now.frame + count);
}

function choose(agent) {
  chosen = agent;
  find("agent").value = agent === null ? "" : String(data.ids[agent]);
  find("agent").setCustomValidity("");
  if (agent === null) find("follow").checked = false;
  show(now.frame);
}

function zoom(factor, x = look.x, y = look.y) {
  const wanted = Math.min(Math.max(look.zoom * factor, 0.5), 400);
  // the point under the pointer stays there
  look.x = x + (look.x - x) * look.zoom / wanted;
  look.y = y + (look.y - y) * look.zoom / wanted;
  look.zoom = wanted;
  redraw();
}

function whole() {
  Object.assign(look, { x: (left + right) / 2, y: (top_ + bottom) / 2, zoom: 1 });
  find("follow").checked = false;
  redraw();
}

function listen() {
  play.onclick = () => run(!playing);
  find("back").onclick = () => by(-1);
  find("on").onclick = () => by(1);
  moment.oninput = () => by(Number(moment.value) - now.frame);
  find("closer").onclick = () => zoom(1.5);
  find("farther").onclick = () => zoom(1 / 1.5);
  find("whole").onclick = whole;
  find("forget").onclick = () => choose(null);
  find("shown").onchange = find("follow").onchange = redraw;
  find("finder").onsubmit = (event) => event.preventDefault();
  find("agent").oninput = () => {
    const text = find("agent").value.trim(), agent = rowOf.get(Number(text));
    find("agent").setCustomValidity(text && agent === undefined ? "nobody has this number" : "");
    chosen = text && agent !== undefined ? agent : null;
    show(now.frame);
  };
  // every number of an agent, wherever it stands, chooses it
  document.querySelector("aside").addEventListener("click", (event) => {
    const id = event.target.dataset.agent;
    if (id !== undefined) choose(rowOf.get(Number(id)));
  });
  find("states").onpointerdown = find("states").onpointermove = (event) => {
    if (!event.buttons) return;
    const box = find("states").getBoundingClientRect();
    by(Math.round((event.clientX - box.left) / box.width * (frames - 1)) - now.frame);
  };
  listenToStage();
  window.onresize = redraw;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  document.addEventListener("keydown", (event) => {
    // a control that has the focus keeps its own keys
    const control = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (control && event.key !== "Escape" && !(event.key === " " && event.target === moment)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const deeds = {
      " ": () => event.target !== play && run(!playing), ArrowLeft: () => by(-1), ArrowRight: () => by(1),
      Home: () => by(-frames), End: () => by(frames), Escape: () => choose(null),
      "+": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: whole,
    };
    if (!deeds[event.key] || (event.key === " " && event.target === play)) return;
    event.preventDefault();
    deeds[event.key]();
  });
}

function listenToStage() {
  let from = null, moved = false;
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / (event.deltaMode ? 20 : 400)), ...toWorld(event));
  }, { passive: false });
  stage.onpointerdown = (event) => {
    [from, moved] = [[event.clientX, event.clientY], false];
    stage.setPointerCapture(event.pointerId);
  };
  stage.onpointermove = (event) => {
    if (from === null) { point(event); return; }
    const dx = event.clientX - from[0], dy = event.clientY - from[1];
    // a hand that trembles clicks all the same
    if (!moved && Math.hypot(dx, dy) < 4) return;
    moved = true;
    find("follow").checked = false;
    look.x -= dx * dots() / scale();
    look.y -= dy * dots() / scale();
    from = [event.clientX, event.clientY];
    redraw();
  };
  stage.onpointerup = (event) => {
    if (from !== null && !moved) choose(agentAt(...toWorld(event), now));
    from = null;
  };
  stage.onpointercancel = () => { from = null; };
  stage.onpointerleave = () => { hint.hidden = true; };
}

// what is under the pointer
function point(event) {
  const agent = agentAt(...toWorld(event), now);
  hint.hidden = agent === null;
  if (agent === null) return;
  hint.textContent = `${data.ids[agent]} ${NAMES[stateOf(now.frame, agent)]}`;
  const box = stage.getBoundingClientRect();
  hint.style.left = `${event.clientX - box.left + 14}px`;
  hint.style.top = `${event.clientY - box.top + 10}px`;
}

function recolour() {
  readPaint();
  drawGround();
  redraw();
}

async function start() {
  await unpack();
  counts.push(...counted());
  buildLegend();
  readPaint();
  drawGround();
  listen();
  moment.max = String(frames - 1);
  find("goals-box").hidden = !data.goals;
  find("corridors-box").hidden = !data.map;
  find("facts").textContent = `${agents.toLocaleString("en")} agents`;
  find("note").textContent = data.note;
  show(0);
  document.body.dataset.ready = "yes";
}

start();
