"""The error bar of the excavator: silent at its own step and algorithm, and not when it is stepped side by side.

usage: shadow_test.py TANDEM FMUS REPOSITORY
"""
import json
import subprocess

from support import StagedTest, TANDEM, main


class Shadow(StagedTest):
    def bar(self, system, *options):
        out = self.folder / 'out'
        done = subprocess.run([TANDEM, 'run', self.systems / system, '--shadow', 'on', '--out', out, *options],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.output = done.stdout
        bar = json.loads((out / 'run.json').read_text())['error_bar']
        self.assertEqual(bar.get('converged', True), not done.stdout.startswith('the coupling has not converged'))
        return bar

    def cycle(self, system, *options):
        return self.bar(system, '--scenario', self.systems / 'working_cycle.xml', '--stop', '8', *options)

    def test_a_working_cycle(self):
        bar = self.cycle('manual.ssd')
        self.assertTrue(bar['converged'])
        self.assertLess(bar['median'], 0.005)
        self.assertFalse(self.cycle('manual.ssd', '--algorithm', 'jacobi')['converged'])
        self.assertTrue(self.cycle('manual_simple.ssd')['converged'])
        self.assertIn('no units exchange continuous signals', self.cycle('manual_kinematic.ssd')['missing'])

    def test_the_task_is_unstable_at_twice_its_step_and_right_at_its_own(self):
        bar = self.bar('SystemStructure.ssd', '--stop', '2')
        self.assertTrue(bar['converged'])
        self.assertEqual(bar['shadow'], 'half the step')
        self.assertFalse(self.bar('SystemStructure.ssd', '--stop', '2', '--algorithm', 'jacobi')['converged'])


if __name__ == '__main__':
    main()
