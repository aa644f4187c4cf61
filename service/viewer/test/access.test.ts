import { afterEach, describe, expect, it, vi } from "vitest";
import { Access } from "../src/access/access.ts";
import { Keeper, covers, nameOf, readKey, type Shelf } from "../src/access/keeper.ts";

const KEY = `orca_ab12cd34_${"s".repeat(43)}`;
const OTHER = `orca_zz99zz99_${"t".repeat(43)}`;

function shelf(kept: Record<string, string> = {}): Shelf & { readonly kept: Record<string, string> } {
  return {
    kept,
    getItem: (name) => kept[name] ?? null,
    setItem: (name, value) => void (kept[name] = value),
    removeItem: (name) => void delete kept[name],
  };
}

function barred(): Shelf {
  throw new DOMException("denied", "SecurityError");
}

describe("keys", () => {
  it("are read out of what was pasted", () => {
    expect(readKey(` ${KEY}\n`)).toBe(KEY);
    expect(readKey(`Bearer ${KEY}`)).toBe(KEY);
    for (const text of ["", "orca_", KEY.slice(0, -1), `${KEY}x`, KEY.replace("_s", " s")]) expect(readKey(text)).toBeNull();
    expect(nameOf(KEY)).toBe("ab12cd34");
  });

  it("have scopes that hold those before", () => {
    expect(covers("admin", "control")).toBe(true);
    expect(covers("control", "control")).toBe(true);
    expect(covers("read", "control")).toBe(false);
  });

  it("are kept for the tab, or on the device, and never on both", () => {
    const [tab, device] = [shelf(), shelf()];
    const keeper = new Keeper(() => tab, () => device);
    keeper.keep(KEY, false);
    expect([Object.values(tab.kept), Object.values(device.kept)]).toEqual([[KEY], []]);
    keeper.keep(OTHER, true);
    expect([Object.values(tab.kept), Object.values(device.kept)]).toEqual([[], [OTHER]]);
    expect(new Keeper(() => shelf(), () => device).key).toBe(OTHER);
    keeper.forget();
    expect([keeper.key, tab.kept, device.kept]).toEqual([null, {}, {}]);
  });

  it("last as long as the page where the browser keeps nothing", () => {
    const keeper = new Keeper(barred, barred);
    keeper.keep(KEY, true);
    expect([keeper.key, keeper.remembered]).toEqual([KEY, false]);
  });
});

describe("access", () => {
  afterEach(() => vi.unstubAllGlobals());

  /** A server that takes one key, and what it was sent. */
  function server(right: string | null, scope = "read") {
    const sent: (string | undefined)[] = [];
    vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
      const header = (init.headers as Record<string, string>)["Authorization"];
      sent.push(header);
      const known = right === null || header === `Bearer ${right}`;
      const body = known ? { scope } : { status: 401, code: "unauthorized", title: "No key", detail: "", errors: [] };
      const headers = { "Content-Type": known ? "application/json" : "application/problem+json" };
      return new Response(JSON.stringify(body), { status: known ? 200 : 401, headers });
    });
    return sent;
  }

  function accessed(key: string | null) {
    const keeper = new Keeper(() => shelf(), () => shelf(key === null ? {} : { "orca-crowd.key": key }));
    const told: string[] = [];
    const events = { wanted: (refused: boolean) => told.push(`wanted ${refused}`), changed: () => told.push("changed") };
    return { told, access: new Access("http://server", keeper, events) };
  }

  it("learns the scope of the key that is kept", async () => {
    const sent = server(KEY, "control");
    const { access } = accessed(KEY);
    expect(access.allows("admin")).toBe(true);
    await access.learn();
    expect(sent).toEqual([`Bearer ${KEY}`]);
    expect([access.allows("control"), access.allows("admin")]).toEqual([true, false]);
    expect(access.hint("admin")).toContain("scope admin");
  });

  it("asks once for a key, and sends the one that is given", async () => {
    const sent = server(KEY);
    const { access, told } = accessed(null);
    await expect(access.learn()).rejects.toMatchObject({ status: 401 });
    await expect(access.learn()).rejects.toMatchObject({ status: 401 });
    expect(told.filter((what) => what.startsWith("wanted"))).toEqual(["wanted false"]);
    expect(access.locked).toBe(true);
    expect((await access.enter("nothing", false))!.words).toContain("not a key");
    expect(sent).toHaveLength(2);
    expect((await access.enter(OTHER, false))!.words).toContain("does not take");
    expect([access.locked, access.keeper.key, access.client.key]).toEqual([true, null, undefined]);
    expect(await access.enter(KEY, false)).toBeNull();
    expect([access.locked, access.scope, access.client.key]).toEqual([false, "read", KEY]);
  });

  it("forgets a key that is refused, and does not send it twice", async () => {
    const sent = server(KEY);
    const { access, told } = accessed(OTHER);
    const { client } = access;
    await expect(access.learn()).rejects.toMatchObject({ status: 401 });
    expect(told).toContain("wanted true");
    expect([access.locked, access.keeper.key, access.client.key]).toEqual([true, null, undefined]);
    // an answer to who was asked before changes nothing any more
    expect(await access.enter(KEY, false)).toBeNull();
    await expect(client.info()).rejects.toMatchObject({ status: 401 });
    expect([access.locked, access.keeper.key]).toEqual([false, KEY]);
    expect(sent.filter((header) => header === `Bearer ${OTHER}`)).toHaveLength(2);
  });

  it("tells how long to wait", async () => {
    const body = JSON.stringify({ status: 429, code: "limit", title: "Limit", detail: "", errors: [] });
    const headers = { "Content-Type": "application/problem+json", "Retry-After": "7" };
    vi.stubGlobal("fetch", async () => new Response(body, { status: 429, headers }));
    const { access } = accessed(null);
    expect(await access.enter(KEY, false)).toEqual({ words: "Too many keys were tried from here.", wait: 7 });
  });

  it("says that the server cannot be reached", async () => {
    vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("no network")));
    const { access } = accessed(null);
    expect((await access.enter(KEY, false))!.words).toContain("cannot be reached");
    expect(access.keeper.key).toBeNull();
  });
});
