"""Which algorithm a run takes where nobody names one, and the energy ledger of power bonds.

usage: algorithm_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os
import re
import unittest

from command_line import EXAMPLES, CommandLine, component, connection, system

EXCAVATOR = os.path.join(os.path.dirname(EXAMPLES), 'config', 'excavator')


def without_algorithm(text):
    return re.sub(r' algorithm="gauss-seidel"| order="[^"]*"', '', text)


def without_bonds(text):
    return re.sub(r' bond="\w+" role="\w+"', '', text)


def without_coupling(text):
    return re.sub(r'<t:Coupling [^>]*/>', '<t:Coupling/>', text)


class Algorithm(CommandLine):
    def variant(self, original, *changes):
        """A system, changed, beside the original."""
        with open(original, encoding='utf-8') as file:
            text = file.read()
        for change in changes:
            changed = change(text)
            self.assertNotEqual(changed, text)
            text = changed
        path = os.path.join(os.path.dirname(original), 'variant.ssd')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def manual(self):
        return os.path.join(self.shipped(EXCAVATOR), 'manual.ssd')

    def result(self, *arguments):
        done = self.tandem('run', *arguments, '--out', 'out', '--shadow', 'off')
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, 'out', 'run.json')) as file:
            self.record = json.load(file)
        with open(os.path.join(self.folder, 'out', 'results.csv')) as file:
            return done, file.read()

    def test_units_that_exchange_power_are_stepped_one_after_the_other(self):
        system = self.manual()
        done, declared = self.result(self.variant(system), '--stop', '0.2')
        self.assertNotIn('chosen', done.stdout)
        self.assertNotIn('power bond', done.stderr)
        for changes in ([without_algorithm], [without_algorithm, without_bonds],
                        [without_algorithm, without_bonds, without_coupling]):
            done, chosen = self.result(self.variant(system, *changes), '--stop', '0.2')
            self.assertRegex(done.stdout, r'algorithm    gauss-seidel \(chosen, since .*mechanics.*hydraulics|'
                                          r'algorithm    gauss-seidel \(chosen, since .*hydraulics.*mechanics')
            self.assertEqual(chosen, declared)  # the same order and the same holds
        done, _ = self.result(self.variant(system, without_algorithm), '--stop', '0.01', '--threads', '2')
        self.assertIn('algorithm    jacobi, ', done.stdout)
        self.assertIn('warning: --threads: keeps jacobi', done.stderr)

    def test_a_loop_of_feedthrough(self):
        self.fmu('affine.fmu')
        with open(os.path.join(self.folder, 'loop.ssd'), 'w') as file:
            file.write(system(component('A', 'affine.fmu') + component('B', 'affine.fmu'),
                              connection('A.y', 'B.u') + connection('B.y', 'A.u')))
        done, _ = self.result('loop.ssd')
        self.assertRegex(done.stdout, r"gauss-seidel \(chosen, since '.*' feeds through to itself\)")

    def test_others_are_stepped_side_by_side(self):
        for example in ('two_mass', 'quarter_car', 'thermostat', 'water_tank'):
            done, _ = self.result(self.example(example))
            self.assertIn('algorithm    jacobi, ', done.stdout)

    def test_the_ledger_of_a_power_bond(self):
        system = self.manual()
        shares = {}
        for algorithm in ('gauss-seidel', 'jacobi'):
            self.result(system, '--stop', '0.5', '--algorithm', algorithm, '--set', 'boom.command=0.5')
            bonds = {bond['name']: bond for bond in self.record['bonds']}
            self.assertEqual(len(bonds), 8)
            boom = bonds['boom']
            self.assertGreater(boom['transferred'], 0)
            shares[algorithm] = boom['created'] / boom['transferred']
        # Stepped one after the other the errors of the steps cancel; side by side each pumps energy in.
        self.assertLess(abs(shares['gauss-seidel']), 0.05)
        self.assertGreater(shares['jacobi'], 2 * abs(shares['gauss-seidel']))
        with open(os.path.join(self.folder, 'out', 'report.html'), encoding='utf-8') as file:
            self.assertRegex(file.read(), '(?s)bond boom.{0,100} J transferred, ')

    def test_half_a_bond_is_said(self):
        done, _ = self.result(self.variant(self.manual(),
                                           lambda text: text.replace(' bond="boom" role="flow"', '')), '--stop', '0.01')
        self.assertIn("power bond 'boom' has 1 connections of role effort and 0 of role flow", done.stderr)

    def test_converge_takes_what_a_run_takes_and_says_not_converged(self):
        masses = [self.two_mass(), '--algorithm', 'jacobi', '--hold', 'constant', '--step', '0.01']
        done = self.tandem('converge', *masses)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertTrue(done.stdout.startswith('not converged at h = 0.01 s: '), done.stdout)
        done = self.tandem('converge', self.two_mass(), '--step', '0.0025')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('not converged', done.stdout)
        boom = self.example('boom_coupling')
        done = self.tandem('converge', boom, '--scenario', os.path.join(boom, 'raise.xml'), '--settle=0.1', '--stop', '1',
                           '--set', 'mechanics.boom.initial_position=0.3', '--record', 'mechanics.boom.position')
        self.assertEqual(done.returncode, 0, done.stderr)
        moved = float(re.search(r'mechanics.boom.position\s+(\S+)', done.stdout).group(1))
        self.assertGreater(moved, 0.005, 'the scenario moves the boom')


if __name__ == '__main__':
    unittest.main(argv=['algorithm_test.py'])
