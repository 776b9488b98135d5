"""examples/swap_hydraulics shows what a change of the Modelica text does.

usage: swap_test.py TANDEM FMUS REPOSITORY MODELICA_UNIT
"""
import re
import subprocess
import sys
import unittest

from support import REPOSITORY, TANDEM, main


class Swap(unittest.TestCase):
    def test_softer_oil_takes_the_tops_off_the_pressures(self):
        done = subprocess.run([sys.executable, REPOSITORY / 'examples/swap_hydraulics/swap.py', TANDEM],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        print(done.stdout)
        peak, energy = (float(re.search(rf'{name} +[\d.]+ +[\d.]+ +([-+][\d.]+)', done.stdout).group(1))
                        for name in ('boom peak pressure A', 'pump energy'))
        self.assertLess(peak, -0.5)
        self.assertLess(energy, -1)


if __name__ == '__main__':
    main()
