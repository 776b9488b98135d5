"""The traffic of a run as a log: read by other tools, decoded by another codec, and played again.

usage: can_log_test.py TANDEM FMUS PROJECT [...]
"""
import collections
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

import can
import cantools
from support import FMUS, REPOSITORY, TANDEM, StagedTest, main

STOP = 0.6  # s: the sensors are up, and thirty cycles of bus 2
DATABASE = REPOSITORY / 'config/can/control.dbc'

sys.path.insert(0, str(REPOSITORY / 'tests/support'))
import playback  # noqa: E402


def tandem(*arguments, code=0):
    done = subprocess.run([TANDEM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != code:
        raise AssertionError(f'{arguments}: {done.returncode}, expected {code}\n{done.stdout}{done.stderr}')
    return done


def content(message):
    return message.arbitration_id, message.is_extended_id, bytes(message.data)


class CanLogTest(StagedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log, cls.asc = cls.folder / 'traffic.log', cls.folder / 'traffic.asc'
        for file in (cls.log, cls.asc):
            done = tandem('run', cls.systems / 'can.ssd', '--stop', STOP, '--shadow', 'off', '--can-log', file,
                          '--out', cls.folder / file.suffix[1:], '--record', 'bus*.frames', '--record', 'bus2.message.frames',
                          '--record', 'automation.phase')
        cls.summary = done.stdout
        with open(cls.folder / 'log/results.csv', newline='') as file:
            cls.last = list(csv.DictReader(file))[-1]
        with can.CanutilsLogReader(cls.log) as reader:
            cls.messages = list(reader)

    def on(self, bus):
        return [message for message in self.messages if message.channel == bus]

    def test_every_frame_on_the_buses_is_in_the_log_once(self):
        for bus in ('bus1', 'bus2'):
            self.assertEqual(len(self.on(bus)), int(self.last[f'{bus}.frames']), bus)
            self.assertIn(f'{len(self.on(bus))} frames of {bus}', self.summary)
        self.assertGreater(len(self.on('bus1')), 400)
        times = [message.timestamp for message in self.messages]
        self.assertEqual(times, sorted(times))

    def test_both_formats_hold_the_same(self):
        with can.ASCReader(self.asc) as reader:
            numbered = list(reader)
        self.assertEqual([content(message) for message in numbered], [content(message) for message in self.messages])
        for there, here in zip(numbered, self.messages):
            self.assertAlmostEqual(there.timestamp, here.timestamp, delta=1e-7)
            self.assertEqual(there.channel, {'bus1': 0, 'bus2': 1}[here.channel])
        self.assertIn('// channel 2: bus2\n', self.asc.read_text())

    def test_cantools_and_the_verb_decode_the_control_bus_alike(self):
        database = cantools.database.load_file(DATABASE)
        counts, values, together = collections.Counter(), {}, {}
        for message in self.on('bus2'):
            name = database.get_message_by_frame_id(message.arbitration_id).name
            counts[name] += 1
            values[name] = database.decode_message(message.arbitration_id, message.data, decode_choices=False)
            together |= values[name]
        self.assertEqual(len(counts), 5)
        self.assertEqual(together['Phase'], int(self.last['automation.phase']))
        table = tandem('can', self.log, '--interface', 'bus2', '--dbc', DATABASE).stdout
        for name, count in counts.items():
            row = re.search(rf'^\w+ +{name} +\S+ +(\d+) ', table, re.M)
            self.assertIsNotNone(row, name)
            self.assertEqual(int(row[1]), count, name)
            below = re.split(r'^\w', table[row.end():], maxsplit=1, flags=re.M)[0]
            for signal, value in values[name].items():
                shown = re.search(rf'^ +{signal} +(\S+) ', below, re.M)
                self.assertIsNotNone(shown, signal)
                self.assertAlmostEqual(float(shown[1]), value, delta=1e-5 * max(1, abs(value)), msg=signal)

    def test_played_again_it_gives_the_same_frames(self):
        """Between two units that are connected directly, so that nothing delays them."""
        for log, interface in ((self.log, 'bus2'), (self.asc, 'can1')):
            first = self.on('bus2')[0].timestamp
            system = self.folder / 'playback.ssd'
            system.write_text(playback.system(FMUS, log, STOP, interface, first))
            again = self.folder / 'again.log'
            tandem('run', system, '--quiet', '--shadow', 'off', '--can-log', again, '--out', self.folder / 'again',
                   '--overwrite')
            with can.CanutilsLogReader(again) as reader:
                played = list(reader)
            self.assertEqual([content(message) for message in played], [content(message) for message in self.on('bus2')])
            for there, here in zip(played, self.on('bus2')):
                self.assertAlmostEqual(there.timestamp, here.timestamp, delta=1e-6)
                self.assertEqual(there.channel, 'player-listener')

    def test_frames_of_the_start_time_are_there(self):
        log = self.folder / 'early.log'
        log.write_text('(5.000000) can0 123#01\n(5.000100) can0 124#02\n')
        system = self.folder / 'early.ssd'
        system.write_text(playback.system(FMUS, log, 0.01))
        tandem('run', system, '--quiet', '--can-log', self.folder / 'early_again.log', '--out', self.folder / 'early')
        self.assertEqual((self.folder / 'early_again.log').read_text(),
                         '(0.000000) player-listener 123#01\n(0.000100) player-listener 124#02\n')

    def test_error_frames_are_not_played_as_frames(self):
        log = self.folder / 'errors.log'
        log.write_text('(5.000000) can0 123#01\n(5.000100) can0 20000080#0000000000000000\n(5.000200) can0 124#02\n')
        system = self.folder / 'errors.ssd'
        system.write_text(playback.system(FMUS, log, 0.01))
        done = tandem('run', system, '--can-log', self.folder / 'errors_again.log', '--out', self.folder / 'errors')
        self.assertIn('errors.log: 1 error frames are not played', done.stderr)
        self.assertEqual((self.folder / 'errors_again.log').read_text(),
                         '(0.000000) player-listener 123#01\n(0.000200) player-listener 124#02\n')

    def test_an_interface_that_the_log_does_not_have_is_told(self):
        log = self.folder / 'other.log'
        log.write_text('(5.000000) can0 123#01\n(5.000100) can1 124#02\n')
        system = self.folder / 'other.ssd'
        system.write_text(playback.system(FMUS, log, 0.01, interface='can3'))
        done = tandem('run', system, '--quiet', '--out', self.folder / 'other', code=1)
        self.assertIn("other.log: has no frame of the interface 'can3', expected one of: can0, can1", done.stderr)

    def test_a_repeat_compares_the_log(self):
        out = self.folder / 'repeated'
        log = out / 'traffic.log'
        tandem('run', REPOSITORY / 'examples/can_bus', '--quiet', '--can-log', log, '--out', out)
        record = json.loads((out / 'run.json').read_text())
        self.assertIn(log.name, [result['path'] for result in record['results'] if result['role'] == 'can-log'])
        self.assertIn('same bits', tandem('run', '--repeat', out / 'run.json').stdout)
        self.assertEqual((out / 'repeat/traffic.log').read_text(), log.read_text())
        log.write_text(log.read_text().replace('181#01', '181#02'))
        self.assertIn('traffic.log: different bits', tandem('run', '--repeat', out / 'run.json', code=3).stdout)

    def test_the_log_of_a_killed_run_is_completed_by_the_process_that_watches(self):
        for name in ('killed.log', 'killed.asc'):
            log = self.folder / name
            partial = log.with_suffix('.partial' + log.suffix)
            run = subprocess.Popen([TANDEM, 'run', self.systems / 'can.ssd', '--stop', '1000', '--quiet', '--shadow', 'off', '--can-log',
                                    log, '--out', self.folder / log.suffix], stderr=subprocess.PIPE, text=True)
            end = time.monotonic() + 60
            while time.monotonic() < end and not (partial.exists() and partial.stat().st_size > 10_000):
                time.sleep(0.05)
            children = subprocess.run(['pgrep', '-P', str(run.pid)], capture_output=True, text=True).stdout.split()
            os.kill(int(children[0]), signal.SIGKILL)
            _, errors = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 1, errors)
            self.assertFalse(partial.exists())
            with can.LogReader(log) as reader:
                self.assertGreater(len(list(reader)), 100)
            last = log.read_text().splitlines()[-1]
            self.assertRegex(last, 'End TriggerBlock' if log.suffix == '.asc' else r'^\(\d+\.\d+\) bus\d \w+#\w*')
            self.assertTrue(log.read_text().endswith('\n'))

    def test_a_system_without_a_bus_is_refused(self):
        done = tandem('run', REPOSITORY / 'examples/two_mass', '--can-log', self.folder / 'none.log', '--out',
                      self.folder / 'none', code=2)
        self.assertIn("error[usage]: --can-log: 'two_mass' has no CAN bus", done.stderr)
        self.assertFalse((self.folder / 'none.log').exists())

    def test_a_pipe_gets_the_log_and_stays_one(self):
        out = self.folder / 'piped'
        for pipe in (self.folder / 'pipe.log', out / 'traffic.log'):  # a log in the folder of the results has a hash
            out.mkdir(exist_ok=True)
            os.mkfifo(pipe)
            with open(self.folder / 'pipe.txt', 'wb') as read:
                reader = subprocess.Popen(['cat', pipe], stdout=read)
            self.addCleanup(reader.kill)
            tandem('run', REPOSITORY / 'examples/can_bus', '--quiet', '--can-log', pipe, '--out', out)
            self.assertTrue(pipe.is_fifo())
            self.assertEqual(reader.wait(), 0)
            self.assertRegex((self.folder / 'pipe.txt').read_text(), r'\n\(\d+\.\d+\) \S+ 181#01')

    def test_a_full_disk_is_said_and_the_results_are_kept(self):
        os.symlink('/dev/full', self.folder / 'full.partial.log')
        done = tandem('run', REPOSITORY / 'examples/can_bus', '--can-log', self.folder / 'full.log', '--out',
                      self.folder / 'full', code=1)
        self.assertRegex(done.stderr, r'error\[write-failed\]: \S*full\.partial\.log: .*No space left')
        self.assertTrue((self.folder / 'full/results.csv').exists())


if __name__ == '__main__':
    main()
