// Draws the scene: walkable ground, walls, agents by status.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function draw(canvas, camera, scene) {
  const context = canvas.getContext("2d");
  const [a, d, e, f] = camera.transform();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = scene.walkable.length ? colour("--outside") : colour("--ground");
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (scene.step === null) return;
  context.setTransform(a, 0, 0, d, e, f);
  const line = 1.5 / Math.abs(a);
  ground(context, scene, line);
  walls(context, scene, line);
  crowd(context, scene, 1.2 / Math.abs(a));
}

function path(context, points, closed) {
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  if (closed) context.closePath();
}

// holes are cut by the even-odd rule
function ground(context, scene, line) {
  context.fillStyle = colour("--ground");
  context.strokeStyle = colour("--wall");
  context.lineWidth = line;
  for (const { geometry } of scene.walkable) {
    for (const polygon of geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates) {
      context.beginPath();
      for (const ring of polygon) path(context, ring, true);
      context.fill("evenodd");
      context.stroke();
    }
  }
}

function walls(context, scene, line) {
  context.fillStyle = colour("--outside");
  context.strokeStyle = colour("--wall");
  context.lineWidth = 2 * line;
  for (const obstacle of scene.obstacles) {
    context.beginPath();
    path(context, obstacle.points, obstacle.closed);
    if (obstacle.closed) context.fill();
    context.stroke();
  }
}

// one path a status, so that the canvas fills thousands of discs in four calls
function crowd(context, scene, least) {
  const groups = new Map();
  scene.status.forEach((status, index) => {
    if (!groups.has(status)) groups.set(status, []);
    groups.get(status).push(index);
  });
  for (const [status, members] of groups) {
    context.fillStyle = colour(`--${status}`);
    context.beginPath();
    for (const index of members) {
      const [x, y] = scene.position[index];
      const radius = Math.max(scene.radius[index], least);
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.fill();
  }
}
