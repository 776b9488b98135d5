"""Topics of runs: one run publishes, another one is driven by it and repeats without it; who reads is not noticed.

usage: topics_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

if len(sys.argv) < 5:
    sys.exit(__doc__)
TANDEM, FMUS, _, EXAMPLES = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
del sys.argv[1:5]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / 'support'))
import side_by_side  # noqa: E402

# A system whose connectors lead to elements of one array.
PARTS = '''
<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription"
                            xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="parts">
  <System name="parts">
    <Connectors>
      <Connector name="lever" kind="input"><ssc:Real/></Connector>
      <Connector name="other" kind="input"><ssc:Real/></Connector>
    </Connectors>
    <Elements><Component name="sink" source="state_space.fmu"/></Elements>
    <Connections>
      <Connection startConnector="lever" endElement="sink" endConnector="u[2]"/>
      <Connection startConnector="other" endElement="sink" endConnector="u[3]"/>
    </Connections>
  </System>
</SystemStructureDescription>'''


class Topics(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='tandem-topics-'))
        # Topics are the machine's: a name that no other running test has.
        self.left = f'left{os.getpid()}'
        text = (EXAMPLES / 'two_mass/SystemStructure.ssd').read_text()
        (self.folder / 'system/resources').mkdir(parents=True)
        for name in set(re.findall(r'source="resources/(\w+\.fmu)"', text)):
            shutil.copy(FMUS / name, self.folder / 'system/resources' / name)
        (self.folder / 'system/SystemStructure.ssd').write_text(re.sub(r'"left"', f'"{self.left}"', text))
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        shutil.rmtree(self.folder)

    def start(self, *arguments):
        process = subprocess.Popen([TANDEM, 'run', *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.started.append(process)
        return process

    def run_to_end(self, *arguments):
        return subprocess.run([TANDEM, 'run', *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def wait_for(self, topic):
        path = pathlib.Path('/dev/shm') / f'tandem-{topic}'
        end = time.monotonic() + 20
        while time.monotonic() < end and not path.exists():
            time.sleep(0.02)
        self.assertTrue(path.exists(), f'{topic} was not published')
        return path

    def column(self, out, name):
        with open(self.folder / out / 'results.csv', newline='') as file:
            return [float(row[name]) for row in csv.DictReader(file)]

    def test_one_run_drives_another_which_repeats_without_it(self):
        publisher = self.start('system', '--realtime', '--stop', '30', '--publish', f'{self.left}.*', '--out', 'one')
        self.wait_for(f'{self.left}.x')
        done = self.run_to_end(FMUS / 'affine.fmu', '--realtime', '--step', '0.01', '--stop', '1', '--set', 'a=1',
                               '--set', 'b=0', '--subscribe', f'u={self.left}.x', '--out', 'two')
        self.assertEqual(done.returncode, 0, done.stderr)
        driven = self.column('two', 'y')
        self.assertGreater(len(set(driven)), 20, driven)
        publisher.send_signal(signal.SIGINT)
        publisher.communicate(timeout=20)
        published = self.column('one', f'{self.left}.x')
        # Values pass unchanged; the first ones are from before the topic was found.
        self.assertGreaterEqual(len(set(driven[5:]) & set(published)), 0.9 * len(set(driven[5:])))
        again = self.run_to_end('--repeat', 'two/run.json', '--out', 'again')
        self.assertEqual(again.returncode, 0, again.stderr + again.stdout)
        self.assertIn('same bits', again.stdout)
        self.assertFalse(pathlib.Path(f'/dev/shm/tandem-{self.left}.x').exists())

    def test_one_element_of_an_array_is_driven_and_no_other(self):
        self.start('system', '--realtime', '--stop', '30', '--publish', f'{self.left}.x', '--out', 'one')
        self.wait_for(f'{self.left}.x')
        shutil.copy(FMUS / 'state_space.fmu', self.folder)
        (self.folder / 'parts.ssd').write_text('''
<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription"
                            xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="parts">
  <System name="parts">
    <Connectors><Connector name="lever" kind="input"><ssc:Real/></Connector></Connectors>
    <Elements><Component name="sink" source="state_space.fmu"/></Elements>
    <Connections><Connection startConnector="lever" endElement="sink" endConnector="u[2]"/></Connections>
  </System>
</SystemStructureDescription>''')
        done = self.run_to_end('parts.ssd', '--realtime', '--step', '0.01', '--stop', '1', '--subscribe', f'lever={self.left}.x',
                               '--record', 'sink.u', '--out', 'two')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('do not fit', done.stderr)
        self.assertGreater(len(set(self.column('two', 'sink.u[2]'))), 20)
        self.assertEqual(len(set(self.column('two', 'sink.u[3]'))), 1)

    def test_a_topic_of_another_type_changes_nothing_and_is_said(self):
        self.start('system', '--realtime', '--stop', '30', '--publish', f'{self.left}.x', '--out', 'one')
        self.wait_for(f'{self.left}.x')
        done = self.run_to_end(FMUS / 'state_space.fmu', '--realtime', '--step', '0.01', '--stop', '0.5', '--subscribe',
                               f'u={self.left}.x', '--record', 'u', '--out', 'two')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(rf"topic '{self.left}.x' has values of type 'float64' that do not fit 'state_space.u' "
                                        r'\(float64\[3\]\)', done.stderr)), 1, done.stderr)
        for i in (1, 2, 3):
            self.assertEqual(len(set(self.column('two', f'u[{i}]'))), 1)

    def test_a_second_publisher_is_refused_by_name(self):
        self.start('system', '--realtime', '--stop', '30', '--publish', f'{self.left}.x', '--out', 'one')
        self.wait_for(f'{self.left}.x')
        done = self.run_to_end('system', '--publish', f'{self.left}.x', '--out', 'two')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"error\[topic\]: {self.left}.x: .*'{self.left}.x' has a publisher already: process")

    def test_a_reader_that_holds_on_does_not_slow_the_run(self):
        process = self.start('system', '--realtime', '--stop', '3', '--publish', '*', '--out', 'one')
        path = self.wait_for(f'{self.left}.x')
        with open(path, 'rb') as held:  # a stopped reader is no more than a mapping that stays
            magic, = struct.unpack('<Q', held.read(8))
            _, errors = process.communicate(timeout=30)
        self.assertEqual(magic, 0x314D48534D444E54)
        self.assertEqual(process.returncode, 0, errors)

    def test_an_input_has_one_source(self):
        shutil.copy(FMUS / 'state_space.fmu', self.folder)
        (self.folder / 'parts.ssd').write_text(PARTS)
        affine = [FMUS / 'affine.fmu', '--step', '0.01']
        for system, first, second, name in ((affine, 'u=a', 'u=b', 'affine.u'), (affine, 'u=a', 'dds:u=/b', 'affine.u'),
                                            (affine, 'u=a', 'u=a', 'affine.u'),
                                            (['parts.ssd', '--step', '0.01'], 'lever=a', 'sink.u=b', 'sink.u')):
            done = self.run_to_end(*system, '--realtime', '--stop', '0.1', '--subscribe', first, '--subscribe', second,
                                   '--out', 'out')
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, rf"error\[two-sources\]: --subscribe: input '{name}' is driven by topic 'a' and "
                                          rf"by (dds )?topic '{second.split('=')[1]}'")
            self.assertFalse((self.folder / 'out').exists())
        # Elements of one array are inputs of their own.
        done = self.run_to_end('parts.ssd', '--step', '0.01', '--realtime', '--stop', '0.1', '--subscribe', 'lever=a',
                               '--subscribe', 'other=b', '--out', 'out')
        self.assertEqual(done.returncode, 0, done.stderr)

    def remarks(self, out):
        record = json.loads((self.folder / out / 'run.json').read_text())
        return [(each['severity'], each['text']) for each in record.get('findings', []) if each['code'] == 'topic']

    def driven(self, topic, *arguments):
        return [FMUS / 'affine.fmu', '--realtime', '--step', '0.01', '--set', 'a=1', '--set', 'b=0', '--subscribe',
                f'u={topic}', *arguments]

    def test_a_topic_from_which_nothing_came_is_said(self):
        done = self.run_to_end(*self.driven(f'nobody{os.getpid()}', '--stop', '0.2', '--out', 'two'))
        self.assertEqual(done.returncode, 0, done.stderr)
        said = f"nothing came from topic 'nobody{os.getpid()}': 'affine.u' kept its value"
        self.assertEqual(self.remarks('two'), [('warning', said)])
        self.assertIn(said, done.stdout)
        done = self.run_to_end(*self.driven(f'nobody{os.getpid()}', '--stop', '0.2', '--out', 'three', '--strict'))
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'error[topic]: --subscribe: {said}', done.stderr)

    def test_a_publisher_that_goes_away_is_said_with_the_value_that_stays(self):
        # One says that it goes, the other is killed.
        for end, out in ((signal.SIGINT, 'two'), (signal.SIGKILL, 'three')):
            publisher = self.start('system', '--realtime', '--stop', '30', '--publish', f'{self.left}.x', '--out',
                                   f'before_{out}')
            path = self.wait_for(f'{self.left}.x')
            subscriber = self.start(*self.driven(f'{self.left}.x', '--stop', '3', '--out', out))
            time.sleep(1.5)
            publisher.send_signal(end)
            publisher.wait(timeout=20)
            output, errors = subscriber.communicate(timeout=20)
            self.assertEqual(subscriber.returncode, 0, errors)
            (severity, text), = self.remarks(out)
            self.assertEqual(severity, 'warning')
            told = re.fullmatch(rf"the publisher of '{self.left}.x' went away at about t = ([\d.]+): 'affine.u' keeps (\S+)",
                                text)
            self.assertTrue(told, text)
            self.assertIn(text, output)
            driven = self.column(out, 'y')
            self.assertEqual(float(told[2]), driven[-1])
            # From then on nothing changes; until shortly before, it did.
            at = round(float(told[1]) / 0.01)
            self.assertLess(at, 290)
            self.assertEqual(len(set(driven[at + 2:])), 1)
            self.assertGreater(len(set(driven[max(at - 50, 0):at + 2])), 3)
            path.unlink(missing_ok=True)

    def test_a_publisher_that_stays_is_no_matter(self):
        self.start('system', '--realtime', '--stop', '30', '--publish', f'{self.left}.x', '--out', 'one')
        self.wait_for(f'{self.left}.x')
        done = self.run_to_end(*self.driven(f'{self.left}.x', '--stop', '0.3', '--out', 'two'))
        self.assertEqual((done.returncode, self.remarks('two')), (0, []), done.stderr)

    def test_what_cannot_be_meant_is_refused(self):
        for arguments, text in ((['--publish', 'left.y'], "'left.y' matches no variable of the system"),
                                (['--subscribe', f'{self.left}.x', '--realtime'],
                                 f"'{self.left}.x' is no free input or tunable parameter"),
                                (['--subscribe', f'{self.left}.F'], 'needs a run in real time'),
                                (['--record-points', f'{self.left}.x'], 'names no file'),
                                (['--record-points', f'{self.left}.x=a.lvx'], 'is no point cloud')):
            done = self.run_to_end('system', '--out', 'out', *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == '__main__':
    side_by_side.main()
