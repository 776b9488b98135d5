"""What the network does to whole runs: peers that die or stop reading, interfaces that vanish, buffers that are full. Each is
said, counted, and costs the run nothing: it goes on to its end.

usage: network_faults_test.py TANDEM FMUS LISTENER REPOSITORY
"""
import contextlib
import csv
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
import own_network  # noqa: E402
import side_by_side  # noqa: E402

if len(sys.argv) < 5:
    sys.exit(__doc__)
own_network.enter()
TANDEM, FMUS, LISTENER, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
del sys.argv[1:5]
PATIENCE = 60


class NetworkFaults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='tandem-faults-'))
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        subprocess.run('ip link del gone'.split(), capture_output=True)
        own_network.widen()
        shutil.rmtree(self.folder)

    def start(self, example, out, *options):
        """A run of the example; options beyond those of all."""
        system = self.folder / example
        if not system.exists():
            (system / 'resources').mkdir(parents=True)
            text = (REPOSITORY / 'examples' / example / 'SystemStructure.ssd').read_text()
            for name in set(re.findall(r'source="resources/(\w+\.fmu)"', text)):
                shutil.copy(FMUS / name, system / 'resources' / name)
            (system / 'SystemStructure.ssd').write_text(text)
        command = [TANDEM, 'run', system, '--shadow', 'off', '--realtime', '--out', self.folder / out, *options]
        return self.process(command, text=True)

    def process(self, command, **options):
        started = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.started.append(started)
        return started

    def finish(self, run):
        _, errors = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 0, errors)
        return errors

    def rows(self, out):
        with open(self.folder / out / 'results.csv', newline='') as file:
            return list(csv.DictReader(file))

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, f'no {what}')
            time.sleep(0.05)

    def interface(self, *addresses):
        """An interface that can vanish, with these addresses."""
        made = subprocess.run('ip link add gone type veth peer name other'.split(), capture_output=True)
        if made.returncode != 0:
            self.skipTest('this kernel makes no pairs of interfaces')
        for command in (*(f'ip addr add {address}/24 dev gone' for address in addresses), 'ip link set other up',
                        'ip link set gone up'):
            subprocess.run(command.split(), check=True)

    def recorded(self, out, column, above):
        """Whether the growing result has a value beyond this already."""
        partial = self.folder / out / 'results.partial.csv'
        if not partial.exists():
            return False
        lines = partial.read_text().splitlines()
        if len(lines) < 3:
            return False
        return float(lines[-2].split(',')[lines[0].split(',').index(column)]) > above

    def lidar(self, seconds, device, client):
        return self.start('lidar_network', 'lidar', '--set', 'lidar.network=true', '--set', f'lidar.livox.address={device}',
                          '--set', f'lidar.livox.advert_to={client}', '--stop', str(seconds), '--record', 'lidar.livox.*')

    def test_a_client_that_stops_reading_and_is_dead_slows_nothing(self):
        run = self.lidar(9, '127.0.0.2', '127.0.0.1')
        client = self.process([LISTENER, '127.0.0.1', '60', '30'])
        self.until(lambda: self.recorded('lidar', 'lidar.livox.packets', 20), 'points')
        client.send_signal(signal.SIGSTOP)  # its buffer fills up, and no heartbeat comes
        errors = self.finish(run)
        rows = self.rows('lidar')
        connected = [row['lidar.livox.connected'] in ('1', 'true') for row in rows]
        self.assertIn(True, connected)
        self.assertFalse(connected[-1], 'a client without heartbeats loses its session')
        sent = [float(row['lidar.livox.packets']) for row in rows]
        stopped = next(i for i in range(len(rows)) if sent[i] == sent[-1])
        began = next(i for i in range(len(rows)) if sent[i] > 0)
        self.assertGreater(float(rows[stopped]['time']) - float(rows[began]['time']), 2, 'a full buffer is not the end')
        self.assertEqual(float(rows[-1]['lidar.livox.failed']), 0, errors)
        self.assertAlmostEqual(float(rows[-1]['time']), 9)

    def narrow(self):
        if not own_network.narrow():
            self.skipTest('this kernel limits no rate')

    def check_recovered(self, rows, sent, failed):
        """Packets found no room for a while; later ones did again."""
        rows = [(float(row[sent]), float(row[failed])) for row in rows]
        full = next(i for i, row in enumerate(rows) if row[1] > 0)
        last = next(i for i, row in enumerate(rows) if row[1] == rows[-1][1])
        self.assertGreater(full, 0)
        self.assertGreater(rows[-1][0], rows[last][0] + 20, 'nothing is sent any more')

    def test_a_lidar_whose_send_buffer_is_full_says_so_and_goes_on(self):
        run = self.lidar(6, '127.0.0.2', '127.0.0.1')
        self.process([LISTENER, '127.0.0.1', '60', '30'])
        self.until(lambda: self.recorded('lidar', 'lidar.livox.packets', 20), 'points')
        self.narrow()
        self.until(lambda: self.recorded('lidar', 'lidar.livox.failed', 0), 'packet without room')
        own_network.widen()
        errors = self.finish(run)
        self.assertEqual(len(re.findall('lidar.*packets cannot be sent: Resource temporarily unavailable; they are thrown away and '
                                        'counted, the simulation goes on', errors)), 1, errors)
        rows = self.rows('lidar')
        self.check_recovered(rows, 'lidar.livox.packets', 'lidar.livox.failed')
        self.assertIn(rows[-1]['lidar.livox.connected'], ('1', 'true'))
        self.assertAlmostEqual(float(rows[-1]['time']), 6)

    def test_a_stream_whose_send_buffer_is_full_says_so_and_goes_on(self):
        run = self.start('teleoperation', 'out', '--tele', '--stop', '6', '--record', 'teleop.telemetry.*', 'teleop.sent.*')
        with contextlib.ExitStack() as stack:
            operators = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(4)]

            def greeted(condition):
                """Whoever says nothing is forgotten."""
                for number, operator in enumerate(operators):
                    operator.sendto(struct.pack('<BBII6xI', 0x54, 0x15, 0, 0, 1 + number), ('127.0.0.1', 47000))
                return condition()

            self.until(lambda: greeted(lambda: self.recorded('out', 'teleop.telemetry.operators', 3)), 'operators')
            self.narrow()
            self.until(lambda: self.recorded('out', 'teleop.telemetry.failed', 0), 'packet without room')
            own_network.widen()
            self.until(lambda: greeted(lambda: run.poll() is not None), 'end')
        errors = self.finish(run)
        self.assertEqual(len(re.findall('teleop.*the stream cannot be sent: Resource temporarily unavailable; packets are thrown '
                                        'away and counted, the simulation goes on', errors)), 1, errors)
        rows = self.rows('out')
        self.assertEqual(float(rows[-1]['teleop.telemetry.operators']), 4)
        last = next(row for row in rows if row['teleop.telemetry.failed'] == rows[-1]['teleop.telemetry.failed'])
        self.assertLess(float(last['time']), 5, 'it still finds no room')
        self.assertAlmostEqual(float(rows[-1]['time']), 6)

    def test_a_lidar_whose_interface_vanishes_says_so_and_the_run_goes_on(self):
        self.interface('10.99.97.1', '10.99.97.2')
        run = self.lidar(4, '10.99.97.1', '10.99.97.2')
        self.process([LISTENER, '10.99.97.2', '60', '30'])
        self.until(lambda: self.recorded('lidar', 'lidar.livox.packets', 20), 'points')
        subprocess.run('ip link del gone'.split(), check=True)
        errors = self.finish(run)
        self.assertEqual(len(re.findall(r'lidar.*packets cannot be sent: .*the simulation goes on', errors)), 1, errors)
        self.assertGreater(float(self.rows('lidar')[-1]['lidar.livox.failed']), 0)

    def test_a_lidar_that_is_killed_is_missed_and_the_run_goes_on(self):
        lidar = self.lidar(60, '127.0.0.2', '127.0.0.1')
        run = self.start('lidar_network', 'client', '--set', 'client.network=true', '--stop', '6', '--record', 'client.*')
        self.until(lambda: self.recorded('client', 'client.packets.received', 20), 'points')
        os.kill(lidar.pid, signal.SIGKILL)
        errors = self.finish(run)
        self.assertIn('the LiDAR has fallen silent; the simulation goes on', errors)
        self.assertIn(self.rows('client')[-1]['client.sampling'], ('0', 'false'))

    def test_a_machine_whose_interface_vanishes_says_so_and_stops_every_axis(self):
        self.interface('10.99.98.1')
        key = self.folder / 'key'
        key.write_text('a secret of both ends\n')
        run = self.start('teleoperation', 'out', '--tele=10.99.98.1', '--set', f'teleop.key_file={key}', '--stop', '4',
                         '--record', 'teleop.*.command', 'teleop.telemetry.*', 'teleop.control.*')
        station = self.process([TANDEM, 'tele', REPOSITORY / 'config/excavator/station.xml', '--view=0', '--from', '10.99.98.1',
                                '--key-file', key])
        self.until(lambda: self.recorded('out', 'teleop.telemetry.operators', 0), 'operator')
        subprocess.run('ip link del gone'.split(), check=True)
        errors = self.finish(run)
        self.assertEqual(len(re.findall(r'teleop.*cannot be sent: .*the simulation goes on', errors)), 1, errors)
        rows = self.rows('out')
        self.assertGreater(float(rows[-1]['teleop.telemetry.failed']), 0)
        self.assertIsNone(station.poll(), 'the station stays and waits')
        station.send_signal(signal.SIGINT)
        self.assertEqual(station.wait(PATIENCE), 0)

    def test_a_flood_of_datagrams_costs_no_hang(self):
        run = self.start('teleoperation', 'out', '--tele', '--stop', '3', '--record', 'teleop.c*', 'teleop.*.command')
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood:
            rubbish = struct.pack('<BBII', 0x54, 0x14, 1, 1) + os.urandom(34)
            while run.poll() is None:
                for _ in range(200):
                    flood.sendto(rubbish, ('127.0.0.1', 47000))
                time.sleep(0.005)
        self.finish(run)
        last = self.rows('out')[-1]
        self.assertGreater(float(last['teleop.commands.refused']), 100)
        self.assertEqual(float(last['teleop.boom.command']), 0)


if __name__ == '__main__':
    side_by_side.main(prepare=own_network.leave_for_another)
