"""The examples that need the Modelica plant: what their programs print.

usage: examples_test.py TANDEM FMUS REPOSITORY MODELICA_UNIT
"""
import re
import subprocess
import sys
import unittest

from support import AXES, REPOSITORY, TANDEM, main, readme

NOISE = 0.1  # mm or mrad between two writings of one model, integrated by two solvers
SPEED = 3    # factor; times depend on the machine and what else it does, their ratios less so


class Examples(unittest.TestCase):
    def printed(self, program, *arguments):
        done = subprocess.run([sys.executable, REPOSITORY / 'examples' / program, TANDEM, *arguments],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        print(done.stdout)
        return done.stdout

    def test_the_table_of_fidelities_names_every_axis_and_every_price(self):
        table = self.printed('fidelities/compare.py')
        for axis in AXES:
            numbers = re.search(rf'^ *{axis} +(.*)$', table, re.M).group(1)
            moves_over, modelica = [float(number) for number in re.findall(r'-?\d+\.?\d*', numbers)][:2]
            self.assertLess(abs(modelica), 0.02 * moves_over, axis)
        text = (REPOSITORY / 'examples/fidelities/README.md').read_text()
        for axis, *cells in readme.table(text, '| axis |'):
            found = re.findall(r'-?\d+\.?\d*', re.search(rf'^ *{axis} +(.*)$', table, re.M).group(1))
            written = re.findall(r'-?\d+\.?\d*', ' '.join(cells))
            for number, (value, quoted) in enumerate(zip(found, written, strict=True)):
                digit = NOISE if number in (1, 2) else readme.last_digit(quoted)
                self.assertLessEqual(abs(float(value) - float(quoted)), digit, f'{axis}: {value} is quoted as {quoted}')
        speeds = {name: float(speed) for name, speed in re.findall(r'(?m)^ *(\w+) +[\d.]+ +([\d.]+)$', table)}
        ((_, *quoted),) = readme.table(text, '| | full | modelica |')
        for name, speed in zip(('full', 'modelica', 'simple', 'kinematic'), quoted, strict=True):
            ratio = speeds[name] / speeds['full'] / (float(speed) / float(quoted[0]))
            self.assertTrue(1 / SPEED < ratio < SPEED, f'{name}: {speeds[name]} and full {speeds["full"]} times real time')

    def test_the_task_is_told_for_every_fidelity(self):
        table = self.printed('fidelities/task.py', '9')  # the first bite
        for name in ('full', 'modelica', 'simple', 'kinematic'):
            row = re.search(rf'(?m)^ *{name} +9\.0 +([\d.]+) m3 +(\d+) ', table)
            self.assertIsNotNone(row, table)
            self.assertGreater(float(row.group(1)), 0)

    def test_softer_oil_takes_the_tops_off_the_pressures(self):
        table = self.printed('swap_hydraulics/swap.py')
        peak, energy = (float(re.search(rf'{name} +[\d.]+ +[\d.]+ +([-+][\d.]+)', table).group(1))
                        for name in ('boom peak pressure A', 'pump energy'))
        self.assertLess(peak, -0.5)
        self.assertLess(energy, -1)
        # Every chamber, also those of the motors, which have a volume of their own; and the unit without the compiler.
        self.assertLess(float(re.search(r'positions within ([\d.e+-]+) um', table).group(1)), 1)
        # The rows of the text are the first of those that end in the same unit and have these values.
        printed = [[float(cell) for cell in line] for line in
                   re.findall(r'([-+]?\d+\.\d+) +([-+]?\d+\.\d+) +([-+]?\d+\.\d+) (?:mm|MPa|kW|kJ)', table)]
        for name, *cells in readme.table((REPOSITORY / 'examples/swap_hydraulics/README.md').read_text(), '| before |'):
            quoted = [cell.split()[0] for cell in cells]
            self.assertTrue(any(all(abs(value - float(text)) <= readme.last_digit(text)
                                    for value, text in zip(row, quoted, strict=True)) for row in printed), f'{name}: {quoted}')

    def test_a_change_reaches_every_axis(self):
        sys.path.insert(0, str(REPOSITORY / 'examples/swap_hydraulics'))
        from swap import edit
        text = (REPOSITORY / 'config/modelica/Hydraulics.mo').read_text()
        for change, boom, travel in (('dead_volume*3', 3e-3, 1.5e-3), ('dead_volume=2e-3', 2e-3, 2e-3)):
            edited, values = edit(text, change)
            self.assertEqual(len(values), len(AXES))
            self.assertAlmostEqual(float(values['boom_axis.dead_volume']), boom)
            self.assertAlmostEqual(float(values['travel_axis.dead_volume']), travel)
            written = [float(value) for value in re.findall(r'dead_volume = ([\d.e-]+)', edited)]
            for value, expected in zip(written, (boom, travel, travel)):
                self.assertAlmostEqual(value, expected)
        with self.assertRaises(SystemExit):
            edit(text, 'volume=1')  # of the supply, not of the axes


if __name__ == '__main__':
    main()
