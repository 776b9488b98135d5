"""`tandem can` on logs that python-can writes and reads, with messages that cantools encodes, and on a live bus in a
network of its own.

usage: can_test.py TANDEM CONTROL.dbc
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, DATABASE = (os.path.abspath(argument) for argument in sys.argv[1:3])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))
import own_network  # noqa: E402

own_network.enter()

import can  # noqa: E402  (inside the namespace only)
import cantools  # noqa: E402

KEYS = ('arbitration_id', 'is_extended_id', 'is_remote_frame', 'is_error_frame', 'dlc', 'data', 'is_fd', 'bitrate_switch')


def content(message):
    return tuple(bytes(value) if isinstance(value, bytearray) else value for value in (getattr(message, key) for key in KEYS))


def traffic():
    """Fifty control messages with a progress that grows, and one of every other kind of frame."""
    control = cantools.database.load_file(DATABASE).get_message_by_name('Control')
    for i in range(50):
        data = control.encode({'Control_Checksum': 0, 'Control_Counter': i % 15, 'Enable': 'on', 'Phase': 'approach',
                               'Bite': i, 'Progress': i / 100})
        yield can.Message(timestamp=1000 + i * 0.02, arbitration_id=control.frame_id, is_extended_id=False, data=data)
    end = 1001.0
    yield can.Message(timestamp=end, arbitration_id=0x18FEF1FE, is_extended_id=True, data=[1, 2])
    yield can.Message(timestamp=end, arbitration_id=0x123, is_extended_id=False, is_remote_frame=True, dlc=0)
    yield can.Message(timestamp=end, arbitration_id=0x7FF, is_extended_id=False, is_fd=True, bitrate_switch=True, data=bytes(48))


class Can(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tandem(self, *arguments):
        return subprocess.run([TANDEM, 'can', *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def written(self, name):
        with can.Logger(self.folder / name) as logger:
            for message in traffic():
                logger(message)
        return name

    def test_logs_become_a_table_with_rates_and_values(self):
        for name in ('traffic.log', 'traffic.asc'):
            done = self.tandem(self.written(name), '--dbc', DATABASE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, '')
            self.assertRegex(done.stdout, r'100 +Control +Computer +50 +50\.00 +20\.000 +20\.000')
            self.assertRegex(done.stdout, r'Progress +0\.49 +1 +\[0 \.\. 0\.49\]')
            self.assertRegex(done.stdout, r'Phase +3 +approach')
            self.assertRegex(done.stdout, r'18FEF1FE +- +- +1 .* 01 02')
            self.assertRegex(done.stdout, r'4 messages, 53 frames in 1\.000 s, bus load \d\.\d % at 250000 bit/s')

    def test_a_log_written_by_us_is_read_by_python_can(self):
        source = self.written('traffic.log')
        for name in ('again.log', 'again.asc'):
            done = self.tandem(source, '-o', name)
            self.assertEqual(done.returncode, 0, done.stderr)
            with can.LogReader(self.folder / name) as reader:
                messages = list(reader)
            self.assertEqual([content(message) for message in messages], [content(message) for message in traffic()])
            times = [message.timestamp - messages[0].timestamp for message in messages]
            for found, message in zip(times, traffic()):
                self.assertAlmostEqual(found, message.timestamp - 1000, places=5)

    def test_each_interface_of_a_log_is_a_bus_of_its_own(self):
        """Frames of 8 zero bytes at 250 kbit/s, every 2 ms on one bus and every 8 ms on the other, by the same name."""
        with can.Logger(self.folder / 'two.log') as logger:
            for i in range(401):
                for name, every in (('bus1', 1), ('bus2', 4)):
                    if i % every == 0:
                        logger(can.Message(timestamp=1000 + i * 0.002, arbitration_id=0x100, is_extended_id=False,
                                           data=bytes(8), channel=name))
        done = self.tandem('two.log')
        self.assertEqual(done.returncode, 0, done.stderr)
        loads = {name: (int(frames), float(load)) for name, frames, load in
                 re.findall(r'(\w+): 1 messages, (\d+) frames in 0\.800 s, bus load ([\d.]+) %', done.stdout)}
        self.assertEqual({name: frames for name, (frames, _) in loads.items()}, {'bus1': 401, 'bus2': 101})
        # 111 bits with the space between frames, and at most 24 of stuffing, take 0.444 to 0.54 ms of each 2 ms.
        self.assertTrue(22.2 <= loads['bus1'][1] <= 27, loads)
        self.assertAlmostEqual(loads['bus2'][1], loads['bus1'][1] / 4, delta=0.06)

        done = self.tandem('two.log', '--interface', 'bus2', '-o', 'one.log')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('bus1', done.stdout)
        self.assertIn('bus2: 1 messages, 101 frames', done.stdout)
        self.assertEqual(len((self.folder / 'one.log').read_text().splitlines()), 101)
        done = self.tandem('two.log', '--interface', 'bus3')
        self.assertEqual(done.returncode, 2)
        self.assertIn("two.log: has no frame of the interface 'bus3', expected one of: bus1, bus2", done.stderr)

    def test_no_file_is_lost_to_an_output(self):
        source = self.written('traffic.log')
        before = (self.folder / source).read_bytes()
        (self.folder / 'link.log').symlink_to(source)
        (self.folder / 'control.dbc').write_bytes(pathlib.Path(DATABASE).read_bytes())
        for arguments in ((source, '-o', source), (source, '-o', 'link.log', '--overwrite'),
                          (source, '--dbc', 'control.dbc', '-o', 'control.dbc', '--overwrite')):
            done = self.tandem(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r'error\[overwrite\]: \S+: this file is read and would be replaced')
        self.assertEqual((self.folder / source).read_bytes(), before)
        self.assertEqual((self.folder / 'control.dbc').read_bytes(), pathlib.Path(DATABASE).read_bytes())

        (self.folder / 'precious.txt').write_text('precious')
        (self.folder / 'text.log').write_text('hello')
        for arguments in (('nosuch.log', '-o', 'precious.txt', '--overwrite'), ('text.log', '-o', 'precious.txt', '--overwrite'),
                          (source, '-o', 'precious.txt')):
            self.assertEqual(self.tandem(*arguments).returncode, 2)
            self.assertEqual((self.folder / 'precious.txt').read_text(), 'precious')
        self.assertEqual(self.tandem(source, '-o', 'precious.txt', '--overwrite').returncode, 0)
        self.assertEqual((self.folder / 'precious.txt').read_bytes().count(b'\n'), 53)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith('.')], [])

    def test_a_live_bus(self):
        listener = subprocess.Popen([TANDEM, 'can', 'udp:', '--dbc', DATABASE, '--time', '1.5', '-o', 'live.log'],
                                    cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(listener.stdout.readline(), 'udp:239.74.163.2:43113@lo\n')
        with can.Bus(interface='udp_multicast', channel='239.74.163.2', fd=True) as bus:
            for message in traffic():
                bus.send(message)
                time.sleep(0.005)
        text, errors = listener.communicate(timeout=30)
        self.assertEqual(listener.returncode, 0, errors)
        self.assertRegex(text, r'100 +Control +Computer +50 ')
        self.assertIn('4 messages, 53 frames', text)
        self.assertEqual(len((self.folder / 'live.log').read_text().splitlines()), 53)

    def test_what_cannot_be_read_is_told(self):
        (self.folder / 'bad.dbc').write_text('BO_ 1 M: 8 A\n SG_ S : 0|8@2+ (1,0) [0|0] "" A\n')
        (self.folder / 'nul.dbc').write_text('\0BO_ 1 M: 8 A\n')
        (self.folder / 'nul.log').write_text('\0hello\n')
        (self.folder / 'text.log').write_text('hello\n')
        (self.folder / 'half.log').write_text('(1.0) can0 123#11\n(1.1) can0 123#1\n')
        cases = {('nosuch.log',): 'error[bad-log]: nosuch.log: cannot be opened',
                 ('text.log',): "error[bad-log]: text.log:1: found 'hello', expected a log of candump -L or an ASC file",
                 ('nul.log',): r"error[bad-log]: nul.log:1: found '\x00hello', expected a log of candump -L or an ASC file",
                 ('half.log', '--dbc', 'nul.dbc'): r"error[bad-dbc]: nul.dbc:1: found '\x00BO_', expected a statement",
                 ('half.log', '--dbc', 'bad.dbc'): "error[bad-dbc]: bad.dbc:2: found '2+', expected 0 or 1, the byte order of "
                                                   'a signal',
                 ('udp:1.2.3.4',): 'error[bus]: udp:1.2.3.4:43113@lo: \'1.2.3.4\' is no IPv4 multicast group, '
                                   'expected 224.0.0.0 to 239.255.255.255'}
        for arguments, message in cases.items():
            done = self.tandem(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertEqual(done.stderr.strip(), message)
        done = self.tandem('half.log')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.strip(), 'warning: half.log:2: 1 lines are no frames, this is the first')


unittest.main(argv=sys.argv[:1])
