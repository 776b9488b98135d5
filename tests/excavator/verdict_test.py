"""`swap` between hydraulics of different fidelity and origin: what is physics, what is coupling.

usage: verdict_test.py TANDEM FMUS REPOSITORY MODELICA_UNIT MODELICA_BOOM_UNIT
"""
import json
import pathlib
import subprocess
import sys

from support import FMUS, TANDEM, StagedTest, main


class Verdicts(StagedTest):
    units = sys.argv[4:6]

    def setUp(self):
        self.boom = self.folder / 'examples/boom_coupling'
        self.modelica = pathlib.Path(sys.argv[5]).resolve()
        self.raised = ('--scenario', self.boom / 'raise.xml', '--stop', '2')
        self.cycle = ('--scenario', self.systems / 'working_cycle.xml', '--stop', '2.5')

    def swap(self, *arguments):
        done = subprocess.run([TANDEM, 'swap', *arguments, '--json', '--out', 'swap'], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {signal['name']: signal for signal in json.loads(done.stdout)['signals']}

    def assert_never_physics(self, signals):
        self.assertTrue(any(signal['peak'] > 0 for signal in signals.values()), 'nothing differs: this case tests nothing')
        for signal in signals.values():
            self.assertNotEqual(signal['verdict'], 'physics', signal)

    def test_the_same_equations_in_modelica_are_no_physics(self):
        """Another text, another interface of FMI, another solver; the master integrates it within its own steps."""
        self.assert_never_physics(self.swap(self.boom, 'hydraulics', self.modelica, *self.raised))

    def test_softer_oil_in_modelica_is_physics(self):
        signals = self.swap(self.boom, 'hydraulics', self.modelica, *self.raised, '--step', '0.00025', '--new-set', 'hydraulics.bulk_modulus=5e8')
        for name in ('hydraulics.boom.pressure_a', 'hydraulics.boom.force'):
            self.assertEqual(signals[name]['verdict'], 'physics', signals[name])

    def test_another_step_of_the_modelica_unit_is_no_physics(self):
        subprocess.run([TANDEM, 'run', self.boom, '--replace', f'hydraulics={self.modelica}', '--write', 'modelica_boom.ssd', '--stop', '0.01',
                        '--shadow', 'off', '--quiet', '--overwrite'], cwd=self.folder, check=True, capture_output=True)
        for step in ('0.002', '0.0005', '0.00025'):
            with self.subTest(step=step):
                self.assert_never_physics(self.swap('modelica_boom.ssd', 'hydraulics.unit', self.modelica, *self.raised, '--new-step', step))

    def test_simple_hydraulics_are_physics(self):
        signals = self.swap(self.systems / 'manual.ssd', 'hydraulics', FMUS / 'hydraulics_simple.fmu', *self.cycle)
        self.assertEqual(signals['hydraulics.boom.pressure_a']['verdict'], 'physics', signals['hydraulics.boom.pressure_a'])

    def test_another_step_of_the_machine_is_no_physics(self):
        for system, unit in (('manual.ssd', 'hydraulics.fmu'), ('manual_simple.ssd', 'hydraulics_simple.fmu')):
            with self.subTest(system):
                path = self.systems / system
                path.write_text(path.read_text().replace('<t:Rate step="0.001"/>', ''))  # so that the step is the system's
                self.assert_never_physics(self.swap(path, 'hydraulics', FMUS / unit, *self.cycle, '--new-step', '0.0005'))


if __name__ == '__main__':
    main()
