"""What ./run and ./test do before they build, with a small project in a scratch folder: a moved or copied tree builds, and
the page where it is first asked for.

usage: setup_test.py REPOSITORY
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 2:
    sys.exit(__doc__)
REPOSITORY = pathlib.Path(sys.argv[1]).resolve()
SETUP = REPOSITORY / '.ci/setup.sh'

PROJECT = """cmake_minimum_required(VERSION 3.21)
project(small LANGUAGES NONE)
add_custom_command(OUTPUT built COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/source built
                   DEPENDS ${CMAKE_SOURCE_DIR}/source)
add_custom_target(all_of_it ALL DEPENDS built)
"""
PRESETS = """{"version": 3, "configurePresets": [
  {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}]}
"""
# Says what it was asked for, and makes a page.
NPM = """#!/bin/sh
echo "npm $1" >&2
for each; do case $each in --outdir=*) echo made >"${each#--outdir=}/page.js" ;; esac; done
"""


class Setup(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix='tandem-setup-')
        self.tree = pathlib.Path(self.scratch.name) / 'tree'
        self.tree.mkdir()
        for name, text in (('CMakeLists.txt', PROJECT), ('CMakePresets.json', PRESETS), ('source', 'first')):
            (self.tree / name).write_text(text)

    def tearDown(self):
        self.scratch.cleanup()

    def shell(self, tree, command):
        done = subprocess.run(['bash', '-c', f'set -euo pipefail; . {SETUP}; {command}'], cwd=tree, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def built(self, tree):
        return (tree / 'build/release/built').read_text()

    def test_a_tree_that_stays_keeps_its_build_folder(self):
        self.shell(self.tree, 'build release')
        (self.tree / 'build/release/kept').write_text('')
        self.assertNotIn('again', self.shell(self.tree, 'build release'))
        self.assertTrue((self.tree / 'build/release/kept').exists())

    def test_the_same_tree_by_another_name_keeps_its_build_folder(self):
        self.shell(self.tree, 'build release')
        other = self.tree.parent / 'link'
        other.symlink_to(self.tree)
        self.assertNotIn('again', self.shell(other, 'build release'))

    def test_a_moved_tree_builds_and_says_why_all_of_it(self):
        self.shell(self.tree, 'build release')
        moved = self.tree.parent / 'moved'
        self.tree.rename(moved)
        (moved / 'source').write_text('second')
        self.assertIn(f'build/release was made for {self.tree}', self.shell(moved, 'build release'))
        self.assertEqual(self.built(moved), 'second')

    def test_a_copied_tree_builds_and_leaves_the_first_alone(self):
        self.shell(self.tree, 'build release')
        copied = self.tree.parent / 'copied'
        shutil.copytree(self.tree, copied)
        (copied / 'source').write_text('second')
        self.assertIn(f'build/release was made for {self.tree}', self.shell(copied, 'build release'))
        self.assertEqual(self.built(copied), 'second')
        self.assertEqual(self.built(self.tree), 'first')

    def test_a_moved_python_environment_is_made_again(self):
        subprocess.run([sys.executable, '-m', 'venv', '--without-pip', self.tree / '.venv'], check=True)
        self.assertEqual(self.shell(self.tree, 'leave_foreign_environment .venv'), '')
        self.assertTrue((self.tree / '.venv/bin/python').exists())
        moved = self.tree.parent / 'moved'
        self.tree.rename(moved)
        self.assertIn('.venv was made for ', self.shell(moved, 'leave_foreign_environment .venv'))
        self.assertFalse((moved / '.venv').exists())

    def test_the_page_is_built_in_a_fresh_tree_and_again_where_its_sources_changed(self):
        page, programs = self.tree / 'master/view/page', self.tree.parent / 'bin'
        (page / 'src').mkdir(parents=True)
        (page / 'package.json').write_text('{}')
        (page / 'src/first.ts').write_text('1')
        programs.mkdir()
        (programs / 'npm').write_text(NPM)
        (programs / 'npm').chmod(0o755)
        command = f'export PATH="{programs}:$PATH"; build_page'
        self.assertIn('npm run', self.shell(self.tree, command))
        self.assertEqual((self.tree / 'build/page/page.js').read_text(), 'made\n')
        self.assertEqual(self.shell(self.tree, command), '')
        (page / 'src/first.ts').rename(page / 'src/second.ts')
        self.assertIn('npm run', self.shell(self.tree, command))
        self.assertEqual(self.shell(self.tree, command), '')

    def test_run_builds_the_units_that_it_is_given(self):
        shutil.copy(REPOSITORY / 'run', self.tree / 'run')
        (self.tree / '.ci').mkdir()
        (self.tree / '.ci/setup.sh').write_text('need_packages() { :; }\nbuild() { echo "build $*"; }\n')
        program = self.tree / 'build/release/tandem'
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\necho "tandem $*"\n')
        program.chmod(0o755)

        def said(*arguments):
            return subprocess.run([self.tree / 'run', *arguments], capture_output=True, text=True, check=True).stdout

        self.assertEqual(said('run', 'examples/two_mass'), 'build release tandem systems\ntandem run examples/two_mass\n')
        self.assertEqual(said('inspect', 'build/release/fmus/sum.fmu'),
                         'build release tandem systems fmus\ntandem inspect build/release/fmus/sum.fmu\n')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
