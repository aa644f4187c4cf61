// The stream of one world: subscribes, gives credit, and comes back after a break.
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10000;

export class WorldStream {
  constructor(world, fields, receive, say) {
    this.world = world;
    this.fields = fields;
    this.receive = receive;
    this.say = say;
    this.wait = FIRST_WAIT;
    this.ended = false;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const address = `${scheme}://${location.host}/v1/worlds/${encodeURIComponent(this.world)}/stream`;
    this.socket = new WebSocket(address, "orca-crowd.v1.json");
    this.socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT;
      this.say("");
      this.send({ type: "subscribe", fields: this.fields, delivery: "latest" });
    });
    this.socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      if (message.type === "full" || message.type === "frame") this.send({ type: "got", step: message.step });
      this.receive(message);
    });
    this.socket.addEventListener("close", (event) => this.closed(event));
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // 4004 and 4009 are for good: the world is gone or has failed
  closed(event) {
    if (this.ended) return;
    if (event.code === 4004 || event.code === 4009) {
      this.say(event.code === 4004 ? "This world is gone." : "This world has failed.");
      return;
    }
    this.say("Connection lost; trying again…");
    setTimeout(() => !this.ended && this.connect(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  close() {
    this.ended = true;
    this.socket.close();
  }
}
