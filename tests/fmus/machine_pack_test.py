"""`tandem pack --machine`: a unit made for one machine becomes a unit for another, without a compiler.

usage: machine_pack_test.py TANDEM FMUS REPOSITORY
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import fmpy
from fmpy.validation import validate_fmu

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
MACHINES = REPOSITORY / 'config' / 'machines'


def contents(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith('/')}


class MachinePack(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def tandem(self, *arguments):
        return subprocess.run([TANDEM, *arguments], capture_output=True, text=True, cwd=self.folder)

    def pack(self, machine, unit, name='x.fmu'):
        done = self.tandem('pack', '--machine', machine, FMUS / unit, '-o', name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / name

    def refused(self, pattern, machine, unit='kinematics.fmu'):
        done = self.tandem('pack', '--machine', machine, FMUS / unit, '-o', 'refused.fmu')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertNotIn('/tmp/tandem-', done.stderr)
        self.assertFalse((self.folder / 'refused.fmu').exists())

    def changed(self, pattern, replacement):
        text = (MACHINES / 'demolition_excavator.urdf').read_text()
        other, count = re.subn(pattern, replacement, text, count=1, flags=re.S)
        self.assertEqual(count, 1)
        file = self.folder / 'other.urdf'
        file.write_text(other)
        return file

    def final_tool(self, unit):
        out = self.folder / f'{unit.stem}_results'
        done = self.tandem('run', unit, '--stop', '0.1', '--step', '0.01', '--quiet', '--out', out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out / 'results.csv') as file:
            lines = file.read().splitlines()
        values = dict(zip(lines[0].split(','), map(float, lines[-1].split(','))))
        return [value for name, value in values.items() if 'tool.pose' in name]

    def test_the_same_machine_gives_the_unit_of_the_build(self):
        for unit in ('kinematics.fmu', 'kinematics_fmi2.fmu', 'mechanics.fmu'):
            packed = contents(self.pack(MACHINES / 'demolition_excavator.urdf', unit))
            built = contents(FMUS / unit)
            self.assertEqual(packed.keys(), built.keys())
            for name, data in built.items():
                self.assertEqual(packed[name], data, f'{unit}: {name}')

    def test_another_machine_has_the_variables_that_the_build_gives_it(self):
        packed = self.pack(MACHINES / 'excavator.urdf', 'mechanics.fmu')

        def variables(fmu):
            return [(v.name, v.causality, v.unit, v.start)
                    for v in fmpy.read_model_description(str(fmu), validate=True).modelVariables]
        self.assertEqual(variables(packed), variables(FMUS / 'mechanics_excavator.fmu'))
        self.assertEqual(validate_fmu(str(packed)), [])

    def test_other_lengths_give_other_positions(self):
        # No linkage depends on where the tool point lies.
        machine = self.changed(r'(<tool [^>]*>.*?<origin xyz=")([\d.]+)', r'\g<1>1\2')
        packed = self.pack(machine, 'kinematics.fmu')
        self.assertEqual(validate_fmu(str(packed)), [])
        before, after = self.final_tool(FMUS / 'kinematics.fmu'), self.final_tool(packed)
        self.assertEqual(len(before), 7)
        self.assertGreater(max(abs(a - b) for a, b in zip(before, after)), 0.01)

    def test_bad_machines_are_refused_with_their_place(self):
        self.refused(r'error\[bad-machine\]: .*other\.urdf:\d+', self.changed(r'</joint>', '</joined>'))
        self.refused(r'error\[bad-machine\]: .*other\.urdf:\d+', self.changed(r'stroke="[\d.]+"', 'stroke="-1"'))
        self.refused(r'error\[missing-file\]: .*none\.urdf', self.folder / 'none.urdf')

    def test_a_unit_without_a_machine_is_refused(self):
        self.refused('takes no machine', MACHINES / 'excavator.urdf', 'dahlquist.fmu')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
