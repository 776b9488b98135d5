// The page's end of the Worker that owns the WebSocket.
import { type Frame, decode } from "./frames";

export interface Listener {
  frame(frame: Frame): void;
  /** All frames of one batch have been given. */
  done(): void;
  state(open: boolean): void;
}

export class Connection {
  private readonly worker: Worker;
  private listener: Listener | null = null;
  open = false;
  received = 0;
  bytes = 0;
  at = 0; // when the newest state came, ms since 1970
  refused = 0; // frames that could not be read

  constructor(path: string) {
    this.worker = new Worker(new URL("socket_worker.js", document.baseURI), { type: "module" });
    this.worker.onmessage = (event: MessageEvent) => this.message(event.data as Message);
    const url = new URL(path, document.baseURI);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const token = new URLSearchParams(location.search).get("token");
    if (token) url.searchParams.set("token", token);
    this.worker.postMessage({ open: url.href });
  }

  listen(listener: Listener): void {
    this.listener = listener;
  }

  send(message: Record<string, unknown>): void {
    this.worker.postMessage({ send: JSON.stringify(message) });
  }

  /** There is time for the next picture: what has come since the last one is wanted, the newest of it. */
  ready(): void {
    this.worker.postMessage({ ready: true });
  }

  private message(message: Message): void {
    if (message.state) {
      this.open = message.state === "open";
      this.listener?.state(this.open);
    }
    if (!message.frames) return;
    this.received = message.received ?? 0;
    this.bytes = message.bytes ?? 0;
    this.at = message.at ?? 0;
    for (const buffer of message.frames) {
      const frame = decode(buffer);
      if (frame) this.listener?.frame(frame);
      else ++this.refused;
    }
    this.listener?.done();
  }
}

interface Message {
  state?: "open" | "closed";
  frames?: ArrayBuffer[];
  received?: number;
  bytes?: number;
  at?: number;
}
