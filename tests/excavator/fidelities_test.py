"""examples/fidelities compares the machine in four fidelities.

usage: fidelities_test.py TANDEM FMUS REPOSITORY MODELICA_UNIT
"""
import re
import subprocess
import sys
import unittest

from support import AXES, REPOSITORY, TANDEM, main


class Fidelities(unittest.TestCase):
    def test_the_table_names_every_axis_and_every_price(self):
        done = subprocess.run([sys.executable, REPOSITORY / 'examples/fidelities/compare.py', TANDEM],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        print(done.stdout)
        for axis in AXES:
            numbers = re.search(rf'^ *{axis} +(.*)$', done.stdout, re.M).group(1)
            moves_over, modelica = [float(number) for number in re.findall(r'-?\d+\.?\d*', numbers)][:2]
            self.assertLess(abs(modelica), 0.02 * moves_over, axis)
        for name in ('full', 'modelica', 'simple', 'kinematic'):
            self.assertRegex(done.stdout, rf'(?m)^ *{name} +[\d.]+ +[\d.]+$')


if __name__ == '__main__':
    main()
