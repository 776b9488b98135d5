"""The LiDAR unit on the network: what its clients get, what perception makes of it, and that a run repeats without it.

usage: lidar_network_test.py TANDEM FMUS LISTENER REPOSITORY
"""
import csv
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 5:
    sys.exit(__doc__)
TANDEM, FMUS, LISTENER, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
del sys.argv[1:5]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))
import side_by_side  # noqa: E402

LONG = 'TANDEM_LONG' in os.environ
LATENCY = 0.5  # s, the longest between a measurement and its use behind the network


def own(last):
    """An address of this machine that no other running test has."""
    process = os.getpid() & 0xffff
    return f'127.{process >> 8}.{process & 0xff}.{last}'


def edge_of(row, name):
    """The heights of an edge, None where there is none."""
    return [float(row[f'{name}.edge.height[{i}]']) if row[f'{name}.edge.valid[{i}]'] in ('1', 'true') else None
            for i in range(1, 301)]


def distances(one, other):
    """Of two edges where both have one, sorted."""
    return sorted(abs(a - b) for a, b in zip(one, other) if a is not None and b is not None)


def median(values):
    return values[len(values) // 2]


class LidarNetwork(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='tandem-lidar-'))
        shutil.copytree(REPOSITORY / 'examples/lidar_network', self.folder / 'system',
                        ignore=shutil.ignore_patterns('*.fmu'))
        (self.folder / 'system/resources').mkdir(exist_ok=True)
        text = (self.folder / 'system/SystemStructure.ssd').read_text()
        for name in set(re.findall(r'source="resources/(\w+\.fmu)"', text)):
            shutil.copy(FMUS / name, self.folder / 'system/resources' / name)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def command(self, *options):
        return [TANDEM, 'run', 'system', '--shadow', 'off', '--set', f'lidar.livox.address={own(2)}',
                '--set', f'lidar.livox.advert_to={own(1)}', '--set', f'client.address={own(1)}', *options]

    def tandem(self, *options):
        return subprocess.run(self.command(*options), cwd=self.folder, capture_output=True, text=True, timeout=120)

    def rows(self, out):
        with open(self.folder / out / 'results.csv', newline='') as file:
            return list(csv.DictReader(file))

    def last_row(self, out):
        return self.rows(out)[-1]

    def test_it_is_served_in_real_time_only(self):
        done = self.tandem('--set', 'lidar.network=true')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("unit 'lidar' talks to the outside", done.stderr)

    def test_an_address_that_is_taken_or_none_is_named(self):
        taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        taken.bind((own(2), 65000))
        with taken:
            done = self.tandem('--realtime', '--set', 'lidar.network=true')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f'cannot use UDP address {own(2)}:65000: Address already in use', done.stderr)
        done = self.tandem('--realtime', '--set', 'lidar.network=true', '--set', 'lidar.livox.advert_to=nowhere')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("parameter 'livox.advert_to' is 'nowhere', expected an IPv4 address", done.stderr)

    @side_by_side.alone
    def test_perception_finds_the_same_edge_over_the_network_and_the_run_repeats_without_it(self):
        done = self.tandem('--realtime', '--set', 'lidar.network=true', '--set', 'client.network=true', '--stop', '3',
                           '--record', '*.edge.height', '*.edge.valid', 'client.p*', 'lidar.livox.*', '--out', 'out')
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows('out')
        self.assertGreater(float(rows[-1]['client.packets.received']), 1000)
        self.assertEqual(float(rows[-1]['client.packets.lost']), 0)
        networked = edge_of(rows[-1], 'networked')
        # What came last over the network was measured a moment ago, a longer one on a busy machine.
        recent = [row for row in rows if float(row['time']) > float(rows[-1]['time']) - LATENCY]
        apart = min((distances(edge_of(row, 'wired'), networked) for row in recent), key=median)
        print(f'edge: {len(apart)} of 300 places, median {1000 * median(apart):.1f} mm and at most {1000 * apart[-1]:.1f} mm apart')
        self.assertGreater(len(apart), 100)
        self.assertGreater(len(apart), 0.9 * sum(height is not None for height in edge_of(rows[-1], 'wired')))
        # Half a millimetre of rounding on the wire; and where points are few, the newest count, against 20 mm of noise in
        # each.
        self.assertLess(median(apart), 0.002)
        self.assertLess(apart[len(apart) * 95 // 100], 0.01)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind((own(2), 65000))  # a repeat opens nothing
            again = subprocess.run([TANDEM, 'run', '--repeat', 'out/run.json', '--out', 'again'], cwd=self.folder,
                                   capture_output=True, text=True, timeout=120)
        self.assertEqual(again.returncode, 0, again.stderr + again.stdout)
        self.assertIn('same bits', again.stdout)

    def test_a_client_gets_what_the_sensor_measures(self):
        seconds = 20 if LONG else 2
        attempts = []
        for _ in range(3):  # other programs may take the processors away for a while, not three times in a row
            run = subprocess.Popen(self.command('--realtime', '--set', 'lidar.network=true', '--stop', str(seconds + 4),
                                                '--record', 'lidar.livox.*', '--out', 'out'),
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            heard = subprocess.run([LISTENER, own(1), str(seconds), '30'], capture_output=True, text=True, timeout=90)
            _, errors = run.communicate(timeout=90)
            self.assertEqual(run.returncode, 0, errors)
            self.assertEqual(heard.returncode, 0, heard.stderr)
            client, sent = json.loads(heard.stdout), self.last_row('out')
            print('client', client, 'late', sent['lidar.livox.late'])
            self.assertEqual(client['code'], '3GGDJ6K00200101')
            self.assertEqual(client['wrong'], 0)
            self.assertEqual(client['backwards'], 0)
            self.assertLessEqual(client['burst'], 40)
            self.assertEqual(float(sent['lidar.livox.failed']), 0)
            self.assertLessEqual(client['packets'] + client['kernel_drops'], float(sent['lidar.livox.packets']))
            if client['kernel_drops'] == 0 and float(sent['lidar.livox.dropped']) == 0:
                self.assertEqual(client['gaps'], 0)
            attempts.append(client['points'] / (1e5 * seconds))
            if attempts[-1] >= 0.999:
                return
        self.fail(f'shares of the points that came: {attempts}')


if __name__ == '__main__':
    side_by_side.main()
