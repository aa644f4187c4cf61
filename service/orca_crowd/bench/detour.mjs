// A crowd of Detour (recast-navigation, WebAssembly) under measurement. `node detour.mjs FOLDER`, where FOLDER holds
// node_modules. One line of JSON in, one line of JSON out: first the scene, then {do: "prepare" | "run" | "state"}.
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// Detour's crowd only avoids; what else its agents can do (turning early, keeping apart, shortening paths) is off
const OBSTACLE_AVOIDANCE = 2;

const library = join(resolve(process.argv[2]), "node_modules", "recast-navigation");
const { Crowd, init } = await import(pathToFileURL(join(library, "index.mjs")));
const { generateSoloNavMesh } = await import(pathToFileURL(join(library, "generators.mjs")));
await init();

let scene;
let crowd;
let agents;

// the ground is one flat square in x and z
function ground(low, high) {
  const corners = [low, 0, low, low, 0, high, high, 0, high, high, 0, low];
  const made = generateSoloNavMesh(corners, [0, 1, 2, 0, 2, 3], {
    cs: Math.max(1, (high - low) / 1000),
    ch: 0.2,
    walkableRadius: 0,
    walkableHeight: 2,
    maxEdgeLen: 0,
  });
  if (!made.success) throw new Error(made.error);
  return made.navMesh;
}

const actions = {
  scene(message) {
    scene = message;
    crowd = new Crowd(ground(scene.low, scene.high), { maxAgents: scene.agents, maxAgentRadius: scene.radius });
    agents = scene.positions.map(([x, z]) =>
      crowd.addAgent(
        { x, y: 0, z },
        {
          radius: scene.radius,
          height: 2,
          maxSpeed: scene.max_speed,
          maxAcceleration: 1000,
          collisionQueryRange: scene.neighbor_distance,
          pathOptimizationRange: 0,
          separationWeight: 0,
          updateFlags: OBSTACLE_AVOIDANCE,
        },
      ),
    );
    return {};
  },
  // points every agent at its goal
  prepare() {
    agents.forEach((agent, i) => {
      const place = agent.position();
      const x = scene.goals[i][0] - place.x;
      const z = scene.goals[i][1] - place.z;
      const length = Math.sqrt(x * x + z * z);
      const speed = Math.min(scene.preferred_speed, length / scene.time_step) / Math.max(length, 1e-12);
      agent.requestMoveVelocity({ x: x * speed, y: 0, z: z * speed });
    });
    return {};
  },
  run({ steps }) {
    const wall = performance.now();
    const processor = process.cpuUsage();
    for (let i = 0; i < steps; i += 1) crowd.update(scene.time_step);
    const used = process.cpuUsage(processor);
    return { processor: (used.user + used.system) / 1e6, wall: (performance.now() - wall) / 1e3 };
  },
  state() {
    const pair = ({ x, z }) => [x, z];
    return {
      positions: agents.map((agent) => pair(agent.position())),
      velocities: agents.map((agent) => pair(agent.velocity())),
    };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  console.log(JSON.stringify(actions[message.do](message)));
}
