"""Teleoperation of the excavator: inside of a simulation over a bad link, and over UDP with operators of all kinds.

usage: teleoperation_test.py TANDEM FMUS REPOSITORY; TANDEM_LONG=1 adds the latency budget up to 400 ms with six seeds.
"""
import csv
import hashlib
import hmac
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import unittest

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
del sys.argv[1:4]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))
import side_by_side  # noqa: E402

POSE, EDGE, STATUS, COMMAND, HELLO, ECHO = range(1, 7)
AXES = ('boom', 'adjust', 'arm', 'coupler', 'slew', 'rotate', 'jaw', 'travel')
RECORDED = ['--record', 'teleop.*.command', 'teleop.c*', 'teleop.sent.*', 'person.stage', 'person.done', 'person.finished',
            'person.view.*', 'wall.removed', 'motion.boom.position']


def choose_address():
    """Of this machine, that no other running test has."""
    global MACHINE
    process = os.getpid() & 0xffff
    MACHINE = (f'127.{process >> 8}.{process & 0xff}.3', 47000)


class Operator:
    """A station of another make: only what interfaces/teleop/README.md says."""

    def __init__(self, key=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((MACHINE[0][:-1] + '1', 0))
        self.socket.setblocking(False)
        self.key, self.session, self.sequence, self.seen = key, 0, 0, 0
        self.packets, self.sent = [], []  # (kind, machine's time in us, bytes); commands as they left

    def packet(self, kind, sequence, payload, session=None):
        head = struct.pack('<BBII', 0x54, 0x10 | kind, self.session if session is None else session, sequence)
        data = head + int(time.monotonic() * 1e6).to_bytes(6, 'little') + payload
        return data + hmac.new(self.key, data, hashlib.sha256).digest()[:16] if self.key else data

    def hello(self):
        self.socket.sendto(self.packet(HELLO, 0, struct.pack('<I', 9)), MACHINE)

    def poll(self):
        while True:
            try:
                data, _ = self.socket.recvfrom(2048)
            except BlockingIOError:
                return
            _, kind, session, _ = struct.unpack_from('<BBII', data)
            stamp = int.from_bytes(data[10:16], 'little')
            self.session, self.seen = session, max(self.seen, stamp)
            self.packets.append((kind & 15, stamp, len(data)))

    def wait(self, seconds, every=lambda: None):
        end, greeted = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            if time.monotonic() - greeted > 0.5:
                greeted = time.monotonic()
                self.hello()
            self.poll()
            every()
            time.sleep(0.02)

    def command(self, boom, session=None, seen=None):
        self.sequence += 1
        levers = [int(boom * 32767)] + 7 * [0]
        payload = struct.pack('<IH', 9, 1) + (self.seen if seen is None else seen).to_bytes(6, 'little')
        data = self.packet(COMMAND, self.sequence, payload + struct.pack('<8h', *levers), session)
        self.sent.append(data)
        self.socket.sendto(data, MACHINE)


class Teleoperation(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='tandem-teleop-'))
        (self.folder / 'system/resources').mkdir(parents=True)
        text = (REPOSITORY / 'examples/teleoperation/SystemStructure.ssd').read_text()
        for name in set(re.findall(r'source="resources/(\w+\.fmu)"', text)):
            shutil.copy(FMUS / name, self.folder / 'system/resources' / name)
        (self.folder / 'system/SystemStructure.ssd').write_text(text)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def command(self, out, *options):
        return [TANDEM, 'run', 'system', '--quiet', '--shadow', 'off', *RECORDED, '--out', out, *options]

    def rows(self, out):
        with open(self.folder / out / 'results.csv', newline='') as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def simulate(self, out, *options):
        done = subprocess.run(self.command(out, *options), cwd=self.folder, capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.rows(out)

    def test_a_bite_over_a_bad_link_is_the_same_for_the_same_seed(self):
        link = 'delay=80ms,jitter=20ms,loss=2%,rate=100kbit/s,seed='
        one = self.simulate('one', '--stop', '30', '--link', link + '1')
        self.assertEqual(one[-1]['person.done'], 1)
        self.assertGreater(one[-1]['wall.removed'], 0.02)
        again = self.simulate('again', '--stop', '30', '--set', 'teleop.link=' + link + '1')
        other = self.simulate('other', '--stop', '30', '--link', link + '2')
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)
        self.assertEqual(other[-1]['person.done'], 1)
        # What he sees is as old as the link is slow: 5 ms of transmission and up to a step and a period are added.
        ages = [row['person.view.age'] for row in one if row['time'] > 1]
        self.assertGreaterEqual(min(ages), 0.06)
        self.assertLess(sorted(ages)[len(ages) * 95 // 100], 0.08 + 0.02 + 0.06)
        self.assertAlmostEqual(one[-1]['teleop.sent.content'] / 30, 55.2e3, delta=0.01 * 55.2e3)

    def test_an_operator_who_is_gone_stops_every_axis(self):
        rows = self.simulate('out', '--stop', '3', '--set', 'person.quits_at=1.2')
        self.assertLess(min(row['teleop.boom.command'] for row in rows), 0)
        last = max(row['time'] for row in rows if any(row[f'teleop.{axis}.command'] for axis in AXES))
        self.assertLessEqual(last, 1.2 + 0.2 + 0.02)
        self.assertEqual(rows[-1]['teleop.commands.timeouts'], 1)
        self.assertEqual(rows[-1]['teleop.control.holder'], 0)

    def start(self, *options):
        return subprocess.Popen(self.command('out', '--realtime', f'--tele={MACHINE[0]}', '--set', 'teleop.dead_man=0.5', *options),
                                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def found(self, operator, run):
        while not operator.packets and run.poll() is None:
            operator.wait(0.1)

    def test_over_udp_only_the_operator_in_control_moves_an_axis(self):
        run = self.start('--stop', '12')
        operator = Operator()
        self.found(operator, run)
        operator.wait(2.5)
        first = operator.packets[0][1] + 100_000
        window = [packet for packet in operator.packets if first < packet[1] <= first + 2_000_000]
        content = sum({POSE: 144, EDGE: 4800}.get(kind, 0) for kind, _, _ in window)
        payload = sum(8 * size for _, _, size in window)
        print(f'content {content / 2e3} kbit/s, UDP payload {payload / 2e3} kbit/s')
        operator.wait(0.3, lambda: operator.command(0))
        operator.wait(1, lambda: operator.command(0.5))
        operator.socket.close()  # killed
        operator.socket = Operator().socket
        end = time.monotonic() + 1
        while time.monotonic() < end:
            time.sleep(0.02)
        for data in operator.sent:  # replayed
            operator.socket.sendto(data, MACHINE)
        operator.wait(0.3, lambda: operator.command(0.5, session=operator.session + 1))
        operator.wait(0.3, lambda: operator.command(0.5, seen=operator.seen + 3_600_000_000))
        operator.wait(0.3, lambda: operator.socket.sendto(os.urandom(44), MACHINE))
        operator.wait(0.3, lambda: operator.command(0.5))  # control, but the lever was never neutral
        _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, errors)
        self.assertEqual(content / 2, 55.2e3)
        self.assertLessEqual(payload / 2, 65e3)
        rows = self.rows('out')
        moved = [row['time'] for row in rows if row['teleop.boom.command']]
        self.assertTrue(moved, 'nothing moved')
        self.assertGreater(moved[-1] - moved[0], 0.5)
        killed = max(row['time'] for row in rows if row['time'] <= moved[-1] and
                     row['teleop.commands.accepted'] < max(r['teleop.commands.accepted'] for r in rows if r['time'] <= moved[-1]))
        self.assertLessEqual(moved[-1] - killed, 0.5 + 0.03)
        self.assertGreater(rows[-1]['teleop.commands.old'], 10)
        self.assertGreater(rows[-1]['teleop.commands.refused'], 10)
        self.assertEqual({row['teleop.boom.command'] for row in rows if row['time'] > moved[-1]}, {0})
        again = subprocess.run([TANDEM, 'run', '--repeat', 'out/run.json', '--out', 'again'], cwd=self.folder,
                               capture_output=True, text=True, timeout=120)
        self.assertIn('same bits', again.stdout, again.stderr)

    def test_with_a_key_only_signed_commands_count(self):
        (self.folder / 'key').write_text('a secret of both ends\n')
        run = self.start('--stop', '6', '--set', 'teleop.key_file=key')
        signed = Operator(b'a secret of both ends')
        self.found(signed, run)
        forger = Operator(b'another secret of his')
        forger.session = signed.session
        def forge(boom):
            signed.poll()
            forger.seen = signed.seen
            forger.command(boom)
        signed.wait(0.3, lambda: forge(0))
        signed.wait(0.5, lambda: forge(0.5))
        signed.wait(0.3, lambda: signed.command(0))
        signed.wait(0.5, lambda: signed.command(-0.4))
        _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, errors)
        rows = self.rows('out')
        moved = {round(row['teleop.boom.command'], 2) for row in rows}
        self.assertEqual(moved, {0, -0.4})
        self.assertGreater(rows[-1]['teleop.commands.refused'], 10)

    def test_what_cannot_be_opened_is_named(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(MACHINE)
            _, errors = self.start('--stop', '1').communicate(timeout=30)
        self.assertIn(f'cannot use UDP address {MACHINE[0]}:{MACHINE[1]}: Address already in use', errors)
        for options, code, text in ((['--realtime', '--tele=0.0.0.0'], 1, 'key'),
                                    (['--realtime', '--tele=here'], 2, "'here' is no address"),
                                    (['--tele'], 2, "unit 'teleop' talks to the outside"),
                                    (['--link', 'delay=slow'], 2, "link: 'delay=slow', expected a number")):
            done = subprocess.run(self.command('out', '--stop', '1', *options), cwd=self.folder, capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stderr)

    def test_a_system_without_a_machine_end_says_so(self):
        for option in ('--tele', '--link=delay=1ms'):
            done = subprocess.run([TANDEM, 'run', FMUS / 'oscillator.fmu', option, '--out', 'none'], cwd=self.folder,
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("is the machine's end of teleoperation, expected one with a terminal of kind", done.stderr)

    def test_a_killed_operator_stops_every_axis_within_the_dead_man_timeout(self):
        run = self.start('--stop', '8')
        pid = os.fork()
        if pid == 0:  # a process of his own, which knows nothing of its end
            operator = Operator()
            while not operator.packets:
                operator.wait(0.1)
            operator.wait(0.5, lambda: operator.command(0))
            operator.wait(60, lambda: operator.command(0.4))
            os._exit(0)
        rows = []
        end = time.monotonic() + 60
        while time.monotonic() < end and not any(row.get('teleop.boom.command', 0) > 0.3 for row in rows):
            time.sleep(0.1)
            rows = self.partial_rows()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, errors)
        rows = self.rows('out')
        accepted = rows[-1]['teleop.commands.accepted']
        last_command = next(row['time'] for row in rows if row['teleop.commands.accepted'] == accepted)
        moved = [row['time'] for row in rows if any(row[f'teleop.{axis}.command'] for axis in AXES)]
        self.assertTrue(moved, 'nothing moved')
        self.assertLessEqual(moved[-1], last_command + 0.5 + 0.011)  # the dead-man timeout of this run, and a step
        self.assertEqual(rows[-1]['teleop.control.holder'], 0)

    def partial_rows(self):
        try:
            with open(self.folder / 'out/results.partial.csv', newline='') as file:
                lines = file.read().splitlines()[:-1]  # the last one may be half of one
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(lines)]
        except (FileNotFoundError, TypeError):
            return []

    @unittest.skipUnless('TANDEM_LONG' in os.environ, 'takes minutes')
    def test_the_latency_budget_is_reproduced_with_other_seeds(self):
        """The mean of three seeds is that of three others; how much single ones differ is what jitter can do to them."""
        sys.path.insert(0, str(REPOSITORY / 'examples/teleoperation'))
        import budget
        lowering = 0.6  # m/s, how fast the tool goes down: the overshoot grows by twice that with the delay of one way
        before, undisturbed = 0, 0
        for delay in (0, 100, 200, 300, 400):
            jitter = delay // 4
            link = f'delay={delay}ms,jitter={jitter}ms,loss=5%,rate=100kbit/s,seed='
            bites = [budget.bite(TANDEM, link + seed, 60) for seed in '123456']
            self.assertTrue(all(bite[0] for bite in bites), f'not done: {bites}')
            print(f'{delay} ms:', *(f'{t:.1f} s, {1000 * over:.0f} mm over, {hit:.1f} s in collision, {1000 * taken:.0f} l;'
                                    for t, over, hit, taken in bites))
            time, overshoot, _, taken = map(statistics.fmean, zip(*bites))
            _, one, _, one_taken = map(statistics.fmean, zip(*bites[:3]))
            _, other, _, other_taken = map(statistics.fmean, zip(*bites[3:]))
            self.assertLess(abs(one - other), 0.03, 'the overshoot is the delay\'s, not the seed\'s')
            self.assertLess(abs(one_taken - other_taken), 0.25 * one_taken, 'and so is the bite')
            for _, over, _, volume in bites:
                # What he saw last and what he said then may each be late by the jitter, and come with the next packet.
                self.assertLess(abs(over - overshoot), lowering * (2e-3 * jitter + 0.02))
                self.assertLess(abs(volume - taken), 0.25 * taken)
            self.assertGreater(overshoot, before + (0.03 if delay else -0.01), 'more delay is more overshoot')
            # Beyond 100 ms he is careful from the first mistake on, and no slower with more delay: only the first step counts.
            self.assertGreater(time, undisturbed + (4 if delay else 0))
            before, undisturbed = overshoot, undisturbed or time


if __name__ == '__main__':
    side_by_side.main(prepare=choose_address)
