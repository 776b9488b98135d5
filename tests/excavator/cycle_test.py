"""The working cycle in full, simple, kinematic and Modelica fidelity, and the boom alone in Modelica.

usage: cycle_test.py TANDEM FMUS REPOSITORY MODELICA_UNIT MODELICA_BOOM_UNIT
"""
import pathlib
import sys

from support import AXES, ENERGIES, REFERENCES, StagedTest, TANDEM, ends_of_moves, main, read_table, run

POSITION = 0.02        # of the way an axis moves: C++ against Modelica
PRESSURE = 0.05        # C++ against Modelica
PRESSURE_FLOOR = 1e5   # Pa
LEDGER = 1e-4          # of the pump's energy
SAME_SPEEDS = 0.05     # of the way: the simple and the kinematic machine move by the same table of speeds
FAITHFUL = 0.6         # of the way: an axis that its load pulls is faster than the table
TRAJECTORY = 0.02      # of what a quantity moves over
LIMIT = 10e3           # W of the pump, below what the cycle takes


def way(result, name):
    return max(result[name]) - min(result[name])


class Cycle(StagedTest):
    units = [pathlib.Path(unit) for unit in sys.argv[4:6]]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ends = ends_of_moves()
        cls.full = cls.cycle('manual')

    @classmethod
    def cycle(cls, system):
        mover = 'motion' if system == 'manual_kinematic' else 'mechanics'
        patterns = [f'{mover}.*.position']
        if mover == 'mechanics':
            patterns += ['hydraulics.*.pressure_?']
        if system in ('manual', 'manual_modelica'):
            patterns += ['hydraulics.energy.*']
        result = run(TANDEM, cls.systems / f'{system}.ssd', '--scenario', cls.systems / 'working_cycle.xml',
                     '--record-interval', '0.02', *(f'--record={pattern}' for pattern in patterns))
        print(f'{system}: {result.time[-1] / result.seconds:.0f} x real time of one core')
        return result

    def differences(self, result, mover, other, other_mover):
        """At the ends of the moves, as shares of the way that the axis moves in the full cycle."""
        for axis, times in self.ends.items():
            for t in times:
                one, two = result.at(f'{mover}.{axis}.position', t), other.at(f'{other_mover}.{axis}.position', t)
                yield f'{axis} at {t} s', (one - two) / way(self.full, f'mechanics.{axis}.position')

    def check_ledger(self, result):
        pump = result['hydraulics.energy.pump'][-1]
        rest = pump - sum(result[f'hydraulics.energy.{part}'][-1] for part in ENERGIES)
        self.assertGreater(pump, 5e4)
        self.assertLess(abs(rest), LEDGER * pump)

    def test_every_axis_moves(self):
        for axis in AXES:
            self.assertGreater(way(self.full, f'mechanics.{axis}.position'), 0.05, axis)
        self.check_ledger(self.full)

    def test_simple_and_kinematic_are_near_to_full(self):
        simple, kinematic = self.cycle('manual_simple'), self.cycle('manual_kinematic')
        for what, share in self.differences(simple, 'mechanics', kinematic, 'motion'):
            self.assertLess(abs(share), SAME_SPEEDS, f'simple against kinematic: {what}')
        for what, share in self.differences(simple, 'mechanics', self.full, 'mechanics'):
            print(f'simple against full: {what}: {100 * share:+.1f} % of the way')
            self.assertLess(abs(share), FAITHFUL, what)

    def test_modelica_agrees_with_full(self):
        modelica = self.cycle('manual_modelica')
        self.check_ledger(modelica)
        for what, share in self.differences(modelica, 'mechanics', self.full, 'mechanics'):
            self.assertLess(abs(share), POSITION, what)
        for axis, times in self.ends.items():
            for name in (f'hydraulics.{axis}.pressure_a', f'hydraulics.{axis}.pressure_b'):
                for t in times:
                    ours, theirs = self.full.at(name, t), modelica.at(name, t)
                    self.assertLess(abs(ours - theirs), PRESSURE * max(abs(ours), PRESSURE_FLOOR), f'{name} at {t} s')

    def test_the_delivered_power_stays_at_its_limit_in_both_plants(self):
        for system, name in (('manual', 'hydraulics.supply'), ('manual_modelica', 'hydraulics')):
            peaks = []
            for delivered in (0, LIMIT):
                result = run(TANDEM, self.systems / f'{system}.ssd', '--scenario', self.systems / 'working_cycle.xml',
                             '--stop', '6', '--record', 'hydraulics.supply.power', '--set', f'{name}.max_power={LIMIT}',
                             '--set', f'{name}.max_delivered_power={delivered}')
                peaks.append(max(result['hydraulics.supply.power']))
            # The demand alone is limited before the pump's lag.
            self.assertGreater(peaks[0], 1.02 * LIMIT, system)
            self.assertLess(peaks[1], (1 + 1e-6) * LIMIT, system)
            self.assertGreater(peaks[1], 0.99 * LIMIT, system)

    def test_modelica_moves_the_boom_alone_as_the_reference_does(self):
        folder = self.folder / 'examples/boom_coupling'
        system = folder / 'modelica.ssd'
        system.write_text((folder / 'SystemStructure.ssd').read_text().replace(
            'source="resources/hydraulics_boom.fmu"',
            f'source="resources/{self.units[1].name}" implementation="ModelExchange"'))
        lowered = ['--set=mechanics.boom.initial_position=0.3702943488', '--set=hydraulics.boom.initial_force=81976.89']
        moves = {'boom_raise.csv': ['--scenario', folder / 'raise.xml'],
                 'boom_lower.csv': ['--scenario', folder / 'lower.xml', *lowered],
                 'boom_hold.csv': ['--stop', '10']}
        columns = {'theta': 'mechanics.joint.boom.position', 'pA': 'hydraulics.boom.pressure_a',
                   'pB': 'hydraulics.boom.pressure_b', 'pP': 'hydraulics.supply.pressure'}
        for file, options in moves.items():
            result = run(TANDEM, system, '--record-interval', '0.02', *(f'--record={n}' for n in columns.values()),
                         '--record=hydraulics.energy.*', *options)
            expected = read_table(REFERENCES / file)
            for column, name in columns.items():
                floor = PRESSURE_FLOOR if column.startswith('p') else 0
                span = max(max(expected[column]) - min(expected[column]), floor)
                worst = max(abs(a - b) for a, b in zip(result[name], expected[column]))
                self.assertLess(worst, TRAJECTORY * span, f'{file}: {column}')
            rest = 2 * result['hydraulics.energy.pump'][-1] - sum(
                result[f'hydraulics.energy.{part}'][-1] for part in ('pump', *ENERGIES))
            self.assertLess(abs(rest), LEDGER * result['hydraulics.energy.pump'][-1])


if __name__ == '__main__':
    main()
