// A proxy in front of the server that breaks connections when it is told to.

import { type Server, type Socket, connect, createServer } from "node:net";
import { once } from "node:events";

export class FlakyProxy {
  /** Connections that were taken so far. */
  taken = 0;
  /** While true, nobody is let in. */
  refusing = false;
  /** While true, what the server says is thrown away, and the connection broken in the place of it. */
  swallowing = false;
  #server: Server;
  #sockets = new Set<Socket>();

  private constructor(target: URL) {
    this.#server = createServer((inside) => {
      this.taken += 1;
      if (this.refusing) return void inside.destroy();
      const outside = connect(Number(target.port), target.hostname);
      for (const socket of [inside, outside]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          this.#sockets.delete(socket);
          inside.destroy();
          outside.destroy();
        });
      }
      inside.pipe(outside);
      outside.on("data", (data) => {
        if (this.swallowing) inside.destroy();
        else inside.write(data);
      });
      return undefined;
    });
  }

  static async start(target: string): Promise<FlakyProxy> {
    const proxy = new FlakyProxy(new URL(target));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("not listening");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Break every connection that stands. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
