// The WebSocket, in a Worker: frames are received however busy the page is. Of each kind only the newest waits for the
// page; JSON is never dropped. The page says "ready" when it can draw; then it gets what has come since.
const scope = self as unknown as { postMessage(m: unknown, transfer?: Transferable[]): void; onmessage: ((e: MessageEvent) => void) | null };

let socket: WebSocket | null = null;
let url = "";
let delay = 250;
let ready = true;
let received = 0;
let bytes = 0;
let came = 0; // when the newest state came, ms since 1970

const newest = new Map<string, ArrayBuffer>();
const states: ArrayBuffer[] = []; // states between two pictures, for the plots
const texts: ArrayBuffer[] = [];
const mostHistory = 600;

function connect(): void {
  socket = new WebSocket(url, "tandem.view.1");
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    delay = 250;
    scope.postMessage({ state: "open" });
  };
  socket.onmessage = (event: MessageEvent) => {
    if (event.data instanceof ArrayBuffer) take(event.data);
  };
  socket.onclose = () => {
    socket = null;
    scope.postMessage({ state: "closed" });
    setTimeout(connect, delay);
    delay = Math.min(4000, 1.6 * delay);
  };
}

function take(data: ArrayBuffer): void {
  if (data.byteLength < 20) return;
  ++received;
  bytes += data.byteLength;
  const view = new DataView(data);
  const kind = view.getUint8(0);
  if (kind === 4) texts.push(data);
  else if (kind === 1) {
    came = performance.timeOrigin + performance.now();
    states.push(data);
    if (states.length > mostHistory) states.shift();
  } else {
    // Arrays by their number, packets by their kind.
    const index = kind === 3 && data.byteLength >= 24 ? view.getUint32(20, true) : kind === 5 && data.byteLength >= 22 ? view.getUint8(21) : 0;
    newest.set(`${kind}/${view.getUint16(2, true)}/${index}`, data);
  }
  if (ready) flush();
}

function flush(): void {
  const frames = [...texts, ...newest.values(), ...states];
  if (frames.length === 0) return;
  ready = false;
  texts.length = states.length = 0;
  newest.clear();
  scope.postMessage({ frames, received, bytes, at: came }, frames);
}

scope.onmessage = (event: MessageEvent) => {
  const message = event.data as { open?: string; send?: string; ready?: boolean };
  if (message.open !== undefined) {
    url = message.open;
    connect();
  }
  if (message.send !== undefined && socket?.readyState === WebSocket.OPEN) socket.send(message.send);
  if (message.ready) {
    ready = true;
    flush();
  }
};

export {};
