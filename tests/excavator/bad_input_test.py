"""Machines and parameters that cannot be are refused with exit code 2 and a message that says what was expected.

usage: bad_input_test.py TANDEM FMUS REPOSITORY
"""
import re
import subprocess
import zipfile

from support import FMUS, REPOSITORY, StagedTest, TANDEM, main

FAILED, BAD_INPUT = 1, 2


def with_machine(unit, archive, text):
    """A copy of a unit with another machine in its resources."""
    with zipfile.ZipFile(FMUS / unit) as source, zipfile.ZipFile(archive, 'w') as copy:
        for item in source.infolist():
            copy.writestr(item, text if item.filename == 'resources/machine.urdf' else source.read(item))


class BadMachines(StagedTest):
    def refuse(self, pattern, replacement, *expected):
        text = (REPOSITORY / 'config/machines/demolition_excavator.urdf').read_text()
        broken, count = re.subn(pattern, replacement, text, count=1, flags=re.DOTALL)
        self.assertEqual(count, 1, f'{pattern} is not in the machine')
        for unit in ('mechanics.fmu', 'mechanics_fmi2.fmu', 'kinematics.fmu'):
            archive = self.folder / unit
            with_machine(unit, archive, broken)
            done = subprocess.run([TANDEM, 'run', archive, '--stop', '0.01', '--out', self.folder / 'out'],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, BAD_INPUT, f'{unit}: {done.stderr}')
            self.assertIn('machine.urdf', done.stderr)
            for words in expected:
                self.assertIn(words, done.stderr, unit)

    def test_a_file_that_ends_in_the_middle(self):
        self.refuse(r'</link>.*$', '', 'machine.urdf:', 'mismatch')

    def test_a_size_below_zero(self):
        self.refuse(r'(<collision>(?:(?!</collision>).)*?<box size=")', r'\g<1>-', "'size' of <box>", 'expected numbers above 0')

    def test_a_mass_below_zero(self):
        self.refuse(r'<mass value="', '<mass value="-', "'value' of <mass>", 'expected more than 0')

    def test_a_cylinder_that_cannot_close(self):
        self.refuse(r'(name="boom" joint="boom".*?closed_length=")[\d.]+', r'\g<1>4.0', "'boom'")

    def test_a_stroke_outside_the_linkage(self):
        self.refuse(r'(name="boom" joint="boom".*?stroke=")[\d.]+', r'\g<1>2.5', "'boom'")

    def test_a_stroke_below_zero(self):
        self.refuse(r'(name="boom" joint="boom".*?stroke=")[\d.]+', r'\g<1>-0.5', 'stroke')

    def test_a_cylinder_of_a_joint_that_is_not_there(self):
        self.refuse(r'name="boom" joint="boom"', 'name="boom" joint="bom"', 'bom')


class BadParameters(StagedTest):
    def refuse(self, setting, *expected, system='manual.ssd', code=FAILED):
        done = subprocess.run([TANDEM, 'run', self.systems / system, '--stop', '0.01', '--quiet', '--out',
                               self.folder / 'out', '--set', setting], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)  # a unit says so when it is initialised
        said = [line for line in done.stderr.splitlines() if line.startswith('fmu error')]
        self.assertLessEqual(len(said), 1, done.stderr)
        for words in expected:
            self.assertIn(words, done.stderr)

    def test_areas_volumes_and_pressures_below_zero(self):
        for name in ('boom.area_a', 'arm.area_b', 'boom.stroke', 'jaw.dead_volume_a', 'supply.relief_pressure',
                     'supply.margin', 'oil.port_pressure', 'oil.bulk_modulus'):
            self.refuse(f'hydraulics.{name}=-1', name, 'expected', 'positive')

    def test_the_simple_hydraulics_check_their_parameters_too(self):
        for name in ('boom.area_a', 'boom.stiffness', 'supply.relief_pressure'):
            self.refuse(f'hydraulics.{name}=-1', name, 'positive', system='manual_simple.ssd')

    def test_a_start_outside_the_stroke_names_axis_and_limits(self):
        self.refuse('mechanics.boom.initial_position=2', "axis 'boom'", '0.5')

    def test_friction_below_zero(self):
        self.refuse('mechanics.boom.friction.coulomb=-1', "axis 'boom'", 'expected 0 or more')

    def test_a_settled_start_that_is_neither_given_nor_at_rest(self):
        system = self.systems / 'wrong.ssd'
        system.write_text((self.systems / 'manual.ssd').read_text().replace('value="rest"', 'value="rets"', 1))
        self.refuse('mechanics.friction=true', "value is 'rets', expected given or rest", system='wrong.ssd',
                    code=BAD_INPUT)

    def test_an_automation_that_cannot_be(self):
        for name, value, bound in (('cut.depth', 3, 'at most 0.5'), ('cut.overlap', -5, 'at least 0'),
                                   ('edge.window', -1, 'more than 0'), ('speed_share', 5, 'at most 1')):
            self.refuse(f'automation.{name}={value}', f"'{name}' is {value}", bound, system='kinematic.ssd')

    def test_a_name_that_is_not_there(self):
        self.refuse('hydraulics.boom.aera_a=1', 'boom.aera_a', "closest match 'hydraulics.boom.area_a'",
                    code=BAD_INPUT)


if __name__ == '__main__':
    main()
