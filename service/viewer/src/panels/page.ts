// Elements of the page by their id, and small makers of new ones. Text only ever goes in as text.

/** The element with an id; the page has it, which a test checks. */
export function element<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

/** A new element with classes and content. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name, className = "", ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** A new element of a drawing. */
export function draw(name: string, attributes: Readonly<Record<string, string | number>>, ...content: (Node | string)[]): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...content);
  return made;
}

/** Set text only where it is another, so that nothing is laid out anew for nothing. */
export function say(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** A number as people read it: few digits, no exponent where it can be helped. */
export function shown(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−");
}

/** A count with thin spaces between thousands. */
export function counted(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}
