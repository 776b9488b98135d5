"""Every script that needs arguments prints its usage without them; those of the examples also when given no program.

usage: scripts_test.py REPOSITORY
"""
import pathlib
import re
import subprocess
import sys
import unittest

if len(sys.argv) < 2:
    sys.exit(__doc__)
REPOSITORY = pathlib.Path(sys.argv[1]).resolve()
SCRIPTS = sorted(path for folder in ('.ci', 'config', 'examples', 'tests')
                 for path in (REPOSITORY / folder).rglob('*.py'))


def arguments(script):
    """The required arguments in the usage line of a script; None for a module."""
    text = script.read_text()
    usage = re.search(rf'^usage: {script.name}(.*)', text, re.M | re.I)
    if not usage:
        return None
    words = usage.group(1).partition(';')[0].partition('    ')[0]
    return re.sub(r'\[[^]]*\]+', '', words).split()


class Scripts(unittest.TestCase):
    def refusal(self, script, *arguments):
        done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn('Traceback', done.stderr)
        self.assertRegex(done.stderr.lower(), 'usage: ')
        return done.stderr

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
