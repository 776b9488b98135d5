"""What the tests of the excavator share. Arguments of each test: TANDEM FMUS REPOSITORY."""
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

if len(sys.argv) < 4:
    sys.exit(sys.modules['__main__'].__doc__)
TANDEM, FMUS, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
# Solutions of the boom axis by another solver: see reference_trajectories.cpp beside them.
REFERENCES = REPOSITORY / 'tests/models/machine/hydraulics/data'
AXES = ('boom', 'adjust', 'arm', 'coupler', 'slew', 'rotate', 'jaw', 'travel')
ENERGIES = ('throttle_in', 'throttle_out', 'leak', 'relief', 'compression', 'work')

sys.path.insert(0, str(REPOSITORY / 'examples'))
from runs import read_table, run  # noqa: E402, F401
sys.path.insert(0, str(REPOSITORY / 'tests/examples'))
import readme  # noqa: E402, F401


def stage(folder, *units):
    """A copy of the systems in config/ and examples/ with the units of this build; `units` are further archives."""
    folder = pathlib.Path(folder)
    for name in ('config/excavator', 'examples/boom_coupling'):
        copy = folder / name
        shutil.copytree(REPOSITORY / name, copy, ignore=shutil.ignore_patterns('*.fmu'))
        (copy / 'resources').mkdir(exist_ok=True)
        for system in copy.glob('*.ssd'):
            for unit in re.findall(r'source="resources/(\w+\.fmu)"', system.read_text()):
                if (FMUS / unit).exists():
                    shutil.copy(FMUS / unit, copy / 'resources')
        for unit in units:
            shutil.copy(unit, copy / 'resources')
    return folder


class StagedTest(unittest.TestCase):
    """A test class with the systems in a scratch folder."""

    units = ()

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix='tandem-excavator-')
        cls.folder = stage(cls.scratch.name, *cls.units)
        cls.systems = cls.folder / 'config/excavator'

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()


def ends_of_moves():
    """When each axis of the working cycle has come to rest: half a second after its command is back at zero."""
    space = '{urn:tandem:scenario:1}'
    ends = {}
    for signal in ElementTree.parse(REPOSITORY / 'config/excavator/working_cycle.xml').getroot().iter(space + 'Signal'):
        points = [(float(at.get('t')), float(at.get('value'))) for at in signal.iter(space + 'At')]
        axis = signal.get('name').removesuffix('.command')
        ends[axis] = [t + 0.5 for (_, before), (t, now) in zip(points, points[1:]) if before != 0 and now == 0]
    return ends


def main():
    unittest.main(argv=sys.argv[:1])
