// The velocity disc of an agent as a drawing: what each constraint forbids, what is left, what is wanted, what is chosen.
import { draw } from "../panels/page.ts";
import { disc, edge, forbidden, permitted, type HalfPlane, type Point } from "./half_planes.ts";

export interface Constraint extends HalfPlane {
  readonly kind: string;
  readonly source: number | null;
  readonly hard: boolean;
  readonly distance: number;
  readonly signed_distance: number;
}

export interface Explanation {
  readonly agent: Readonly<Record<string, unknown>>;
  readonly status: string;
  readonly step: number;
  readonly preferred_velocity: Point;
  readonly neighbors: readonly { readonly id: number; readonly distance: number }[];
  readonly constraints: readonly Constraint[];
  readonly next: { readonly velocity: Point; readonly turns_aside: boolean; readonly parts: boolean };
  readonly program: {
    readonly status: string;
    readonly first_failure: number | null;
    readonly velocity: Point;
    readonly max_speed: number;
    readonly deepest_violation: number;
  };
}

/** Half the side of the drawing, in its own units. */
const HALF = 150;
/** How much of it the disc takes. */
const DISC = 0.8;

/** A drawing of 300 × 300; velocity y points up. */
export function velocityPicture(explanation: Explanation): SVGElement {
  const { program, constraints } = explanation;
  const speed = Math.max(program.max_speed, 1e-9);
  const unit = (HALF * DISC) / speed;
  const reach = HALF / unit;
  const at = ([x, y]: Point): string => `${(x * unit).toFixed(2)},${(-y * unit).toFixed(2)}`;
  const polygon = (points: readonly Point[], className: string): SVGElement =>
    draw("polygon", { points: points.map(at).join(" "), class: className });

  const parts: SVGElement[] = [polygon(disc(speed), "disc")];
  // the forbidden sides lie over each other: the darker, the more constraints forbid it
  constraints.forEach((plane) => {
    const side = forbidden(plane, reach);
    if (side.length > 0) parts.push(polygon(side, `forbidden ${plane.kind}`));
  });
  const region = permitted(constraints, speed);
  if (region.length > 0) parts.push(polygon(region, "permitted"));
  parts.push(polygon(disc(speed), "rim"));
  parts.push(draw("line", { x1: -HALF, y1: 0, x2: HALF, y2: 0, class: "axis" }), draw("line", { x1: 0, y1: -HALF, x2: 0, y2: HALF, class: "axis" }));
  constraints.forEach((plane, index) => {
    const ends = edge(plane, reach);
    if (ends === null) return;
    const [[x1, y1], [x2, y2]] = ends;
    const name = `${plane.kind} ${plane.source ?? "?"}`;
    parts.push(
      draw("line", { x1: x1 * unit, y1: -y1 * unit, x2: x2 * unit, y2: -y2 * unit, class: `edge ${plane.kind}`, "data-row": index }, draw("title", {}, name)),
    );
  });
  const now = explanation.agent["velocity"] as Point;
  parts.push(arrow(now, unit, "now"), arrow(explanation.preferred_velocity, unit, "preferred"), arrow(explanation.next.velocity, unit, "chosen"));
  const label = `Velocity disc: ${constraints.length} constraints, program ${program.status}, ${region.length > 0 ? "a region is permitted" : "nothing is permitted"}`;
  return draw("svg", { viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`, class: "velocity", role: "img", "aria-label": label }, ...parts);
}

/** From the middle to a velocity; one of zero is a dot. */
function arrow([x, y]: Point, unit: number, className: string): SVGElement {
  const [tipX, tipY] = [x * unit, -y * unit];
  const long = Math.hypot(tipX, tipY);
  const group = draw("g", { class: `arrow ${className}` });
  if (long < 3) {
    group.append(draw("circle", { cx: tipX, cy: tipY, r: 4 }));
    return group;
  }
  const [dx, dy] = [tipX / long, tipY / long];
  const head = Math.min(10, long);
  const corner = (side: number): string => `${(tipX - dx * head - side * dy * head * 0.45).toFixed(2)},${(tipY - dy * head + side * dx * head * 0.45).toFixed(2)}`;
  group.append(
    draw("line", { x1: 0, y1: 0, x2: tipX - dx * head * 0.7, y2: tipY - dy * head * 0.7 }),
    draw("polygon", { points: `${tipX.toFixed(2)},${tipY.toFixed(2)} ${corner(1)} ${corner(-1)}` }),
  );
  return group;
}
