"""The simulated sensor bus against python-canopen as master: `tandem run --realtime` with can_sensors behind can_bridge, over
udp_multicast and over slcan, in a network of its own with nothing but the loopback interface.

usage: python_canopen_check.py TANDEM FMUS CONFIG
"""
import csv
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, CONFIG = (os.path.abspath(argument) for argument in sys.argv[1:4])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / 'support'))
import own_network  # noqa: E402
import side_by_side  # noqa: E402

own_network.enter()

import canopen  # noqa: E402  (inside the namespace only)

PORT = 43113
# What each sensor is, what it sees, and how the number in its first PDO becomes that.
DEGREE = 0.017453292519943295
SENSORS = {
    1: ('inclinometer_1d', [('inclination.boom', 0.2, 0.01 * DEGREE)]),
    2: ('inclinometer_1d', [('inclination.adjust', -0.6, 0.01 * DEGREE)]),
    3: ('inclinometer_1d', [('inclination.arm', -1.5, 0.01 * DEGREE)]),
    4: ('inclinometer_1d', [('inclination.coupler', 0.9, 0.01 * DEGREE)]),
    5: ('inclinometer_2d', [('pitch', 0.03, 0.01 * DEGREE), ('roll', -0.02, 0.01 * DEGREE)]),
    6: ('draw_wire', [('slew.length', 0.75, 1e-5)]),
    7: ('rotary_encoder', [('rotate.angle', 1.0, 360 * DEGREE / 65536)]),
    0x10: ('pressure_transmitter', [('jaw.pressure_a', 12e6, 1e5)]),
    0x11: ('pressure_transmitter', [('jaw.pressure_b', 3e5, 1e5)]),
}
BOOM_RATE = 0.1  # rad/s
MIDDLE_OF_ENCODER = 1 << 27


def system():
    def wire(kind):
        return ''.join(f'<ssd:Connection startElement="{a}" startConnector="Bus.Tx_{kind}" endElement="{b}" '
                       f'endConnector="Bus.Rx_{kind}"/>' for a, b in (('sensors', 'bridge'), ('bridge', 'sensors')))
    return ('<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
            'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="sensor_bus">'
            '<ssd:System name="sensor_bus"><ssd:Connectors><ssd:Connector name="boom" kind="input"><ssc:Real unit="rad"/>'
            '</ssd:Connector></ssd:Connectors><ssd:Elements>'
            '<ssd:Component name="sensors" source="resources/can_sensors.fmu"/>'
            '<ssd:Component name="bridge" source="resources/can_bridge.fmu"/></ssd:Elements><ssd:Connections>'
            '<ssd:Connection startConnector="boom" endElement="sensors" endConnector="inclination.boom"/>'
            + wire('Data') + wire('Clock') + '</ssd:Connections></ssd:System>'
            '<ssd:DefaultExperiment startTime="0" stopTime="1"/></ssd:SystemStructureDescription>')


class Run:
    """A run under way."""

    def __init__(self, folder, transport, stop, *arguments):
        given = ['--set', f'bridge.transport={transport}', '--set', 'bridge.network=true']
        for _, signals in SENSORS.values():
            for name, value, _ in signals:
                if name != 'inclination.boom':
                    given += ['--set', f'sensors.{name}={value}']
        self.process = subprocess.Popen(
            [TANDEM, 'run', 'system.ssd', '--realtime', '--step', '0.001', '--stop', str(stop), '--input', 'boom.csv',
             '--out', 'out', *given, *arguments],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def finish(self, patience=60):
        out, errors = self.process.communicate(timeout=patience)
        return self.process.returncode, out, errors

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        return self.finish()


class SensorBus(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='canopen-')
        os.mkdir(os.path.join(self.folder, 'resources'))
        for unit in ('can_sensors', 'can_bridge'):
            shutil.copy(os.path.join(FMUS, unit + '.fmu'), os.path.join(self.folder, 'resources'))
        with open(os.path.join(self.folder, 'system.ssd'), 'w') as file:
            file.write(system())
        with open(os.path.join(self.folder, 'boom.csv'), 'w') as file:
            file.write(f'time,boom\n0,0.2\n100,{0.2 + 100 * BOOM_RATE}\n')
        self.runs, self.networks = [], []

    def tearDown(self):
        for network in self.networks:
            network.disconnect()
        for run in self.runs:
            run.stop()
        own_network.widen()
        shutil.rmtree(self.folder)

    def start(self, *arguments):
        self.runs.append(Run(self.folder, *arguments))
        return self.runs[-1]

    def connect(self, **arguments):
        network = canopen.Network()
        end = time.monotonic() + 20
        while True:
            try:
                network.connect(**arguments)
                break
            except Exception:  # the other side is not there yet
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        self.networks.append(network)
        return network

    def add(self, network, node_id, kind=None):
        node = network.add_node(node_id, os.path.join(CONFIG, 'can', (kind or SENSORS[node_id][0]) + '.eds'))
        node.sdo.RESPONSE_TIMEOUT = 2  # the computer may be busy
        return node

    def last_row(self):
        with open(os.path.join(self.folder, 'out', 'results.csv'), newline='') as file:
            return list(csv.DictReader(file))[-1]

    def growing(self, column):
        """The last value that the run under way has written."""
        try:
            with open(os.path.join(self.folder, 'out', 'results.partial.csv')) as file:
                lines = file.read().splitlines()
            return int(lines[-2].split(',')[lines[0].split(',').index(column)])
        except (FileNotFoundError, IndexError, ValueError):
            return 0

    def until(self, condition, what, patience=10):
        end = time.monotonic() + patience
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)

    # ---- what a master does ----

    def reach(self, node):
        """The device name, as soon as the node answers."""
        end = time.monotonic() + 20
        while True:
            try:
                return node.sdo[0x1008].raw
            except canopen.SdoCommunicationError:
                self.assertLess(time.monotonic(), end, 'no node answers')

    def check_dictionary(self, node):
        self.assertEqual(self.reach(node), 'Tandem inclinometer, one axis')  # segmented
        self.assertEqual(node.sdo[0x1000].raw, 0x0001019A)
        self.assertEqual(node.sdo[0x1018][4].raw, 1000 + node.id)
        node.sdo[0x6000].raw = 100
        self.assertEqual(node.sdo[0x6000].raw, 100)
        node.sdo[0x6000].raw = 10
        for index, sub, data, code in ((0x5000, 0, None, 0x06020000), (0x1018, 9, None, 0x06090011),
                                       (0x1000, 0, bytes(4), 0x06010002), (0x6000, 0, bytes(4), 0x06070012)):
            with self.assertRaises(canopen.SdoAbortedError) as abort:
                node.sdo.upload(index, sub) if data is None else node.sdo.download(index, sub, data)
            self.assertEqual(abort.exception.code, code)

    def check_states(self, network, node):
        node.sdo[0x1017].raw = 50
        self.assertEqual(node.nmt.wait_for_heartbeat(5), 'PRE-OPERATIONAL')
        for command, state in ((2, 'STOPPED'), (1, 'OPERATIONAL'), (0x80, 'PRE-OPERATIONAL')):
            node.nmt.send_command(command)
            self.until(lambda: node.nmt.wait_for_heartbeat(5) == state, f'{state} after command {command}')
        node.nmt.send_command(0x82)
        node.nmt.wait_for_bootup(5)
        self.assertEqual(node.sdo[0x1017].raw, 1000)

    def check_event_pdos(self, network, nodes):
        """All nine by themselves, every 10 ms, with the simulated values in them."""
        values = {node_id: [] for node_id in nodes}
        for node_id, node in nodes.items():
            node.tpdo.read(from_od=True)
            node.tpdo[1].add_callback(lambda pdo, to=values[node_id]: to.append([variable.raw for variable in pdo]))
        network.nmt.send_command(1)
        self.until(lambda: all(len(came) >= 30 for came in values.values()), 'PDOs of all nine')
        network.nmt.send_command(0x80)
        for node_id, (_, signals) in SENSORS.items():
            for place, (name, expected, step) in enumerate(signals):
                numbers = [came[place] for came in values[node_id]]
                if name == 'inclination.boom':  # it moves: 0.01 s are 5.73 hundredths of a degree
                    pace = (numbers[29] - numbers[0]) / 29
                    self.assertAlmostEqual(pace, BOOM_RATE * 0.01 / step, delta=0.05)
                    continue
                number = numbers[-1] - (MIDDLE_OF_ENCODER if name == 'rotate.angle' else 0)
                self.assertAlmostEqual(number * step, expected, delta=step, msg=name)

    def check_sync_pdos(self, network, node):
        """The second PDO of the draw-wire sensor: position and speed, with each SYNC."""
        came = []
        node.tpdo.read(from_od=True)
        node.tpdo[1].enabled = False
        node.tpdo[2].enabled = True
        node.tpdo[1].save()
        node.tpdo[2].save()
        node.tpdo[2].add_callback(lambda pdo: came.append(pdo[0].raw))
        node.nmt.send_command(1)
        self.until(lambda: node.nmt.state == 'OPERATIONAL', 'operational')
        for count in range(1, 6):
            network.sync.transmit()
            self.until(lambda: len(came) == count, f'PDO {count}')
        time.sleep(0.05)
        self.assertEqual(came, [75000] * 5)

    # ---- over multicast, and again from the journal ----

    def test_over_multicast_and_repeated(self):
        run = self.start(f'udp::{PORT}', 7)
        network = self.connect(interface='udp_multicast', channel='239.74.163.2', port=PORT)
        nodes = {node_id: self.add(network, node_id) for node_id in SENSORS}
        self.check_dictionary(nodes[3])
        self.check_states(network, nodes[2])
        self.check_event_pdos(network, nodes)
        self.check_sync_pdos(network, nodes[6])
        code, out, errors = run.finish()
        self.assertEqual(code, 0, errors)
        last = self.last_row()
        self.assertGreater(int(last['bridge.frames.received']), 30)
        self.assertEqual(int(last['bridge.frames.refused']), 0)
        self.assertEqual(int(last['bridge.frames.lost']), 0)
        self.assertEqual(last['bridge.frames.sent'], last['sensors.frames.sent'])
        self.assertGreaterEqual(int(last['bridge.frames.confirmed']), int(last['bridge.frames.sent']) - 20)  # the last ones
        self.networks.pop().disconnect()
        hashes = []
        for name in ('first', 'second'):
            done = subprocess.run([TANDEM, 'run', '--repeat', 'out/run.json', '--out', name], cwd=self.folder,
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('same bits', done.stdout)
            with open(os.path.join(self.folder, name, 'run.json')) as file:
                hashes.append([item['sha256'] for item in json.load(file)['results'] if item['path'] == 'results.csv'])
        self.assertEqual(hashes[0], hashes[1])
        self.assertTrue(hashes[0])

    # ---- over slcan, on a pseudo terminal ----

    @side_by_side.alone
    def test_two_equal_sensors_get_their_ids_over_slcan(self):
        line = os.path.join(self.folder, 'line')
        run = self.start(f'slcan-pty:{line}', 100, '--set', 'sensors.boom.node_id=255', '--set',
                         'sensors.adjust.node_id=255')
        self.until(lambda: os.path.exists(line), 'the pseudo terminal', 20)
        network = self.connect(interface='slcan', channel=line, bitrate=250000, sleep_after_open=0.05)
        self.check_dictionary(self.add(network, 3))
        network.lss.RESPONSE_TIMEOUT = 0.2
        serials = []
        for node_id in (0x21, 0x22):
            found, identity = network.lss.fast_scan()
            self.assertTrue(found)
            serials.append(identity[3])
            boots = []
            network.subscribe(0x700 + node_id, lambda *frame, to=boots: to.append(frame))
            network.lss.configure_node_id(node_id)
            network.lss.send_switch_state_global(network.lss.WAITING_STATE)
            self.until(lambda: boots, 'boot-up')
            node = self.add(network, node_id, 'inclinometer_1d')
            self.assertEqual(node.sdo[0x1018][4].raw, identity[3])
        self.assertEqual(sorted(serials), [1001, 1002])
        self.assertFalse(network.lss.fast_scan()[0])
        self.networks.pop().disconnect()
        code, _, errors = run.stop()
        self.assertEqual(code, 130, errors)

    # ---- what goes wrong ----

    def refused(self, pattern, *arguments):
        done = subprocess.run([TANDEM, 'run', 'system.ssd', '--step', '0.001', '--stop', '0.1', '--input', 'boom.csv',
                               '--out', 'out', '--set', 'bridge.network=true', *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, pattern)

    def test_what_cannot_be_opened_is_refused(self):
        self.refused(r"error\[outside\]: .*unit 'bridge' talks to the outside.*--realtime")
        def transport(address):
            return '--realtime', '--set', 'bridge.transport=' + address
        self.refused(r"upd:: unknown kind of bus 'upd'.*udp", *transport('upd:'))
        self.refused(r'socketcan:can9: ', *transport('socketcan:can9'))
        self.refused(r"no network interface 'eth9'", *transport('udp:@eth9'))
        with socket.socket() as closed:
            closed.bind(('127.0.0.1', 0))
            self.refused(r'127\.0\.0\.1:\d+: ', *transport('slcan-tcp:127.0.0.1:%d' % closed.getsockname()[1]))

    def test_a_peer_that_disappears_costs_frames_and_nothing_else(self):
        with socket.create_server(('127.0.0.1', 0)) as server:
            run = self.start('slcan-tcp:127.0.0.1:%d' % server.getsockname()[1], 2, '--set',
                             'sensors.Bus.BusNotifications=true')
            server.settimeout(20)
            peer, _ = server.accept()
            peer.settimeout(20)
            text = b''
            while b't701100\r' not in text:  # the first boot-up message
                text += peer.recv(4096)
            peer.sendall(b't00020100\r')  # start all
            while b't1812' not in text:  # PDOs
                text += peer.recv(4096)
            self.assertTrue(text.startswith(b'C\rS5\rO\r'), text[:20])
            peer.close()
        code, _, errors = run.finish()
        self.assertEqual(code, 0, errors)
        self.assertRegex(errors, r'bridge.*(closed the line|reset by peer|Broken pipe).*the simulation goes on')
        last = self.last_row()
        self.assertGreater(int(last['bridge.frames.refused']), 0)
        self.assertEqual(int(last['bridge.state']), 0)
        self.assertRegex(last['bridge.problem'], 'closed the line|reset by peer|Broken pipe')
        self.assertGreater(int(last['sensors.frames.lost']), 0)  # nobody confirms: its queue is full

    def test_an_interface_that_vanishes_is_said(self):
        made = subprocess.run('ip link add gone type veth peer name other'.split(), capture_output=True)
        if made.returncode != 0:
            self.skipTest('this kernel makes no pairs of interfaces')
        for command in ('ip addr add 10.99.99.1/24 dev gone', 'ip link set other up', 'ip link set gone up'):
            subprocess.run(command.split(), check=True)
        run = self.start('udp:@gone', 2)
        journal = os.path.join(self.folder, 'out', 'bridge.journal')  # it is open
        self.until(lambda: os.path.exists(journal), 'the run', 20)
        time.sleep(0.3)
        subprocess.run('ip link del gone'.split(), check=True)
        code, _, errors = run.finish()
        self.assertEqual(code, 0, errors)
        self.assertRegex(errors, 'bridge.*; the simulation goes on')

    def check_no_room(self, run, state):
        """Frames that found no room were thrown away, counted and told once; the run still hears Ctrl-C."""
        code, _, errors = run.stop()
        self.assertEqual(code, 130, errors)
        self.assertEqual(len(re.findall("bridge.*frames cannot be sent: nobody takes them on '.*'; they are thrown away and counted",
                                        errors)), 1, errors)
        last = self.last_row()
        self.assertGreater(int(last['bridge.frames.refused']), 10)
        self.assertEqual(int(last['bridge.state']), state)
        self.assertEqual(last['bridge.problem'], '')
        return errors

    def test_a_line_that_nobody_reads_fills_up_and_costs_frames_only(self):
        line = os.path.join(self.folder, 'line')
        run = self.start(f'slcan-pty:{line}', 100, '--record', 'bridge.*')
        self.until(lambda: os.path.exists(line), 'the pseudo terminal', 20)
        peer = os.open(line, os.O_RDWR | os.O_NOCTTY)
        try:
            os.write(peer, b'C\rS5\rO\r')
            # Starts all as soon as they are there, and reads nothing.
            self.until(lambda: os.write(peer, b't00020100\r') and self.growing('bridge.frames.confirmed') > 500, 'PDOs', 20)
            self.until(lambda: self.growing('bridge.frames.refused') > 10, 'frame without room', 30)
            confirmed = self.growing('bridge.frames.confirmed')

            def read_on():
                while select.select([peer], [], [], 0)[0]:
                    os.read(peer, 65536)
                return self.growing('bridge.frames.confirmed') > confirmed + 500

            self.until(read_on, 'PDOs again', 20)
        finally:
            os.close(peer)
        self.until(lambda: self.growing('bridge.state') == 0, 'a line that nobody has open', 20)
        time.sleep(0.2)  # frames that were given to the line before are refused, too
        confirmed = self.growing('bridge.frames.confirmed')
        refused = self.growing('bridge.frames.refused')
        self.until(lambda: self.growing('bridge.frames.refused') > refused + 100, 'frames that nobody takes', 20)
        self.assertEqual(self.growing('bridge.frames.confirmed'), confirmed)
        errors = self.check_no_room(run, 0)
        self.assertIn(f"nobody is on 'slcan-pty:{line}' any more; the simulation goes on", errors)

    def test_a_full_socket_buffer_costs_frames_only(self):
        run = self.start(f'udp::{PORT}', 100, '--record', 'bridge.*')
        network = self.connect(interface='udp_multicast', channel='239.74.163.2', port=PORT)
        self.reach(self.add(network, 3))
        network.nmt.send_command(1)
        self.until(lambda: self.growing('bridge.frames.confirmed') > 500, 'PDOs', 20)
        if not own_network.narrow():
            self.skipTest('this kernel limits no rate')
        self.until(lambda: self.growing('bridge.frames.refused') > 10, 'frame without room', 20)
        own_network.widen()
        confirmed = self.growing('bridge.frames.confirmed')
        self.until(lambda: self.growing('bridge.frames.confirmed') > confirmed + 500, 'PDOs again', 20)
        self.check_no_room(run, 1)

    def test_a_flood_costs_no_hang(self):
        with socket.create_server(('127.0.0.1', 0)) as server:
            run = self.start('slcan-tcp:127.0.0.1:%d' % server.getsockname()[1], 2)
            server.settimeout(20)
            peer, _ = server.accept()
            with peer:
                peer.settimeout(20)
                peer.recv(6)
                peer.sendall(b't7FF0\rnonsense\r' * 20000)
                self.until(lambda: run.process.poll() is not None, 'the end of the run', 60)
        code, _, errors = run.finish()
        self.assertEqual(code, 0, errors)
        last = self.last_row()
        came, lost, malformed = (int(last['bridge.frames.' + name]) for name in ('received', 'lost', 'malformed'))
        self.assertEqual(malformed, 20000)
        self.assertGreaterEqual(came + lost, 20000)
        self.assertGreater(came, 1000)

    def test_nobody_there_is_said_once(self):
        code, _, errors = self.start(f'slcan-pty:{os.path.join(self.folder, "line")}', 1).finish()
        self.assertEqual(code, 0, errors)
        self.assertEqual(len(re.findall('nobody takes them', errors)), 1, errors)


if __name__ == '__main__':
    del sys.argv[1:4]
    side_by_side.main(prepare=own_network.leave_for_another)
