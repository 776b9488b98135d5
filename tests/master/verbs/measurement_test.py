"""A measurement in MDF 4, converted as the README says: names and units arrive, and it is compared with a result by its units.

usage: measurement_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import os
import re
import subprocess
import sys

import numpy
from asammdf import MDF, Signal

from command_line import CommandLine, EXAMPLES, main

README = os.path.join(os.path.dirname(EXAMPLES), 'README.md')


class Measurement(CommandLine):
    """What the two masses do, as a data logger in mm would have written it."""

    def setUp(self):
        super().setUp()
        done = self.tandem('run', self.two_mass(), '--out', 'out', '--shadow', 'off', '--quiet', '--csv-units')
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, 'out/results.csv'), encoding='utf-8') as file:
            names, units, *rows = [line.rstrip('\n').split(',') for line in file]
        self.assertEqual(units[names.index('left.x')], 'm')
        time = numpy.array([float(row[0]) for row in rows])
        self.values = 1e3 * numpy.array([float(row[names.index('left.x')]) for row in rows])
        with MDF(version='4.10') as mdf:
            mdf.append([Signal(self.values, time, name='left.x', unit='mm')])
            mdf.save(os.path.join(self.folder, 'drive.mf4'))

    def convert(self):
        """The command of the README, with the interpreter of this test."""
        with open(README, encoding='utf-8') as file:
            command = re.search(r'python3 -c "(from asammdf[^"]*)"', file.read())[1]
        subprocess.run([sys.executable, '-c', command], cwd=self.folder, check=True, timeout=60)

    def test_names_and_units_arrive(self):
        self.convert()
        done = self.tandem('new', 'spec', 'drive.csv', '--csv')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'(?m)^left\.x,output,Float64,mm,')

    def test_it_is_compared_by_its_units(self):
        self.convert()
        done = self.tandem('compare', 'out/results.csv', 'drive.csv', '--tol', '1e-9')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("'left.x' is converted from m to mm", done.stdout + done.stderr)
        with open(os.path.join(self.folder, 'drive.csv'), encoding='utf-8') as file:
            text = file.read()
        with open(os.path.join(self.folder, 'drive.csv'), 'w', encoding='utf-8') as file:
            file.write(text.replace(',mm', ',m', 1))
        self.assertEqual(self.tandem('compare', 'out/results.csv', 'drive.csv', '--tol', '1e-9').returncode, 3)


if __name__ == '__main__':
    main()
