// npm's canopen as master of our CANopen slaves, over slcan text on a TCP port; ends with code 1 where something differs.
//
// usage: node npm_canopen.js MODULES PORT sensors|delivered
'use strict';
const assert = require('assert');
const net = require('net');
const Module = require('module');

const [modules, port, part] = process.argv.slice(2);
// A native module that only block transfers need, which our slaves do not offer: nothing is compiled for it.
const load = Module._load;
Module._load = (name, ...rest) => (name === 'node-crc' ? { crc: () => assert.fail('a block transfer') } : load(name, ...rest));
const { Device, DataType, LssMode, NmtState } = require(modules + '/canopen');

const patience = 3000; // ms, for a busy machine

/** A device of the library as the master, on the text protocol of serial adapters. */
async function connect(options) {
    const socket = net.connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.setNoDelay(true);
    const device = new Device({ id: 0x7f, ...options });
    device.addListener('message', ({ id, data }) =>
        socket.write(`t${id.toString(16).padStart(3, '0')}${data.length}${Buffer.from(data).toString('hex')}\r`));
    let text = '';
    socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
        for (let end; (end = text.indexOf('\r')) >= 0; text = text.slice(end + 1)) {
            const line = text.slice(0, end);
            if (line[0] !== 't') continue;
            const message = { id: parseInt(line.slice(1, 4), 16), data: Buffer.from(line.slice(5), 'hex') };
            device.emit('heard', message);
            device.receive(message);
        }
    });
    socket.write('C\rS5\rO\r');
    return { device, close: () => socket.destroy() };
}

/** The first message that fits. */
function heard(device, fits) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`nothing for ${fits}`)), patience);
        const listen = (message) => {
            if (!fits(message)) return;
            clearTimeout(timer);
            device.removeListener('heard', listen);
            resolve(message);
        };
        device.on('heard', listen);
    });
}

async function sensors({ device }) {
    const ids = [1, 2, 3, 4, 5, 6, 7, 16, 17];
    for (const id of ids) device.eds.addSdoClientParameter(id, 0x600 | id, 0x580 | id);
    const slope = device.eds.addEntry(0x6010, { parameterName: 'Slope', dataType: DataType.INTEGER16 });
    device.eds.addReceivePdo({ cobId: 0x181, dataObjects: [slope] });
    device.eds.addHeartbeatConsumer(1, patience);
    device.eds.addEmcyConsumer(0x81);
    device.start();
    const read = (serverId, index, dataType, subIndex) =>
        device.sdo.upload({ serverId, index, subIndex, dataType, timeout: patience });

    const names = { 1: 'Tandem inclinometer, one axis', 6: 'Tandem draw-wire sensor', 16: 'Tandem pressure transmitter' };
    for (const [id, name] of Object.entries(names))
        assert.strictEqual(await read(Number(id), 0x1008, DataType.VISIBLE_STRING), name);
    for (const id of ids) assert.strictEqual(await read(id, 0x1018, DataType.UNSIGNED32, 4), 1000 + id);
    assert.strictEqual(await read(1, 0x6010, DataType.INTEGER16), 2865);
    assert.strictEqual(Math.round(await read(16, 0x6130, DataType.REAL32, 1)), 215);

    await assert.rejects(read(1, 0x2000, DataType.UNSIGNED8), (error) => error.code === 0x06020000);
    const write = (data) =>
        device.sdo.download({ serverId: 1, index: 0x6000, data, dataType: DataType.UNSIGNED16, timeout: patience });
    await assert.rejects(write(7), (error) => error.code === 0x06090030);
    await write(100);
    assert.strictEqual(await read(1, 0x6010, DataType.INTEGER16), 286);
    await write(10);

    const pdo = new Promise((resolve) => device.pdo.on('pdo', resolve));
    device.nmt.startNode(0);
    const { cobId } = await pdo;
    assert.strictEqual(cobId, 0x181);
    assert.strictEqual(slope.value, 2865);
    const heartbeat = await new Promise((resolve) => device.nmt.on('heartbeat', resolve));
    assert.deepStrictEqual(heartbeat, { deviceId: 1, state: NmtState.OPERATIONAL });

    const boot = heard(device, ({ id, data }) => id === 0x701 && data.length === 1 && data[0] === 0);
    device.nmt.resetNode(1);
    await boot;

    const emergency = new Promise((resolve) => device.emcy.on('emergency', resolve));
    process.stdout.write('raise boom 5000\n'); // to who started this
    assert.strictEqual((await emergency).em.code, 0x5000);
}

/** An answer that a busy machine delays is taken for none, and the scan ends without a device: then another one. */
async function scan(device) {
    for (let attempt = 0; attempt < 5; ++attempt) {
        const found = await device.lss.fastscan({ timeout: 200 }).catch(() => null);
        if (found) return found;
    }
    return assert.fail('no device found');
}

async function delivered({ device }) {
    const serials = [];
    for (const id of [0x20, 0x21]) {
        const found = await scan(device);
        assert.strictEqual(found.vendorId, 0);
        assert.strictEqual(found.productCode, 0x41001);
        serials.push(found.serialNumber);
        await device.lss.configureNodeId(id);
        const boot = heard(device, (message) => message.id === 0x700 + id);
        device.lss.switchModeGlobal(LssMode.OPERATION);
        await boot;
    }
    assert.deepStrictEqual(serials.sort(), [4096, 4097]);
    assert.strictEqual(await device.lss.fastscan({ timeout: 200 }), null);
}

(async () => {
    const master = await connect({ enableLss: part === 'delivered' });
    await { sensors, delivered }[part](master);
    master.close();
    process.exit(0);
})().catch((error) => {
    console.error(error);
    process.exit(1);
});
