// The panel: how many are in each state, the values of the chosen agent, and who waits for whom.

// rows of the list of who waits
const MOST_WAITING = 40;
const counts = [];

function element(name, text, ...classes) {
  const made = document.createElement(name);
  made.textContent = text;
  made.classList.add(...classes);
  return made;
}

// an agent as something to click
function link(agent) {
  const made = element("button", String(data.ids[agent]), "link");
  made.type = "button";
  made.dataset.agent = String(data.ids[agent]);
  return made;
}

function buildLegend() {
  const body = find("legend").tBodies[0];
  NAMES.forEach((name, state) => {
    const row = body.insertRow();
    row.dataset.state = name;
    const dot = element("span", "", "dot");
    dot.style.background = `var(--${name})`;
    row.insertCell().append(dot);
    row.insertCell().textContent = name;
    row.insertCell().textContent = MEANINGS[state];
    row.insertCell();
  });
}

function showLegend(now) {
  [...find("legend").rows].forEach((row, state) => { row.cells[3].textContent = String(counts[state][now.frame]); });
}

const pair = (x, y, now, agent) => `(${number(x, now.frame, agent).toFixed(2)}, ${number(y, now.frame, agent).toFixed(2)})`;

function showValues(now) {
  const list = find("values");
  list.replaceChildren();
  find("follow-box").hidden = find("forget").hidden = chosen === null;
  if (chosen === null) return;
  const speed = (x, y) => Math.hypot(number(x, now.frame, chosen), number(y, now.frame, chosen)).toFixed(2);
  const add = (name, ...parts) => {
    const shown = element("dd", "");
    shown.append(...parts);
    list.append(element("dt", name), shown);
  };
  const state = stateOf(now.frame, chosen);
  add("state", data.states[value("state", now.frame, chosen)] + (state === REST ? ", at rest" : ""));
  add("position", pair("x", "y", now, chosen));
  add("velocity", `${pair("vx", "vy", now, chosen)}, speed ${speed("vx", "vy")}`);
  add("preferred", `${pair("px", "py", now, chosen)}, speed ${speed("px", "py")}`);
  add("target", pair("tx", "ty", now, chosen));
  if (has("wx", now.frame, chosen)) add("waypoint", pair("wx", "wy", now, chosen));
  if (data.goals && data.goals[chosen]) add("goal", `(${data.goals[chosen].map((part) => part.toFixed(2)).join(", ")})`);
  if (has("corridor", now.frame, chosen)) add("corridor", String(value("corridor", now.frame, chosen)));
  const { links, circle } = chain(now.frame, chosen);
  if (links.length > 1) {
    const parts = links.slice(1).flatMap((agent) => [" → ", link(agent)]);
    parts[0] = "";
    add(has("waits", now.frame, chosen) ? "waits for" : "yields to", ...parts, circle ? " in a circle" : "");
  }
  const behind = [];
  for (let agent = 0; agent < agents; agent++) if (heeded(now.frame, agent) === chosen) behind.push(agent);
  if (behind.length) add("awaited by", ...behind.flatMap((agent, k) => (k ? [", ", link(agent)] : [link(agent)])));
}

function showWaiting(now) {
  const waiting = [];
  for (let agent = 0; agent < agents; agent++) {
    const state = value("state", now.frame, agent);
    if (heeded(now.frame, agent) !== null || state === DRIFT || state === YIELD) waiting.push(agent);
  }
  find("waiting-count").textContent = waiting.length ? String(waiting.length) : "";
  const rows = waiting.slice(0, MOST_WAITING).map((agent) => {
    const row = element("li", ""), dot = element("span", "", "dot"), other = heeded(now.frame, agent);
    dot.style.background = `var(--${NAMES[stateOf(now.frame, agent)]})`;
    row.append(dot, link(agent));
    if (other !== null) row.append(" → ", link(other));
    if (has("corridor", now.frame, agent)) row.append(element("span", `corridor ${value("corridor", now.frame, agent)}`));
    return row;
  });
  if (waiting.length > MOST_WAITING) rows.push(element("li", `and ${waiting.length - MOST_WAITING} more`));
  find("waiting").replaceChildren(...rows);
}

// The whole run at a glance: how many are in each state, over time.
function drawStates(now) {
  const box = find("states"), strip = box.getContext("2d");
  const wide = Math.round(box.clientWidth * dots()), tall = Math.round(box.clientHeight * dots());
  if (box.width !== wide || box.height !== tall) [box.width, box.height] = [wide, tall];
  strip.clearRect(0, 0, wide, tall);
  const last = Math.max(1, frames - 1);
  // what needs the eye lies at the bottom
  for (let across = 0; across < wide; across++) {
    const frame = Math.min(frames - 1, Math.round(across / Math.max(1, wide - 1) * last));
    let low = tall;
    for (const state of [MAPF, DRIFT, YIELD, ORCA, REST]) {
      const high = counts[state][frame] / agents * tall;
      strip.fillStyle = paint[NAMES[state]];
      strip.globalAlpha = state === REST ? 0.3 : state === ORCA ? 0.55 : 1;
      strip.fillRect(across, low - high, 1, high);
      low -= high;
    }
  }
  strip.globalAlpha = 1;
  strip.fillStyle = paint.words;
  strip.fillRect((now.frame + now.part) / last * (wide - 1) - dots(), 0, 2 * dots(), tall);
}
