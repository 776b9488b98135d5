#!/usr/bin/env python3
"""Where a run has its points, and what happens between them."""
from command_line import TEST_FMUS, CommandLine, main


class Time(CommandLine):
    def unit(self, name):
        self.fmu(name, TEST_FMUS)
        return f'resources/{name}'

    def run_of(self, *arguments):
        done = self.tandem('run', *arguments, '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def column(self, name):
        return [float(row[name]) for row in self.rows('o/results.csv')]

    # ---- the end ----

    def test_last_step_is_shortened_to_the_stop(self):
        for algorithm in ('jacobi', 'gauss-seidel'):
            for step, stop, times in (('0.03', '0.1', [0, 0.03, 0.06, 0.09, 0.1]), ('10', '1', [0, 1])):
                done = self.run_of(self.two_mass(), '--step', step, '--stop', stop, '--algorithm', algorithm)
                self.assertRegex(done.stderr, r'note: .*the last step is shortened to ')
                self.assertEqual(self.column('time'), times)

    def test_shortened_step_is_as_long_as_the_unit_is_told(self):
        self.run_of(self.unit('integrator_fmi2.fmu'), '--step', '0.03', '--stop', '0.1', '--set', 'u=2')
        self.assertAlmostEqual(self.column('y')[-1], 0.2, places=14)

    def test_run_ends_before_the_stop_where_a_unit_cannot_vary_its_step(self):
        unit = self.unit('fixed_step_integrator_fmi2.fmu')
        fixed = r"'fixed_step_integrator_fmi2' cannot vary its step"
        for stop, last, finding in (('0.1', 0.09, f'note: .*{fixed}.*, 0\\.09 s'),
                                    ('0.02', 0, f'warning: .*{fixed}.*nothing but the start is computed')):
            done = self.run_of(unit, '--step', '0.03', '--stop', stop)
            self.assertRegex(done.stderr, finding)
            self.assertEqual(self.column('time')[-1], last)

    def test_converge_takes_a_stop_beside_the_grid(self):
        done = self.tandem('converge', self.two_mass(), '--step', '0.003', '--stop', '0.1')
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == '__main__':
    main()
