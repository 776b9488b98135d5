"""Every script that needs arguments prints its usage without them; those of the examples also when given no program.

usage: scripts_test.py REPOSITORY
"""
import importlib
import os
import pathlib
import re
import runpy
import signal
import sys
import tempfile
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).parent / 'support'))
import side_by_side  # noqa: E402

if len(sys.argv) < 2:
    sys.exit(__doc__)
REPOSITORY = pathlib.Path(sys.argv[1]).resolve()
SCRIPTS = sorted(path for folder in ('.ci', 'config', 'examples', 'tests')
                 for path in (REPOSITORY / folder).rglob('*.py'))
# What many scripts import, and what takes longer than all else that they do here: loaded once, before the scripts start.
DEAR_PACKAGES = ('can', 'canopen', 'cantools', 'fmpy.validation', 'h5py', 'numpy', 'pinocchio', 'scipy.io')
TIME_LIMIT = 60  # s


def arguments(script):
    """The required arguments in the usage line of a script; None for a module."""
    text = script.read_text()
    usage = re.search(rf'^usage: {script.name}(.*)', text, re.M | re.I)
    if not usage:
        return None
    words = usage.group(1).partition(';')[0].partition('    ')[0]
    return re.sub(r'\[[^]]*\]+', '', words).split()


def start(script, arguments, said):
    """A process that is the script with these arguments, and writes into the file what it says."""
    def work():
        signal.alarm(TIME_LIMIT)
        sys.argv = [str(script), *arguments]
        sys.path[0] = str(script.parent)
        try:
            runpy.run_path(str(script), run_name='__main__')
        except SystemExit as end:
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
            return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        return 0
    return side_by_side.process_of(work, said)


class Scripts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for name in DEAR_PACKAGES:
            importlib.import_module(name)

    def refusal(self, script, *arguments):
        with tempfile.TemporaryFile('w+') as said:
            _, status = os.waitpid(start(script, arguments, said), 0)
            said.seek(0)
            text = said.read()
        self.assertNotEqual(status, 0, text)
        self.assertNotIn('Traceback', text)
        self.assertRegex(text.lower(), 'usage: ')
        return text

    def test_a_script_without_its_arguments_prints_its_usage(self):
        tried = 0
        for script in SCRIPTS:
            if arguments(script):
                tried += 1
                with self.subTest(script.relative_to(REPOSITORY)):
                    self.refusal(script)
        self.assertGreater(tried, 20)

    def test_a_script_that_reads_its_arguments_says_which(self):
        for script in SCRIPTS:
            if "__name__ == '__main__'" in script.read_text().replace('"', "'"):
                with self.subTest(script.relative_to(REPOSITORY)):
                    self.assertIsNotNone(arguments(script))

    def test_an_example_that_is_given_no_program_prints_its_usage(self):
        for script in sorted((REPOSITORY / 'examples').glob('*/*.py')):
            with self.subTest(script.relative_to(REPOSITORY)):
                self.assertIn("'dead_zone=0.2' is no program", self.refusal(script, 'dead_zone=0.2'))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
