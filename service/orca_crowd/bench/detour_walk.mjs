// The crowd of a scene with Detour (recast-navigation, WebAssembly). `node detour_walk.mjs FOLDER`, where FOLDER holds
// node_modules. One line of JSON in, one line of JSON out: first the scene, then {do: "step"} for each step.
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// what Recast's own demo switches on: turns in time, avoidance, ways made shorter by sight and by search
const ANTICIPATE_TURNS = 1;
const OBSTACLE_AVOIDANCE = 2;
const OPTIMIZE_VISIBILITY = 8;
const OPTIMIZE_TOPOLOGY = 16;

const library = join(resolve(process.argv[2]), "node_modules", "recast-navigation");
const { Crowd, init } = await import(pathToFileURL(join(library, "index.mjs")));
const { generateSoloNavMesh } = await import(pathToFileURL(join(library, "generators.mjs")));
await init();

let scene;
let crowd;
let agents;

// the floor is flat, in x and z; seen from above its triangles turn the other way round there
function ground({ vertices, triangles, cell, radius }) {
  const corners = vertices.flatMap(([x, z]) => [x, 0, z]);
  const indices = triangles.flatMap(([a, b, c]) => [a, c, b]);
  const made = generateSoloNavMesh(corners, indices, {
    cs: cell,
    ch: 0.2,
    walkableRadius: Math.round(radius / cell),
    walkableHeight: 10,
    maxEdgeLen: 0,
    maxSimplificationError: 0.6,
    minRegionArea: 1,
  });
  if (!made.success) throw new Error(made.error);
  return made.navMesh;
}

const actions = {
  scene(message) {
    scene = message;
    const { radius, speed, positions, goals } = scene;
    crowd = new Crowd(ground(scene), { maxAgents: positions.length, maxAgentRadius: 2 * radius });
    agents = positions.map(([x, z], i) => {
      const agent = crowd.addAgent(
        { x, y: 0, z },
        {
          radius,
          height: 2,
          maxSpeed: speed,
          maxAcceleration: 8,
          collisionQueryRange: 12 * radius,
          pathOptimizationRange: 30 * radius,
          obstacleAvoidanceType: 3,
          updateFlags: ANTICIPATE_TURNS | OBSTACLE_AVOIDANCE | OPTIMIZE_VISIBILITY | OPTIMIZE_TOPOLOGY,
        },
      );
      if (!agent) throw new Error(`no place for agent ${i}`);
      if (!agent.requestMoveTarget({ x: goals[i][0], y: 0, z: goals[i][1] })) throw new Error(`no goal for agent ${i}`);
      return agent;
    });
    return {};
  },
  step() {
    const processor = process.cpuUsage();
    crowd.update(scene.time_step);
    const used = process.cpuUsage(processor);
    const positions = agents.map((agent) => {
      const { x, z } = agent.position();
      return [x, z];
    });
    return { processor: (used.user + used.system) / 1e6, positions };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  console.log(JSON.stringify(actions[message.do](message)));
}
