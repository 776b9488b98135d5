"""What `cmake --install` puts elsewhere runs there: the program, its examples, the page of the view.

usage: install_test.py BUILD_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 2:
    sys.exit(__doc__)
BUILD = pathlib.Path(sys.argv[1]).resolve()


class Install(unittest.TestCase):
    def test_an_installed_program_runs_its_examples_with_the_page(self):
        with tempfile.TemporaryDirectory(prefix='tandem_install_') as place:
            prefix = pathlib.Path(place) / 'usr'
            subprocess.run(['cmake', '--install', BUILD, '--prefix', prefix], check=True, capture_output=True)
            share = prefix / 'share/tandem'
            repository = BUILD.parent.parent
            self.assertEqual({file.name for file in share.glob('*.xsd')}, {file.name for file in (repository / 'config').glob('*.xsd')})
            done = subprocess.run([prefix / 'bin/tandem', 'run', share / 'examples/two_mass', '--stop', '1', '--out', 'o'],
                                  cwd=place, capture_output=True, text=True, env={**os.environ, 'TANDEM_SHADOW': 'off'})
            self.assertEqual(done.returncode, 0, done.stderr)
            report = (pathlib.Path(place) / 'o/report.html').read_text()
            script = BUILD.parent / 'page/report.js'
            self.assertEqual((share / 'page/report.js').exists(), script.exists())
            if script.exists():
                self.assertIn(script.read_text()[:200], report)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
