// The stage: the map and the agents at one moment, from where one looks.

const stage = find("stage"), brush = stage.getContext("2d");
const [left, top_, right, bottom] = data.box, radii = data.radii;
const TRAIL = 60;
const look = { x: (left + right) / 2, y: (top_ + bottom) / 2, zoom: 1 };
const paint = {};
let chosen = null, ground = null;

function readPaint() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["free", "wall", "line", "words", "quiet", "corridor", "corridor-line", "marked", "rim", "accent",
    ...NAMES]) paint[name] = style.getPropertyValue(`--${name}`).trim();
}

const dots = () => window.devicePixelRatio || 1;
const fit = () => 0.96 * Math.min(stage.width / (right - left), stage.height / (bottom - top_));
// screen dots a unit
const scale = () => fit() * look.zoom;
const shownOn = (name) => find(`show-${name}`).checked;

function toScreen(x, y) {
  return [(x - look.x) * scale() + stage.width / 2, (y - look.y) * scale() + stage.height / 2];
}

function toWorld(event) {
  const box = stage.getBoundingClientRect();
  const x = (event.clientX - box.left) * dots(), y = (event.clientY - box.top) * dots();
  return [(x - stage.width / 2) / scale() + look.x, (y - stage.height / 2) / scale() + look.y];
}

// where an agent is between two frames, on a straight line
function place(name, now, agent) {
  const here = number(name, now.frame, agent);
  return now.part ? here + (number(name, now.frame + 1, agent) - here) * now.part : here;
}

// the agent whose rim is nearest, of a small one beside a large one too
function agentAt(x, y, now) {
  let best = null, nearest = Infinity;
  for (let agent = 0; agent < agents; agent++) {
    const away = Math.hypot(place("x", now, agent) - x, place("y", now, agent) - y) - radii[agent];
    const reach = Math.max(0.5 * radii[agent], 9 * dots() / scale() - radii[agent]);
    if (away < Math.min(nearest, reach)) [best, nearest] = [agent, away];
  }
  return best;
}

// The map as a picture, a dot a cell, drawn once for each look of the page; corridors are in it.
function drawGround() {
  if (!data.map) return;
  const rows = data.map.rows;
  ground = new OffscreenCanvas(rows[0].length, rows.length);
  const cells = ground.getContext("2d");
  cells.fillStyle = paint.free;
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length;) {
      let end = x;
      while (end < row.length && row[end] === row[x]) end++;
      if (row[x] === ".") cells.fillRect(x, y, end - x, 1);
      x = end;
    }
  });
}

function drawCorridors(now) {
  const wide = data.map.rows[0].length, size = data.cellSize;
  const fill = (cells) => {
    brush.beginPath();
    for (const cell of cells) brush.rect((cell % wide) * size, Math.floor(cell / wide) * size, size, size);
    brush.fill();
  };
  // crossings and dead ends are narrow too, and taken in turns, but nobody goes through them from end to end
  brush.fillStyle = paint.corridor;
  data.map.places.forEach((cells, number) => {
    brush.globalAlpha = number < data.map.corridors ? 1 : 0.45;
    fill(cells);
  });
  brush.globalAlpha = 1;
  // those that somebody waits for
  brush.fillStyle = paint.marked;
  const awaited = new Set();
  for (let agent = 0; agent < agents; agent++) awaited.add(value("corridor", now.frame, agent));
  for (const corridor of awaited) if (data.map.places[corridor]) fill(data.map.places[corridor]);
  if (scale() * size < 26 * dots()) return;
  brush.fillStyle = paint["corridor-line"];
  brush.font = `${0.3 * size}px system-ui, sans-serif`;
  brush.textAlign = "left";
  brush.textBaseline = "top";
  data.map.places.forEach((cells, corridor) => {
    brush.fillText(String(corridor), (cells[0] % wide + 0.06) * size, (Math.floor(cells[0] / wide) + 0.06) * size);
  });
}

function arrow(from, to, now, colour) {
  const [x1, y1, x2, y2] = [place("x", now, from), place("y", now, from), place("x", now, to), place("y", now, to)];
  const length = Math.hypot(x2 - x1, y2 - y1), head = Math.max(0.28 * radii[from] * 2, 5 * dots() / scale());
  if (length < 1e-6) return;
  const dx = (x2 - x1) / length, dy = (y2 - y1) / length;
  // from rim to rim
  const [ax, ay] = [x1 + dx * radii[from], y1 + dy * radii[from]], [bx, by] = [x2 - dx * radii[to], y2 - dy * radii[to]];
  brush.strokeStyle = brush.fillStyle = colour;
  brush.beginPath();
  brush.moveTo(ax, ay);
  brush.lineTo(bx, by);
  brush.stroke();
  brush.beginPath();
  brush.moveTo(bx, by);
  brush.lineTo(bx - head * (dx + 0.5 * dy), by - head * (dy - 0.5 * dx));
  brush.lineTo(bx - head * (dx - 0.5 * dy), by - head * (dy + 0.5 * dx));
  brush.fill();
}

function drawWay(agent, from, to, alpha) {
  brush.globalAlpha = alpha;
  brush.beginPath();
  for (let frame = from; frame <= to; frame++) brush.lineTo(number("x", frame, agent), number("y", frame, agent));
  brush.stroke();
  brush.globalAlpha = 1;
}

function drawBelow(now) {
  brush.lineWidth = 1.6 * dots() / scale();
  if (shownOn("trails")) {
    for (let agent = 0; agent < agents; agent++) {
      brush.strokeStyle = paint[NAMES[stateOf(now.frame, agent)]];
      drawWay(agent, Math.max(0, now.frame - TRAIL), now.frame, 0.45);
    }
  }
  if (chosen !== null) {
    brush.strokeStyle = paint.accent;
    drawWay(chosen, 0, now.frame, 1);
    drawWay(chosen, now.frame, frames - 1, 0.25);
  }
  if (data.goals && shownOn("goals")) {
    data.goals.forEach(([x, y], agent) => {
      const side = radii[agent] * (agent === chosen ? 1.1 : 0.6);
      brush.strokeStyle = agent === chosen ? paint.accent : paint.quiet;
      brush.globalAlpha = agent === chosen ? 1 : 0.55;
      brush.strokeRect(x - side / 2, y - side / 2, side, side);
      brush.globalAlpha = 1;
    });
  }
  for (let agent = 0; agent < agents; agent++) {
    if (!has("wx", now.frame, agent) || !(shownOn("waypoints") || agent === chosen)) continue;
    const x = number("wx", now.frame, agent), y = number("wy", now.frame, agent), side = 0.24 * radii[agent] * 2;
    brush.strokeStyle = brush.fillStyle = agent === chosen ? paint.accent : paint.quiet;
    brush.setLineDash([4 * dots() / scale(), 4 * dots() / scale()]);
    brush.globalAlpha = agent === chosen ? 1 : 0.6;
    brush.beginPath();
    brush.moveTo(place("x", now, agent), place("y", now, agent));
    brush.lineTo(x, y);
    brush.stroke();
    brush.setLineDash([]);
    brush.beginPath();
    for (const [dx, dy] of [[side, 0], [0, side], [-side, 0], [0, -side]]) brush.lineTo(x + dx, y + dy);
    brush.fill();
    brush.globalAlpha = 1;
  }
}

function drawAgents(now) {
  const drawn = (agent) => Math.max(radii[agent], 2.2 * dots() / scale());
  for (let state = NAMES.length - 1; state >= 0; state--) {
    brush.beginPath();
    for (let agent = 0; agent < agents; agent++) {
      if (stateOf(now.frame, agent) !== state) continue;
      const x = place("x", now, agent), y = place("y", now, agent);
      brush.moveTo(x + drawn(agent), y);
      brush.arc(x, y, drawn(agent), 0, 2 * Math.PI);
    }
    brush.fillStyle = paint[NAMES[state]];
    brush.fill();
    brush.strokeStyle = paint.rim;
    brush.lineWidth = 1 * dots() / scale();
    brush.stroke();
  }
  if (chosen !== null) {
    brush.strokeStyle = paint.accent;
    brush.lineWidth = 2.5 * dots() / scale();
    brush.beginPath();
    brush.arc(place("x", now, chosen), place("y", now, chosen), drawn(chosen) + 3.5 * dots() / scale(), 0, 2 * Math.PI);
    brush.stroke();
  }
}

function drawAbove(now) {
  if (shownOn("waiting")) {
    brush.lineWidth = 1.8 * dots() / scale();
    for (let agent = 0; agent < agents; agent++) {
      for (const [name, state] of [["waits", DRIFT], ["yields", YIELD]]) {
        if (!has(name, now.frame, agent)) continue;
        arrow(agent, value(name, now.frame, agent), now, paint[NAMES[state]]);
      }
    }
  }
  // a number is there where it can be read
  if (!shownOn("numbers")) return;
  brush.textAlign = "center";
  brush.textBaseline = "middle";
  brush.fillStyle = paint.rim;
  let height = 0;
  for (let agent = 0; agent < agents; agent++) {
    if (scale() * radii[agent] < 6 * dots()) continue;
    // a font is dear, and most have one
    if (radii[agent] !== height) brush.font = `600 ${0.85 * (height = radii[agent])}px system-ui, sans-serif`;
    brush.fillText(String(data.ids[agent]), place("x", now, agent), place("y", now, agent));
  }
}

function draw(now) {
  const wide = Math.round(stage.clientWidth * dots()), tall = Math.round(stage.clientHeight * dots());
  if (stage.width !== wide || stage.height !== tall) [stage.width, stage.height] = [wide, tall];
  if (find("follow").checked && chosen !== null) {
    [look.x, look.y] = [place("x", now, chosen), place("y", now, chosen)];
  }
  brush.setTransform(1, 0, 0, 1, 0, 0);
  brush.fillStyle = data.map ? paint.wall : paint.free;
  brush.fillRect(0, 0, stage.width, stage.height);
  const [x0, y0] = toScreen(0, 0);
  brush.setTransform(scale(), 0, 0, scale(), x0, y0);
  brush.lineJoin = brush.lineCap = "round";
  if (ground) {
    brush.imageSmoothingEnabled = false;
    brush.drawImage(ground, 0, 0, ground.width * data.cellSize, ground.height * data.cellSize);
    if (shownOn("corridors")) drawCorridors(now);
  }
  drawBelow(now);
  drawAgents(now);
  drawAbove(now);
}
