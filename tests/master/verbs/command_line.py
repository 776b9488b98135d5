"""What the tests of the command line share. Arguments of each: TANDEM FMUS TEST_FMUS EXAMPLES. Needs only Python."""
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 5:
    sys.exit(sys.modules['__main__'].__doc__)
TANDEM, FMUS, TEST_FMUS, EXAMPLES = (os.path.abspath(argument) for argument in sys.argv[1:5])

HEAD = ('<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
        'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" '
        'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="test">\n'
        '<ssd:System name="test">\n')
TAIL = '</ssd:System>\n<ssd:DefaultExperiment startTime="0" stopTime="0.1"/>\n</ssd:SystemStructureDescription>\n'


def component(name, fmu, extra=''):
    return f'<ssd:Component name="{name}" source="resources/{fmu}">{extra}</ssd:Component>\n'


def connector(name, kind, inner=''):
    return f'<ssd:Connector name="{name}" kind="{kind}">{inner}</ssd:Connector>'


def connection(start, end, extra=''):
    (a, x), (b, y) = start.split('.', 1), end.split('.', 1)
    return (f'<ssd:Connection startElement="{a}" startConnector="{x}" endElement="{b}" endConnector="{y}"'
            + (f'>{extra}</ssd:Connection>\n' if extra else '/>\n'))


def system(components, connections=''):
    return HEAD + '<ssd:Elements>\n' + components + '</ssd:Elements>\n<ssd:Connections>\n' + connections + \
        '</ssd:Connections>\n' + TAIL


class CommandLine(unittest.TestCase):
    """A scratch folder with a place for units, and calls of the program in it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tandem-cli-')
        os.mkdir(os.path.join(self.folder, 'resources'))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def fmu(self, name, folder=FMUS):
        shutil.copy(os.path.join(folder, name), os.path.join(self.folder, 'resources', name))

    def shipped(self, original):
        """A folder with systems of the tree, copied, with the units of this build."""
        folder = os.path.join(self.folder, os.path.basename(original))
        if not os.path.exists(folder):
            shutil.copytree(original, folder, ignore=shutil.ignore_patterns('*.fmu'))
            os.makedirs(os.path.join(folder, 'resources'), exist_ok=True)
            for description in glob.glob(os.path.join(folder, '*.ssd')):
                with open(description, encoding='utf-8') as file:
                    for unit in re.findall(r'source="resources/(\w+\.fmu)"', file.read()):
                        if os.path.exists(os.path.join(FMUS, unit)):  # else it is compiled from Modelica
                            shutil.copy(os.path.join(FMUS, unit), os.path.join(folder, 'resources', unit))
        return folder

    def example(self, name):
        return self.shipped(os.path.join(EXAMPLES, name))

    def two_mass(self):
        return self.example('two_mass')

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(content)
        return path

    def tandem(self, *arguments, **options):
        return subprocess.run([TANDEM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              **options)

    def refused(self, text, *arguments, code=2):
        """The command fails with one clear error line, and nothing is written."""
        done = self.tandem(*arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        errors = [line for line in done.stderr.splitlines() if line.startswith('error[')]
        self.assertTrue(errors, done.stderr)
        self.assertRegex('\n'.join(errors), text)
        if code == 2:
            self.assertFalse(os.path.exists(os.path.join(self.folder, 'results')), 'something was written')
        return done

    def refused_system(self, text, content, *arguments):
        self.write('SystemStructure.ssd', content)
        return self.refused(text, 'run', '.', *arguments)

    def rows(self, path='results/SystemStructure/results.csv'):
        with open(os.path.join(self.folder, path), newline='') as file:
            return list(csv.DictReader(file))


def main():
    unittest.main(argv=sys.argv[:1])
