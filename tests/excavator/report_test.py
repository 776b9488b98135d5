"""The report of the excavator: its geometry is that of the units, it travels with the system, and it knows the goal.

usage: report_test.py TANDEM FMUS REPOSITORY
"""
import json
import re
import shutil
import subprocess

from support import StagedTest, TANDEM, main

VIOLATED = 3
MOVED = {'ring.start': 0.1, 'ring.base': -1.3}
MEDIAN = 40     # mm; a wall taken from where it is not is 300 mm off
PICTURES = 4    # with a heading: the machine, the wall, the cloud, and plots


class Report(StagedTest):
    def run_system(self, system, *options):
        """Exit code, lines of the summary, messages, report, run.json."""
        out = self.folder / 'out'
        shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run([TANDEM, 'run', system, '--record-interval', '0.1', '--out', out, *map(str, options)],
                              capture_output=True, text=True)
        self.assertTrue((out / 'report.html').exists(), done.stderr)
        return (done.returncode, done.stdout.splitlines(), done.stderr, (out / 'report.html').read_text(),
                json.loads((out / 'run.json').read_text()))

    def facts(self, lines):
        """What the summary tells of the task: from the file names on."""
        return lines[next(i for i, line in enumerate(lines) if line.startswith('  report')) + 1:]

    def drawings(self, report):
        return re.findall(r'<svg.*?</svg>', report, re.S)

    def test_a_moved_wall_is_no_error_of_the_edge(self):
        settings = [f'--set={unit}.{name}={value}' for unit in ('wall', 'lidar', 'kinematics')
                    for name, value in MOVED.items()]
        for options in ([], settings):
            _, lines, *_ = self.run_system(self.systems / 'kinematic.ssd', '--stop', '5', *options)
            (told,) = [line for line in lines if line.startswith('  edge error')]
            numbers = re.search(r'median (\d+) mm, 95 % within \d+ mm, worst decile (\d+) to (\d+) mm, '
                                r'valid at (\d+) % of the azimuths', told)
            self.assertIsNotNone(numbers, told)
            median, from_, to, share = map(int, numbers.groups())
            self.assertLess(median, MEDIAN, told)
            self.assertTrue(median <= from_ <= to and 30 < share <= 100, told)

    def test_a_copied_and_a_packed_system_report_as_at_home(self):
        options = ('--stop', '3')
        home = self.run_system(self.systems / 'kinematic.ssd', *options)
        self.assertGreaterEqual(len(self.drawings(home[3])), PICTURES)
        for title in ('The machine from the side', 'The wall before and after', 'What the LiDAR sees'):
            self.assertIn(title, home[3])
        elsewhere = self.folder / 'far' / 'away'
        shutil.copytree(self.systems, elsewhere)
        shutil.copy(elsewhere / 'kinematic.ssd', elsewhere / 'SystemStructure.ssd')
        archive = self.folder / 'packed.ssp'
        subprocess.run([TANDEM, 'pack', elsewhere, '-o', archive], check=True, capture_output=True)
        for system in (elsewhere, archive):
            code, lines, _, report, _ = self.run_system(system, *options)
            self.assertEqual(code, 0)
            self.assertEqual(self.facts(lines), self.facts(home[1]), system)
            self.assertEqual(self.drawings(report), self.drawings(home[3]), system)

    def test_a_goal_missed_at_the_systems_own_stop_is_told_first(self):
        short = self.systems / 'short.ssd'
        short.write_text(re.sub(r'stopTime="\d+"', 'stopTime="2"', (self.systems / 'kinematic.ssd').read_text()))
        missed = re.compile(r'goal missed: the segment is demolished \(automation\.phase is \d+, expected 10\)')
        code, lines, _, report, record = self.run_system(short)
        self.assertEqual(code, VIOLATED)
        self.assertRegex(lines[0], missed)
        self.assertRegex(report[:report.index('</header>')], missed)
        self.assertEqual(record['outcome']['exit'], VIOLATED)
        self.assertRegex(record['outcome']['ended'], missed)

    def test_with_an_earlier_stop_it_is_a_note(self):
        code, lines, messages, report, _ = self.run_system(self.systems / 'kinematic.ssd', '--stop', '2')
        self.assertEqual(code, 0)
        self.assertIn('complete', lines[0])
        for text in (messages, report):
            self.assertIn('not reached yet: the segment is demolished', text)

    def test_a_system_without_the_goals_signal_has_no_goal(self):
        code, lines, messages, *_ = self.run_system(self.systems / 'manual_kinematic.ssd')
        self.assertEqual(code, 0, messages)
        self.assertNotIn('goal', lines[0])
        self.assertEqual(messages.count("the goal 'the segment is demolished' is not judged: this system has no signal "
                                        "'automation.phase'"), 1, messages)


if __name__ == '__main__':
    main()
