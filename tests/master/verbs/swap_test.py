"""Exchanges units: `run --replace`, `swap` with its verdicts, the measured map, the written system.

usage: swap_test.py TANDEM FMUS TEST_FMUS EXAMPLES; TANDEM_LONG=1 adds steps
"""
import json
import math
import os
import xml.etree.ElementTree as ET

from pyssp_standard.ssd import SSD

from command_line import EXAMPLES, FMUS, TEST_FMUS, CommandLine, component, connection, main, system

LONG = 'TANDEM_LONG' in os.environ
MAP = '''old,new,gain,offset,unit
boom.position,u1,,,mm
boom.velocity,u2,,,mm/s
boom.command,u3,-1,,%
boom.force,y1,-1,,kN
boom.pressure_a,y2,,,bar
boom.pressure_b,y3,,,bar
supply.pressure,y4,,,bar
supply.flow_rate,y5,,,l/min
boom.initial_force,p1,-1,,kN
'''


def unit(name):
    return os.path.join(FMUS, name)


class Swap(CommandLine):
    def setUp(self):
        super().setUp()
        self.masses = self.two_mass()
        self.boom = self.example('boom_coupling')
        self.raised = ('--scenario', os.path.join(self.boom, 'raise.xml'))
        self.foreign = unit('foreign_axis.fmu')
        self.map = self.write('map.csv', MAP)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_ok(self, *arguments):
        done = self.tandem(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def swap(self, system, component, fmu, *more):
        return json.loads(self.run_ok('swap', system, component, fmu, '--json', *more))

    def lines(self, name):
        with open(os.path.join(self.path(name), 'results.csv')) as file:
            return file.read().splitlines()[1:]

    def foreign_run(self, out, *more):
        self.run_ok('run', self.boom, '--replace', f'hydraulics={self.foreign},map={self.map}', *self.raised,
                    '--stop', '1', '--shadow', 'off', '--out', out, *more)

    def test_a_unit_on_a_bus_is_replaced_by_itself(self):
        """Its clock ticks by an interval of its own: it is an input that gives."""
        bus = self.example('can_bus')
        self.run_ok('run', bus, '--out', 'plain', '--shadow', 'off')
        self.run_ok('run', bus, '--out', 'same', '--shadow', 'off', '--replace', f'listener={unit("can_recorder.fmu")}',
                    '--write', 'same.ssd')
        self.run_ok('run', 'same.ssd', '--out', 'written', '--shadow', 'off')
        self.assertEqual(self.lines('same'), self.lines('plain'))
        self.assertEqual(len(self.lines('written')), len(self.lines('plain')))

    def test_the_written_system_gives_the_bits_of_the_replaced_one(self):
        self.foreign_run('a', '--write', 'deep/new.ssd')
        self.run_ok('run', 'deep/new.ssd', *self.raised, '--stop', '1', '--shadow',
                    'off', '--out', 'b')
        self.assertEqual(self.lines('a'), self.lines('b'))

    def test_the_written_system_is_plain_ssp(self):
        self.foreign_run('a', '--write', 'new.ssd')
        space = {'ssd': 'http://ssp-standard.org/SSP1/SystemStructureDescription',
                 'ssc': 'http://ssp-standard.org/SSP1/SystemStructureCommon'}
        root = ET.parse(self.path('new.ssd')).getroot()
        nested = root.find("ssd:System/ssd:Elements/ssd:System[@name='hydraulics']", space)
        connection = nested.find("ssd:Connections/ssd:Connection[@endConnector='u3']", space)
        self.assertEqual(connection.get('startConnector'), 'boom.command')
        self.assertEqual(connection.find('ssc:LinearTransformation', space).get('factor'), '-1')
        kilo = root.find("ssd:Units/ssc:Unit[@name='kN']/ssc:BaseUnit", space)
        self.assertEqual(kilo.get('factor'), '1000')
        self.assertIsNotNone(nested.find('ssd:ParameterBindings', space))
        with SSD(self.path('new.ssd')) as file:
            file.__check_compliance__()

    def test_a_value_of_the_command_line_goes_over_by_the_map(self):
        self.foreign_run('a', '--set', 'hydraulics.boom.initial_force=50000', '--record', 'hydraulics.y1')
        self.assertEqual(self.lines('a')[0], '0,-50')

    def test_a_repeat_has_the_same_bits(self):
        self.foreign_run('a')
        self.assertIn('same bits', self.run_ok('run', '--repeat', 'a/run.json'))

    def test_what_has_no_partner_is_an_error_with_the_place(self):
        done = self.refused(r"error\[no-partner\]: .*SystemStructure.ssd:\d+: output 'hydraulics.boom.force'", 'run',
                            self.boom, '--replace', f'hydraulics={self.foreign}')
        self.assertIn("input 'u3' of the new unit", done.stderr)

    def test_bad_maps_are_refused_with_their_line(self):
        for text, line, expected in [
                ('old,new\nboom.forse,y1\n', 2, "no variable 'boom.forse'.*closest match 'boom.force'"),
                ('old,new\nboom.force,y1\nboom.force,y2\n', 3, 'a second time; first at .*map.csv:2'),
                ('old,new,unit\nboom.force,y1,bar\n', 2, 'no partners'),
                ('old,new,gain\nboom.force,y1,x\n', 2, "'x' in column 'gain' is no number"),
                ('old,new,gain\nboom.force,y1,0\n', 2, 'the gain not zero'),
                ('old,new,uint\nboom.force,y1,\n', 1, "unknown column 'uint'.*'unit'"),
                ('old,new\nboom.force,u1\n', 2, 'causality output'),
                ('old,new,unit\nboom.force,y1,blob\n', 2, "unit 'blob'"),
                ('old,new\n,\n', 2, 'expected a name')]:
            with self.subTest(text):
                self.refused(rf'map\.csv:{line}(:\d+)?: .*' + expected, 'swap', self.boom, 'hydraulics', self.foreign,
                             '--map', self.write('map.csv', text), '--write', 'new.ssd')
                self.assertFalse(os.path.exists(self.path('new.ssd')))

    def test_an_unknown_component_is_named_with_the_closest_one(self):
        self.refused("closest match 'hydraulics'", 'swap', self.boom, 'hydraulic', self.foreign)

    def test_a_lost_parameter_is_listed(self):
        without = '\n'.join(line for line in MAP.split('\n') if 'initial_force' not in line)
        self.write('map.csv', without)
        done = self.tandem('run', self.boom, '--replace', f'hydraulics={self.foreign},map=map.csv', '--stop', '0.01',
                           '--shadow', 'off', '--out', 'a')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"SystemStructure.ssd:\d+: the value 89853.77917 of "
                                      r"'hydraulics.boom.initial_force' is lost")

    def test_an_output_may_be_held_or_come_from_the_old_unit(self):
        held = MAP.replace('boom.force,y1,-1,,kN', 'boom.force,=60000,,,')
        self.write('map.csv', held)
        self.foreign_run('a', '--record', 'mechanics.boom.force')
        self.assertEqual({row.split(',')[1] for row in self.lines('a') if row}, {'60000'})
        self.write('map.csv', MAP.replace('boom.force,y1,-1,,kN', 'boom.force,from the old unit,,,'))
        self.foreign_run('b', '--record', 'mechanics.boom.position', '--write', 'kept.ssd')
        self.run_ok('run', self.boom, *self.raised, '--stop', '1', '--shadow',
                    'off', '--out', 'c', '--record', 'mechanics.boom.position')
        self.assertEqual(self.lines('b'), self.lines('c'))
        self.run_ok('run', 'kept.ssd', *self.raised, '--stop', '1', '--shadow',
                    'off', '--out', 'd', '--record', 'mechanics.boom.position')
        self.assertEqual(self.lines('b'), self.lines('d'))

    def test_verdicts(self):
        oscillator = unit('oscillator.fmu')
        same = self.swap(self.masses, 'left', unit('oscillator_fmi2.fmu'))
        self.assertEqual(same['verdict'], 'no difference')
        self.assertEqual([change['kind'] for change in same['interface']], ['rate'])
        stiffer = f'left.k={1.05 * 4 * math.pi ** 2}'
        changed = self.swap(self.masses, 'left', oscillator, '--step', '0.001', '--new-set', stiffer)
        self.assertEqual({signal['verdict'] for signal in changed['signals']}, {'physics'})
        self.assertEqual(self.swap(self.masses, 'left', oscillator, '--new-step', '0.005')['verdict'], 'coupling')

    def exchanged(self, stiffness=16_000, new_stiffness=16_000, step=0.005):
        """The two masses, the first of which the master integrates; it swings by 0.6 rad in a communication step."""
        self.fmu('oscillator.fmu')
        left = component('left', 'oscillator.fmu').replace('<ssd:Component', '<ssd:Component implementation="ModelExchange"')
        self.write('exchange.ssd', system(left + component('right', 'oscillator.fmu'),
                                          connection('left.x', 'right.x_other') + connection('right.x', 'left.x_other')))
        return ('exchange.ssd', 'left', unit('oscillator.fmu'), '--stop', '2', '--step', str(step), '--set', 'left.x0=1', '--set',
                f'left.k={stiffness}', '--new-set', f'left.k={new_stiffness}')

    def test_errors_of_solvers_are_no_physics(self):
        for tolerance in ('1e-2', '1e-3', '1e-4'):
            with self.subTest(tolerance=tolerance):
                found = self.swap(*self.exchanged(), '--tolerance', tolerance)
                self.assertEqual(found['solvers'], 'measured by a tolerance of 1e-09')
                self.assertEqual(found['verdict'], 'no difference', found['signals'])
                for signal in found['signals']:
                    self.assertGreater(1.5 * signal['solver_error'], signal['peak'])
        stiffer = self.exchanged(new_stiffness=1.05 * 16_000)
        self.assertEqual(self.swap(*stiffer, '--tolerance', '1e-6')['verdict'], 'physics')
        # Soft as it is by itself, it hardly moves in a step: the solver has no error that could be taken for physics.
        soft = 4 * math.pi ** 2
        found = self.swap(*self.exchanged(soft, soft, step=0.0005), '--tolerance', '1e-2')
        self.assertEqual(found['verdict'], 'no difference', found['signals'])
        for signal in found['signals']:
            self.assertLess(signal['peak'], 1e-6)

    def noisy(self):
        """The two masses, the first of which a sensor with noise looks at."""
        for name, folder in (('oscillator.fmu', FMUS), ('noisy_fmi2.fmu', TEST_FMUS)):
            self.fmu(name, folder)
        self.write('noisy.ssd', system(
            component('left', 'oscillator.fmu') + component('right', 'oscillator.fmu') + component('sensor', 'noisy_fmi2.fmu'),
            connection('left.x', 'right.x_other') + connection('right.x', 'left.x_other') + connection('left.x', 'sensor.u')))
        return ('noisy.ssd', 'sensor', os.path.join(TEST_FMUS, 'noisy_fmi2.fmu'), '--step', '0.001', '--stop', '2', '--set', 'left.x0=1')

    def verdicts(self, found):
        return {signal['name']: signal for signal in found['signals']}

    def test_other_noise_is_no_physics(self):
        for seed in (8, 9, 1234, 0):
            with self.subTest(seed=seed):
                found = self.swap(*self.noisy(), '--new-set', f'sensor.noise.seed={seed}')
                self.assertEqual(found['noise'], {'seeds': ['sensor.noise.seed'], 'common': False})
                signals = self.verdicts(found)
                self.assertEqual(signals['sensor.y']['verdict'], 'cannot tell')
                self.assertRegex(signals['sensor.y']['reason'], 'noise: .* times what other seeds change')
                self.assertEqual(signals['left.x']['verdict'], 'no difference')
        self.assertIn('measured by another value of sensor.noise.seed; the two runs have different noise',
                      self.run_ok('swap', *self.noisy(), '--new-set', 'sensor.noise.seed=8'))

    def test_physics_is_seen_through_common_noise_and_beyond_other_noise(self):
        # Noise of 5 %: a change of the gain by 5 % shows where both have the same noise, and not where they have not.
        for gain, seed, verdict in ((1.05, 7, 'physics'), (1.05, 8, 'cannot tell'), (4, 8, 'physics')):
            with self.subTest(gain=gain, seed=seed):
                found = self.swap(*self.noisy(), '--new-set', f'sensor.gain={gain}', '--new-set', f'sensor.noise.seed={seed}')
                self.assertEqual(self.verdicts(found)['sensor.y']['verdict'], verdict)
                self.assertEqual(found['noise']['common'], seed == 7)

    def test_a_smaller_step_is_advised_where_error_bars_hide_a_change(self):
        stiffer = ('--new-set', f'left.k={1.05 * 4 * math.pi ** 2}')
        hidden = self.swap(self.masses, 'left', unit('oscillator.fmu'), *stiffer)
        self.assertEqual(hidden['verdict'], 'cannot tell')
        for signal in hidden['signals']:
            self.assertNotEqual(signal['verdict'], 'coupling', 'the step is the same, the spring is not')
        self.assertIn('--step 0.0025 ', hidden['advice'])
        self.assertIn('advice     what is hidden', self.run_ok('swap', self.masses, 'left', unit('oscillator.fmu'), *stiffer))
        self.assertNotIn('advice', self.swap(self.masses, 'left', unit('oscillator.fmu'), '--step', '0.001', *stiffer))

    def test_quarter_car_verdicts(self):
        chassis = (self.example('quarter_car'), 'chassis', unit('quarter_car_chassis_fmi2.fmu'))
        self.assertEqual(self.swap(*chassis)['verdict'], 'no difference')
        self.assertEqual(self.swap(*chassis, '--step', '0.0002', '--new-set', 'chassis.m=420')['verdict'], 'physics')

    def test_another_step_is_never_physics(self):
        quarter_car = self.example('quarter_car')
        # Larger and smaller ones, and some that do not divide.
        of_masses, of_car, of_boom = ('0.02', '0.005', '0.0125'), ('0.002', '0.0004'), ('0.002', '0.0004')
        if LONG:
            of_masses += ('0.0025', '0.002', '0.001')
            of_car += ('0.0005', '0.00025')
            of_boom += ('0.0005', '0.00025', '0.0002', '0.00125')
        cases = [(self.masses, 'left', 'oscillator.fmu', step, ()) for step in of_masses]
        cases += [(quarter_car, component, f'quarter_car_{component}.fmu', step, ())
                  for component in ('chassis', 'wheel') for step in of_car]
        cases += [(self.boom, 'hydraulics', 'hydraulics_boom.fmu', step, (*self.raised, '--stop', '1.5')) for step in of_boom]
        cases += [(noisy[0], noisy[1], noisy[2], step, noisy[3:]) for noisy in (self.noisy(),) for step in ('0.002', '0.0005')]
        self.assertEqual(len(cases), 22 if LONG else 11)
        for machine, part, fmu, step, more in cases:
            with self.subTest(fmu=fmu, step=step):
                found = self.swap(machine, part, unit(fmu), '--new-step', step, *more)
                for signal in found['signals']:
                    self.assertNotEqual(signal['verdict'], 'physics', signal)
                    self.assertNotEqual(signal['peak'], 0, 'the step changes nothing: this case tests nothing')

    def test_compare_draws_results_over_one_another(self):
        for out, step in (('a', '0.01'), ('b', '0.005'), ('c', '0.0025')):
            self.run_ok('run', self.masses, '--step', step, '--stop', '1', '--shadow', 'off', '--out', out)
        done = self.tandem('compare', 'a/results.csv', 'c/results.csv', 'b/results.csv', '--tol', '0.5', '--html', 'page.html')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path('page.html')) as file:
            page = file.read()
        self.assertEqual(page.count('<svg'), 2)
        self.assertEqual(page.count('class="line line2"'), 2)
        self.assertEqual(page.count('>within</tr>'), 4)
        self.assertNotIn('http://', page.replace('http://www.w3.org/2000/svg', ''))

    def test_the_measured_map_is_right(self):
        self.run_ok('swap', self.boom, 'hydraulics', self.foreign, *self.raised, '--propose', 'measured.csv')
        with open(self.path('measured.csv')) as file:
            rows = {tuple(line.split(',')[:5]) for line in file if not line.startswith('#')}
        expected = {tuple((line + ',,').split(',')[:5]) for line in MAP.strip().split('\n')}
        self.assertEqual(rows, expected)
        found = self.swap(self.boom, 'hydraulics', self.foreign, *self.raised, '--map', 'measured.csv', '--out', 'report')
        self.assertEqual(found['verdict'], 'no difference')
        self.assertTrue(os.path.exists(self.path('report/report.html')))

    def test_descriptions_tell_the_units_of_a_linear_unit(self):
        """Factors of its input and its outputs go together: which of them is chosen changes names, and no number."""
        car = (self.example('quarter_car'), 'chassis')
        self.run_ok('swap', *car, os.path.join(TEST_FMUS, 'foreign_mass_fmi2.fmu'), '--propose', 'mass.csv')
        with open(self.path('mass.csv')) as file:
            rows = {tuple(line.split(',')[:5]) for line in file if not line.startswith('#')}
        self.assertEqual(rows - {('old', 'new', 'gain', 'offset', 'unit')},
                         {('F', 'Kraft', '-1', '', 'kN'), ('z_c', 'Weg', '', '', 'mm'), ('v_c', 'Geschw', '', '', 'mm/s')})
        found = self.swap(*car, os.path.join(TEST_FMUS, 'foreign_mass_fmi2.fmu'), '--map', 'mass.csv')
        self.assertIn(found['verdict'], ('no difference', 'coupling'))
        self.assertIn("'N' became 'kN' (by the map): old = -1000 new", [change['text'] for change in found['interface']])
        text = self.run_ok('swap', *car, os.path.join(TEST_FMUS, 'silent_mass_fmi2.fmu'), '--propose', 'silent.csv')
        self.assertRegex(text, "# open: input 'F' belongs to 'Kraft', but .* nor does its description name a unit")
        self.assertIn('# open: outputs: cannot be matched before an input is', text)
        self.assertNotIn('R2', text)

    def body(self, step, rate=''):
        """A body that a force turns to and fro, ten steps for each turn."""
        self.fmu('drag_fmi2.fmu', TEST_FMUS)
        self.fmu('sum.fmu')
        own = ('<ssd:Annotations><ssc:Annotation type="io.tandem.cosim"><t:Component xmlns:t="urn:tandem:cosim:1">'
               f'<t:Rate step="{rate}"/></t:Component></ssc:Annotation></ssd:Annotations>') if rate else ''
        self.write('body.ssd', system(component('body', 'drag_fmi2.fmu', own) + component('force', 'sum.fmu'),
                                      connection('force.y', 'body.F')))
        turn = 10 * float(rate or step)
        rows = [f'{0.1 * turn * i / 10},{20 * math.sin(2 * math.pi * 0.01 * i) + 5}' for i in range(601)]
        self.write('force.csv', '\n'.join(['time,force.u1', *rows]) + '\n')
        return 'body.ssd', 'body', '--input', 'force.csv', '--step', step, '--stop', str(round(5 * turn, 6))

    def proposed(self, system, component, *more, fmu):
        text = self.run_ok('swap', system, component, os.path.join(TEST_FMUS, fmu), *more, '--propose', 'body.csv')
        return text, {tuple(line.split(',')[:5]) for line in text.splitlines() if line.startswith(('F,', 'v,'))}

    def test_a_replica_follows_exactly_and_its_offset_is_seen(self):
        for step, rate in (('0.1', ''), ('0.01', '0.1')):
            with self.subTest(step=step, rate=rate):
                text, rows = self.proposed(*self.body(step, rate), fmu='offset_drag_fmi2.fmu')
                self.assertIn('R2 = 1.00000', text)
                self.assertEqual({row[:3] for row in rows}, {('F', 'Kraft', ''), ('v', 'Tempo', '')})
                offsets = {row[0]: row[3] for row in rows}
                self.assertEqual(offsets['F'], '')
                self.assertAlmostEqual(float(offsets['v']), -3, delta=1e-9)

    def test_pounds_are_known_and_what_is_not_known_is_not_guessed(self):
        text, rows = self.proposed(*self.body('0.02'), fmu='pound_drag_fmi2.fmu')
        self.assertIn(('F', 'Kraft', '', '', 'lbf'), rows, text)
        text, rows = self.proposed(*self.body('0.02'), fmu='odd_drag_fmi2.fmu')
        self.assertNotIn('F', {row[0] for row in rows}, text)
        self.assertRegex(text, "# open: input 'F' belongs to 'Kraft', but the factor is none between units")

    def test_half_of_a_machine_is_exchanged_in_two_commands(self):
        """Four axes of eight, in other names, units and signs; the old unit keeps the rest."""
        folder = os.path.join(os.path.dirname(EXAMPLES), 'config/excavator')
        swap = ('swap', os.path.join(folder, 'manual.ssd'), 'hydraulics', unit('foreign_hydraulics.fmu'), '--scenario',
                os.path.join(folder, 'working_cycle.xml'), '--stop', '5')
        self.run_ok(*swap, '--propose', 'half.csv', '--rest-of-old')
        with open(self.path('half.csv')) as file:
            rows = {tuple(line.split(',')[:3]) for line in file if not line.startswith('#')}
        for number, axis in enumerate(('boom', 'adjust', 'arm', 'coupler'), 1):
            for row in ((f'{axis}.command', f'Z{number}_Ventil', '-1'), (f'{axis}.force', f'Z{number}_Kraft', '-1')):
                self.assertIn(row, rows)
        self.assertIn(('slew.force', 'from the old unit', ''), rows)
        found = self.swap(*swap[1:], '--map', 'half.csv', '--write', 'half.ssd')
        self.assertIn(found['verdict'], ('physics', 'coupling', 'no difference'))
        self.assertTrue(os.path.exists(self.path('half.ssd')))


if __name__ == '__main__':
    main()
