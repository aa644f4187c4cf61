// Controls that the key in use does not allow: they are off, and their title says what they need.
import type { Access } from "../access/access.ts";
import type { Scope } from "../access/keeper.ts";

type Control = HTMLButtonElement | HTMLSelectElement;

/** Turn a control on where the key allows what it does, and where it makes sense otherwise. */
export function permit(control: Control, access: Access, scope: Scope, sensible = true): void {
  const allowed = access.allows(scope);
  control.disabled = !allowed || !sensible;
  control.dataset["title"] ??= control.title;
  const title = allowed ? control.dataset["title"] : access.hint(scope);
  if (control.title !== title) control.title = title;
}
