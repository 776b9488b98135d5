"""Runs that are held to the clock.

usage: realtime_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from command_line import EXAMPLES, TANDEM, TEST_FMUS, CommandLine, component, system

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))
import side_by_side  # noqa: E402

SECONDS = 600 if os.environ.get('TANDEM_LONG') else 60


class RealTime(CommandLine):
    def record(self, folder='out'):
        with open(os.path.join(self.folder, folder, 'run.json')) as file:
            return json.load(file)

    def results(self, folder):
        with open(os.path.join(self.folder, folder, 'results.csv'), 'rb') as file:
            return file.read()

    def test_the_excavator_keeps_up_and_computes_the_same_bits(self):
        system = os.path.join(self.shipped(os.path.join(os.path.dirname(EXAMPLES), 'config', 'excavator')), 'manual.ssd')
        arguments = ['run', system, '--stop', str(SECONDS), '--set', 'boom.command=0.1', '--record-interval', '0.02']
        begin = time.monotonic()
        done = subprocess.run([TANDEM, *arguments, '--realtime', '--out', 'paced'], cwd=self.folder, capture_output=True,
                              text=True, timeout=2 * SECONDS + 60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(time.monotonic() - begin, SECONDS)
        paced = self.record('paced')['real_time']
        self.assertEqual(paced['deadlines'], 1000 * SECONDS)
        self.assertEqual(paced['missed'], sum(paced['late']))
        if paced['missed']:  # said first
            self.assertIn(f"complete, but {paced['missed']} of {paced['deadlines']} deadlines missed",
                          done.stdout.splitlines()[0])
        else:
            self.assertIn(f"  real time    {paced['deadlines']} deadlines, none missed", done.stdout)
        with open(os.path.join(self.folder, 'paced', 'report.html'), encoding='utf-8') as file:
            self.assertIn(f"{paced['deadlines']} deadlines", file.read())
        done = self.tandem(*arguments, '--out', 'free', '--shadow', 'off')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.results('paced'), self.results('free'))
        self.assertNotIn('real_time', self.record('free'))

    def test_a_run_that_cannot_keep_up_says_so_first(self):
        arguments = ['run', self.two_mass(), '--stop', '1', '--realtime=1000000', '--out', 'out']
        done = self.tandem(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout.splitlines()[0], r'complete, but \d+ of \d+ deadlines missed, the worst by ')
        self.assertIn('  late         ', done.stdout)
        done = self.tandem(*arguments, '--strict')
        self.assertEqual(done.returncode, 3)
        self.assertIn('error[late]: ', done.stderr)

    def test_the_factor(self):
        begin = time.monotonic()
        done = self.tandem('run', self.two_mass(), '--stop', '2', '--realtime=4', '--out', 'out')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(time.monotonic() - begin, 0.5)
        self.assertIn('  real time x 4', done.stdout)
        self.assertEqual(self.record()['real_time']['factor'], 4)
        self.assertIn('none: a run in real time needs the machine for itself', done.stdout)
        for wrong in ('0', '-1', 'fast', 'nan'):
            self.refused(r'error\[usage\]: --realtime: .* is no positive decimal or fraction', 'run', self.two_mass(),
                         '--realtime=' + wrong)

    def test_is_repeated_without_the_clock(self):
        self.tandem('run', self.two_mass(), '--stop', '1', '--realtime=2', '--out', 'out')
        begin = time.monotonic()
        done = self.tandem('run', '--repeat', 'out/run.json')
        self.assertIn('same bits', done.stdout, done.stderr)
        self.assertNotIn('deadlines', done.stdout)
        self.assertLess(time.monotonic() - begin, 30)

    def test_no_point_is_laid_beside_the_grid(self):
        self.fmu('integrator_fmi2.fmu', TEST_FMUS)
        self.write('in.csv', 'time,u\n0,0\n0.15,0\n0.15,1\n0.4,1\n')
        arguments = ['run', 'resources/integrator_fmi2.fmu', '--step', '0.1', '--stop', '0.4', '--input', 'in.csv',
                     '--out', 'out']
        self.tandem(*arguments)
        self.assertEqual(len(self.rows('out/results.csv')), 6)
        done = self.tandem(*arguments, '--realtime=10')
        self.assertRegex(done.stderr, r"note: .*jumps between the points of its receiver, and points are not moved in real "
                                      r'time: at 0\.15 s')
        self.assertEqual(len(self.rows('out/results.csv')), 5)

    # ---- units that talk to the world outside ----

    def outside(self, *arguments):
        self.fmu('outside_fmi3.fmu', TEST_FMUS)
        self.write('outside.ssd', system(component('clock', 'outside_fmi3.fmu')))
        return ['run', 'outside.ssd', '--stop', '0.5', '--step', '0.01', '--out', 'out', *arguments]

    def test_what_came_from_outside_is_repeated(self):
        done = self.tandem(*self.outside('--set', 'clock.network=true', '--realtime=5'))
        self.assertEqual(done.returncode, 0, done.stderr)
        values = [row['clock.value'] for row in self.rows('out/results.csv')]
        self.assertGreater(len(set(values)), 40)
        self.assertEqual([file['path'] for file in self.record()['results'] if file['role'] == 'journal'], ['clock.journal'])
        for _ in range(2):
            done = self.tandem('run', '--repeat', 'out/run.json')
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn('same bits', done.stdout)
            shutil.rmtree(os.path.join(self.folder, 'out', 'repeat'))
        with open(os.path.join(self.folder, 'out', 'clock.journal'), 'a') as file:
            file.write('1\n')
        done = self.tandem('run', '--repeat', 'out/run.json')
        self.assertEqual(done.returncode, 2)
        self.assertIn('clock.journal: is not what the run wrote', done.stderr)

    def test_is_refused_without_the_clock_or_where_it_would_act_twice(self):
        on = self.outside('--set', 'clock.network=true')
        refused = r"error\[outside\]: test: unit 'clock' talks to the outside, since its parameter 'network' is on: "
        self.refused(refused + r'that needs a run in real time \(--realtime\)', *on)
        self.refused(refused + '--settle would run it several times', *on, '--realtime', '--settle')
        self.refused(refused, 'converge', 'outside.ssd', '--set', 'clock.network=true', '--stop', '0.5', '--step', '0.01')
        self.assertEqual(self.tandem(*self.outside()).returncode, 0)  # off: an ordinary unit
        self.fmu('outside_without_parameters.fmu', TEST_FMUS)
        self.refused(r"terminal 'outside' of kind io.tandem.cosim.outside needs the members network", 'run',
                     'resources/outside_without_parameters.fmu')

    def test_ctrl_c_ends_it_while_it_waits(self):
        process = subprocess.Popen([TANDEM, 'run', self.two_mass(), '--stop', '1000', '--step', '5', '--realtime',
                                    '--out', 'out'], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        path = os.path.join(self.folder, 'out', 'results.partial.csv')
        deadline = time.monotonic() + 20
        while not os.path.exists(path) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        begin = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - begin, 4)  # not at the end of the step of 5 s
        self.assertTrue(self.rows('out/results.csv'))


if __name__ == '__main__':
    del sys.argv[1:5]
    side_by_side.main()
