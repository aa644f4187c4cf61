// The trace: columns of whole hundredths, frame by frame, and what is asked of them.

const find = (id) => document.getElementById(id);
const agents = data.ids.length, frames = data.steps.length;
const rowOf = new Map(data.ids.map((id, row) => [id, row]));
const NOTHING = -(2 ** 31);
const [ORCA, DRIFT, MAPF, YIELD] = [0, 1, 2, 3];
// beside the states of the trace: one that neither moves nor wants to
const REST = 4;
const NAMES = [...data.states, "rest"];
const MEANINGS = ["on its way", "waits at a corridor", "follows a sub-plan", "makes way", "stands still"];
const columns = {};

// Differences in 32 bits, byte by byte of a whole column: summed up along each agent's frames.
async function unpack() {
  const bytes = Uint8Array.from(atob(data.packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const plain = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = agents * frames;
  data.columns.forEach((name, number) => {
    const at = 4 * size * number, column = new Int32Array(size);
    for (let k = 0; k < size; k++) {
      const change = plain[at + k] | plain[at + size + k] << 8 | plain[at + 2 * size + k] << 16 | plain[at + 3 * size + k] << 24;
      column[k] = k < agents ? change : column[k - agents] + change;
    }
    columns[name] = column;
  });
  delete data.packed;
}

const value = (name, frame, agent) => columns[name][frame * agents + agent];
const number = (name, frame, agent) => value(name, frame, agent) / 100;
const has = (name, frame, agent) => value(name, frame, agent) !== NOTHING;

function stateOf(frame, agent) {
  const state = value("state", frame, agent);
  const still = ["vx", "vy", "px", "py"].every((name) => value(name, frame, agent) === 0);
  return state === ORCA && still ? REST : state;
}

// how many agents are in each state, for every frame
function counted() {
  const counts = NAMES.map(() => new Uint32Array(frames));
  for (let frame = 0; frame < frames; frame++) {
    for (let agent = 0; agent < agents; agent++) counts[stateOf(frame, agent)][frame]++;
  }
  return counts;
}

// whom an agent waits for or makes way for; null where it does neither
function heeded(frame, agent) {
  if (has("waits", frame, agent)) return value("waits", frame, agent);
  return has("yields", frame, agent) ? value("yields", frame, agent) : null;
}

// who waits for whom from an agent on, and whether that comes back to one who is in it already
function chain(frame, agent) {
  const links = [agent];
  for (let next = heeded(frame, agent); next !== null; next = heeded(frame, next)) {
    if (links.includes(next)) return { links: [...links, next], circle: true };
    links.push(next);
  }
  return { links, circle: false };
}
