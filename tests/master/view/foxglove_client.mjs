// A client of Foxglove's own making: subscribes to topics and prints, as JSON, every message it got of them, decoded by the schema that
// the server advertised.
//
// usage: node foxglove_client.mjs NODE_MODULES ADDRESS SUBPROTOCOL MESSAGES TOPIC...
import { createRequire } from "node:module";
import path from "node:path";

const [modules, address, subprotocol, wanted, ...topics] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.js"));
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { WebSocket } = require("ws");
const protobuf = require("protobufjs");
const { FileDescriptorSet } = require("protobufjs/ext/descriptor");

const types = new Map(); // by subscription
const messages = [];
let enough = false;
const client = new FoxgloveClient({ ws: new WebSocket(address, [subprotocol]) });
client.on("error", (error) => fail(`error: ${error.message ?? error}`));
client.on("close", () => fail("closed"));
client.on("advertise", (channels) => {
  for (const channel of channels) {
    if (!topics.includes(channel.topic)) continue;
    const set = FileDescriptorSet.decode(Buffer.from(channel.schema, "base64"));
    const type = protobuf.Root.fromDescriptor(set).lookupType(channel.schemaName);
    types.set(client.subscribe(channel.id), { topic: channel.topic, type });
  }
});
client.on("message", ({ subscriptionId, timestamp, data }) => {
  if (enough) return;
  const { topic, type } = types.get(subscriptionId);
  const message = type.toObject(type.decode(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)), {
    longs: Number, bytes: String, defaults: true });
  messages.push({ topic, time: Number(timestamp) / 1e9, message });
  const seen = new Set(messages.map((each) => each.topic));
  if (messages.length < Number(wanted) || seen.size < topics.length) return;
  enough = true;
  process.stdout.write(JSON.stringify(messages), () => process.exit(0));
});
setTimeout(() => fail(`only ${messages.length} messages`), 90000);

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
