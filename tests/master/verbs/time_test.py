#!/usr/bin/env python3
"""Where a run has its points, and what happens between them.

usage: time_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import os

from command_line import TEST_FMUS, CommandLine, component, connection, main, system


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

    def test_a_unit_that_ends_inside_a_step_ends_the_run_there(self):
        done = self.run_of(self.unit('stair_fmi2.fmu'), '--step', '1', '--stop', '4', '--set', 'period=0.125', '--set', 'last=3')
        self.assertIn("ended by unit 'stair", done.stdout)
        self.assertEqual(self.column('time')[-1], 0.25)

    def test_a_unit_that_ends_inside_a_step_beside_others_says_from_when_its_values_are(self):
        for name in ('stair_fmi2.fmu', 'integrator_fmi2.fmu'):
            self.fmu(name, TEST_FMUS)
        self.write('SystemStructure.ssd', system(component('stair', 'stair_fmi2.fmu') + component('sum', 'integrator_fmi2.fmu')))
        done = self.run_of('.', '--step', '1', '--stop', '4', '--set', 'stair.period=0.125',
                           '--set', 'stair.last=3')
        self.assertIn("ended by unit 'stair' at t = 0.25, of which its values in the last row are", done.stdout)
        self.assertEqual(self.column('time')[-1], 1)

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

    def rated(self, name, unit, step):
        self.fmu(unit, TEST_FMUS)
        return component(name, unit, '<ssd:Annotations><ssc:Annotation type="io.tandem.cosim"><t:Component xmlns:t="urn:tandem:cosim:1">'
                                     f'<t:Rate step="{step}"/></t:Component></ssc:Annotation></ssd:Annotations>')

    def test_a_slow_unit_is_stepped_to_the_stop_that_its_own_grid_does_not_have(self):
        for slow, rest in (('0.3', '0.1'), ('5', '1')):
            self.write('SystemStructure.ssd', system(self.rated('fast', 'integrator_fmi2.fmu', '0.1') +
                                                     self.rated('slow', 'integrator_fmi2.fmu', slow)))
            for algorithm in ('jacobi', 'gauss-seidel'):
                done = self.run_of('.', '--stop', '1', '--set', 'fast.u=1', '--set', 'slow.u=1', '--algorithm', algorithm)
                self.assertIn(f'note: slow: the end, 1 s, is no multiple of its step {slow} s after the start: '
                              f'its last step is shortened to {rest} s', done.stderr)
                self.assertAlmostEqual(self.column('fast.y')[-1], 1, places=12)
                self.assertAlmostEqual(self.column('slow.y')[-1], 1, places=12)

    def test_a_slow_unit_that_cannot_vary_its_step_says_how_far_it_comes(self):
        for slow, last, finding in (('0.3', 0.9, 'note: slow: .*: it is computed up to 0.9 s, and keeps its values of then'),
                                    ('5', 0, 'warning: slow: .*: it is not computed, and keeps its values of the start')):
            self.write('SystemStructure.ssd', system(self.rated('fast', 'integrator_fmi2.fmu', '0.1') +
                                                     self.rated('slow', 'fixed_step_integrator_fmi2.fmu', slow)))
            done = self.run_of('.', '--stop', '1', '--set', 'slow.u=1')
            self.assertRegex(done.stderr, finding)
            self.assertAlmostEqual(self.column('slow.y')[-1], last, places=12)
            self.assertEqual(self.column('time')[-1], 1)
        self.assertEqual(self.tandem('run', '.', '--stop', '1', '--strict', '--out', 'o').returncode, 2)

    def test_converge_needs_points_that_all_units_have(self):
        self.write('SystemStructure.ssd', system(self.rated('fast', 'integrator_fmi2.fmu', '0.01') +
                                                 self.rated('slow', 'integrator_fmi2.fmu', '0.3'), connection('fast.y', 'slow.u')))
        done = self.tandem('converge', '.', '--stop', '0.25', '--set', 'fast.u=1')
        self.assertEqual(done.returncode, 1)
        self.assertIn('error[converge]: the steps of all components meet every 0.3 s only', done.stderr)

    def test_converge_takes_a_stop_beside_the_grid(self):
        done = self.tandem('converge', self.two_mass(), '--step', '0.003', '--stop', '0.1')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_end_is_recorded_whatever_the_interval(self):
        for interval, times in (('3', [0, 1]), ('0.4', [0, 0.4, 0.8, 1]), ('0.5', [0, 0.5, 1])):
            for form, file in (('csv', 'results.csv'), ('mat', 'results.mat'), ('hdf5', 'results.h5'),
                               ('mcap', 'results.mcap')):
                self.run_of(self.two_mass(), '--step', '0.1', '--stop', '1', '--record-interval', interval, '--format', form)
                if form == 'csv':
                    self.assertEqual(self.column('time'), times)
                    os.replace(f'{self.folder}/o/results.csv', f'{self.folder}/expected.csv')
                    continue
                done = self.tandem('compare', f'o/{file}', 'expected.csv', '--tol', '0', '--absolute', '0')
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_times_that_doubles_cannot_tell_apart_are_refused(self):
        unit = self.unit('integrator_fmi2.fmu')
        self.refused(r'a step of 1e-08 s cannot be told apart at t = 1e\+08 s, where doubles are 1.6e-08 s '
                     'apart; expected at least 2e-08 s', 'run', unit, '--start', '1e8', '--stop', '100000000.00000003',
                     '--step', '1e-8')
        self.refused(r'the stop time 4000000000.00000001 s is not after the start time 4e\+09 s for units, which are '
                     'given doubles: there they are 4.8e-07 s apart', 'run', unit, '--start', '4e9', '--stop',
                     '4000000000.00000001')
        self.run_of(unit, '--start', '1e8', '--stop', '100000000.0000002', '--step', '2e-8')
        times = self.column('time')
        self.assertEqual(len(set(times)), len(times))

    # ---- jumps ----

    PULSE = [(0, 0), (0.31, 0), (0.31, 100), (0.39, 100), (0.39, 0), (1, 0)]  # its integral is 8

    def table(self, points, name='u', convert=str):
        self.write('in.csv', f'time,{name}\n' + ''.join(f'{t},{convert(value)}\n' for t, value in points))
        return '--input', 'in.csv'

    def scenario(self, points, name, hold='linear'):
        values = ''.join(f'<At t="{t}" value="{value}"/>' for t, value in points)
        self.write('run.xml', f'<Scenario xmlns="urn:tandem:scenario:1"><Signal name="{name}" hold="{hold}">{values}'
                   '</Signal></Scenario>')
        return '--scenario', 'run.xml'

    def drives(self, points, name):
        return self.table(points, name), self.scenario(points, name)

    def test_pulse_between_points_is_seen_by_a_unit_that_varies_its_step(self):
        unit = self.unit('integrator_fmi2.fmu')
        for algorithm in ('jacobi', 'gauss-seidel'):
            for drive in self.drives(self.PULSE, 'u'):
                done = self.run_of(unit, *drive, '--step', '0.1', '--stop', '1', '--algorithm', algorithm)
                self.assertAlmostEqual(self.column('y')[-1], 8, places=12)
                self.assertEqual(self.column('time')[3:7], [0.3, 0.31, 0.39, 0.4])
                about_text = "'null text' gave a null pointer"  # which this unit has on purpose
                self.assertEqual([line for line in done.stderr.splitlines() if about_text not in line], [])

    def test_pulse_of_a_held_input_gets_points_of_its_own(self):
        unit = self.unit('integrator_fmi2.fmu')
        steps = [(0, 0), (0.31, 100), (0.39, 0)]
        self.run_of(unit, *self.scenario(steps, 'u', 'constant'), '--step', '0.1', '--stop', '1', '--hold', 'constant')
        self.assertAlmostEqual(self.column('y')[-1], 8, places=12)

    def test_pulse_between_points_of_a_unit_with_a_fixed_step_is_its_mean_and_said(self):
        unit = self.unit('fixed_step_integrator_fmi2.fmu')
        for drive in self.drives(self.PULSE, 'u'):
            done = self.run_of(unit, *drive, '--step', '0.1', '--stop', '1')
            self.assertAlmostEqual(self.column('y')[-1], 8, places=12)
            self.assertEqual(len(self.column('time')), 11)
            self.assertRegex(done.stderr, r"note: .*u' jumps between .*'fixed_step_integrator_fmi2' cannot vary its "
                             r"step: at 0\.31 s as a mean from 0\.3 s to 0\.4 s, at 0\.39 s as a mean")
        done = self.run_of(unit, *self.table(self.PULSE), '--step', '0.1', '--stop', '1', '--hold', 'constant')
        self.assertRegex(done.stderr, r'at 0\.31 s moved to 0\.4 s, by 0\.09 s')

    def test_model_exchange_unit_sees_the_table_itself_inside_its_step(self):
        lag = self.unit('lag_fmi3.fmu')
        triangle = [(0, 0), (0.32, 0), (0.35, 0.9), (0.38, 0), (2, 0)]
        pulse = [(0, 0), (0.31, 0), (0.31, 0.9), (0.39, 0.9), (0.39, 0), (2, 0)]
        for points in (triangle, pulse):
            for drive in self.drives(points, 'u'):
                ends = []
                for step in ('0.1', '0.01'):
                    self.run_of(lag, *drive, '--step', step, '--stop', '1', '--tolerance', '1e-8', '--event-rows', 'off')
                    ends.append(self.column('x')[-1])
                    self.assertEqual(len(self.column('time')), round(1 / float(step)) + 1)
                self.assertGreater(ends[0], 0.01)
                self.assertAlmostEqual(ends[0], ends[1], places=7)

    def test_jump_of_a_discrete_input_of_a_model_exchange_unit_gets_a_point(self):
        self.run_of(self.unit('lag_fmi3.fmu'), *self.scenario([(0.15, 4)], 'mode', 'constant'), '--step', '0.1', '--stop',
                    '0.3', '--event-rows', 'off')
        self.assertEqual(self.column('time'), [0, 0.1, 0.15, 0.2, 0.3])
        self.assertEqual(self.column('seen')[-2:], [4, 4])

    def test_jump_at_a_point_comes_at_that_point_with_every_algorithm(self):
        for algorithm in ('jacobi', 'gauss-seidel'):
            for drive in self.drives([(0, 0), (0.2, 0), (0.2, 4), (1, 4)], 'mode'):
                self.run_of(self.unit('lag_fmi3.fmu'), *drive, '--step', '0.1', '--stop', '0.4', '--algorithm', algorithm)
                self.assertEqual(self.pairs('seen')[0], (0.2, [0, 4]))

    def test_a_table_that_begins_after_the_run_says_what_is_held_before(self):
        self.write('late.csv', 'time,u\n0.5,2\n1,2\n')
        done = self.run_of(self.unit('integrator_fmi2.fmu'), '--step', '0.1', '--stop', '1', '--input', 'late.csv')
        self.assertRegex(done.stderr, 'note: .*the table begins at 0.5 s, the run at 0 s: until then the values of its first row are held')
        self.assertAlmostEqual(self.column('y')[-1], 2, places=12)

    def test_same_ramp_by_table_and_by_scenario_gives_the_same_numbers(self):
        ramp = [(0, 0.1), (0.37, 0.3), (1, 0.8)]
        for unit, signal in (('integrator_fmi2', 'y'), ('fixed_step_integrator_fmi2', 'y'), ('lag_fmi3', 'x')):
            for hold in ('auto', 'linear'):
                results = []
                for drive in self.drives(ramp, 'u'):
                    self.run_of(self.unit(unit + '.fmu'), *drive, '--step', '0.01', '--stop', '1', '--hold', hold)
                    results.append(self.column(signal))
                self.assertEqual(*results)

    def test_jump_at_a_point_but_for_rounding_is_at_that_point(self):
        late = [(0, 0), (0.1 + 0.2, 0), (0.1 + 0.2, 1), (1, 1)]
        self.run_of(self.unit('integrator_fmi2.fmu'), *self.table(late), '--step', '0.1', '--stop', '1')
        self.assertEqual(len(self.column('time')), 11)
        self.assertAlmostEqual(self.column('y')[-1], 0.7, places=12)

    def test_jump_between_ticks_is_at_the_next_one_and_said(self):
        points = [(0, 0), (1 / 3, 0), (1 / 3, 1), (1, 1)]
        done = self.run_of(self.unit('integrator_fmi2.fmu'), *self.table(points), '--step', '0.1', '--stop', '1')
        self.assertIn(0.333333334, self.column('time'))
        self.assertRegex(done.stderr, r'note: .*jumps at 0\.333333\d* s; its point is the next tick, 0\.333333334 s')

    # ---- both sides of events ----

    def pairs(self, name='time'):
        """Values of a column in rows of equal time: time, and the value in each of these rows."""
        found = {}
        for t, value in zip(self.column('time'), self.column(name)):
            found.setdefault(t, []).append(value)
        return [(t, values) for t, values in found.items() if len(values) > 1]

    def test_event_inside_a_step_has_two_rows(self):
        ball = self.unit('ball_fmi2.fmu')
        self.run_of(ball, '--step', '0.1', '--stop', '1', '--record', 'v', '--record', 'h')
        (t, (before, after)), = self.pairs('v')
        self.assertAlmostEqual(t, (2 / 9.81) ** 0.5, places=7)
        self.assertAlmostEqual(before, -9.81 * t, places=5)
        self.assertAlmostEqual(after, -0.7 * before, places=12)
        self.assertEqual(len(self.column('time')), 13)
        self.assertEqual(self.column('time'), sorted(self.column('time')))

    def test_event_rows_are_left_out_on_request_and_where_rows_are_thinned(self):
        ball = self.unit('ball_fmi2.fmu')
        for option in (('--event-rows', 'off'), ('--record-interval', '0.1')):
            self.run_of(ball, '--step', '0.1', '--stop', '1', *option)
            self.assertEqual(len(self.column('time')), 11)
        self.refused('--event-rows', 'run', ball, '--event-rows', 'on', '--record-interval', '0.1')

    def test_event_at_a_point_has_two_rows(self):
        self.run_of(self.unit('stair_fmi2.fmu'), '--step', '0.1', '--stop', '0.4', '--set', 'period=0.2')
        self.assertEqual(self.pairs('count'), [(0.2, [1, 2]), (0.4, [2, 3])])

    def test_event_of_an_event_mode_unit_has_two_rows_at_a_point_and_inside_a_step(self):
        unit = self.unit('events_fmi3.fmu')
        self.run_of(unit, '--step', '0.1', '--stop', '0.3', '--set', 'event_at=0.25', '--record', 'count')
        pairs = dict(self.pairs('count'))
        self.assertEqual(pairs[0.25][1], pairs[0.25][0] + 1)

    def test_values_of_other_units_are_held_at_an_event_inside_a_step(self):
        for name in ('ball_fmi2.fmu', 'integrator_fmi2.fmu'):
            self.fmu(name, TEST_FMUS)
        self.write('SystemStructure.ssd', system(component('sum', 'integrator_fmi2.fmu') +
                                                 component('ball', 'ball_fmi2.fmu'), connection('ball.h', 'sum.u')))
        for algorithm in ('jacobi', 'gauss-seidel'):
            self.run_of('.', '--step', '0.1', '--stop', '1', '--algorithm', algorithm)
            (t, held), = self.pairs('sum.y')
            at = self.column('time').index(t)
            self.assertEqual(held, [self.column('sum.y')[at - 1]] * 2)
            self.assertNotEqual(self.column('sum.y')[at + 2], held[0])

    def test_the_row_before_has_none_of_the_events_that_one_instant_brought(self):
        self.fmu('switch_fmi2.fmu', TEST_FMUS)
        units = ''.join(component(name, 'switch_fmi2.fmu') for name in 'abc')
        self.write('SystemStructure.ssd', system(units, connection('a.crossings', 'b.u') + connection('b.crossings', 'c.u')))
        periods = [f'--set={name}.period=10' for name in 'abc']
        self.run_of('.', '--step', '0.1', '--stop', '0.6', '--algorithm', 'jacobi', '--set', 'a.switch_at=0.35', *periods)
        self.assertEqual(dict(self.pairs('b.crossings'))[0.4], [0, 1])
        self.assertEqual(dict(self.pairs('c.crossings'))[0.4], [0, 1])

    def test_events_that_came_late_to_others_are_told(self):
        for name in ('ball_fmi2.fmu', 'integrator_fmi2.fmu'):
            self.fmu(name, TEST_FMUS)
        # Two: the ball leaves the ground after it was thrown back.
        told = "note: unit 'ball': 2 events were inside its steps: other units got what they changed at the end of the step, up to 0.1 s later"
        for wires, seen in ((connection('ball.h', 'sum.u'), True), ('', False)):
            self.write('SystemStructure.ssd', system(component('sum', 'integrator_fmi2.fmu') + component('ball', 'ball_fmi2.fmu'), wires))
            done = self.run_of('.', '--step', '0.1', '--stop', '1')
            self.assertEqual(told in done.stderr, seen, done.stderr)

    def test_every_format_keeps_both_sides_of_an_event(self):
        ball = self.unit('ball_fmi2.fmu')
        for form, file in (('csv', 'results.csv'), ('hdf5', 'results.h5'), ('mat', 'results.mat')):
            done = self.tandem('run', ball, '--step', '0.1', '--stop', '1', '--format', form, '--out', form, '--record',
                               'v', '--record', 'h')
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.tandem('compare', '--bits', f'{form}/{file}', 'csv/results.csv')
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # An impact a little later is within a tolerance of time, on both sides of the jump, and not without.
        self.run_of(ball, '--step', '0.1', '--stop', '1', '--set', 'h=1.0001', '--record', 'v', '--record', 'h')
        compare = 'compare', 'o/results.csv', 'csv/results.csv', '--tol', '1e-3'
        self.assertEqual(self.tandem(*compare).returncode, 3)
        self.assertEqual(self.tandem(*compare, '--time', '1e-3').returncode, 0)

    def test_run_without_events_has_the_rows_of_its_points(self):
        self.run_of(self.two_mass(), '--stop', '0.1', '--step', '0.01')
        self.assertEqual(self.pairs(), [])
        self.assertEqual(len(self.column('time')), 11)


if __name__ == '__main__':
    main()
