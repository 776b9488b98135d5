"""Recordings for other people's viewers: what PyPI's mcap and rerun find in them is what the CSV and the HDF5 of the same run say.

usage: mcap_test.py TANDEM FMUS REPOSITORY
"""
import csv
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import h5py
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from mcap.reader import make_reader

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
RERUN = pathlib.Path(sys.executable).parent / 'rerun'


class Decoder:
    """Messages by the schemas that travel with them."""

    def __init__(self):
        self.types = {}

    def decode(self, schema, data):
        assert schema.encoding == 'protobuf', schema.encoding
        if schema.id not in self.types:
            pool = descriptor_pool.DescriptorPool()
            for file in descriptor_pb2.FileDescriptorSet.FromString(schema.data).file:
                pool.Add(file)
            self.types[schema.id] = message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(schema.name))
        return self.types[schema.id].FromString(data)


def recorded(path):
    """({topic: [(seconds, message)]}, {topic: columns}) by the index, with checksums."""
    topics, columns, decoder = {}, {}, Decoder()
    with open(path, 'rb') as file:
        reader = make_reader(file, validate_crcs=True)
        for schema, channel, message in reader.iter_messages():
            topics.setdefault(channel.topic, []).append((message.log_time * 1e-9, decoder.decode(schema, message.data)))
            if 'columns' in channel.metadata:
                columns[channel.topic] = json.loads(channel.metadata['columns'])
        assert reader.get_summary().statistics.message_count == sum(map(len, topics.values()))
    return topics, columns


def cells(message):
    """The values of a component's message, arrays element by element, without the time."""
    values = []
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.name != 'time':
            values += list(value) if field.label == field.LABEL_REPEATED else [value]
    return values


class Mcap(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix='tandem_mcap_')
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)

    def run_as(self, form, file, *arguments):
        done = subprocess.run([TANDEM, 'run', *map(str, arguments), '--format', form, '--out', self.folder / form, '--quiet',
                               '--shadow', 'off'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / form / file

    def assert_same(self, topics, columns, table):
        """Every cell of the CSV, which reads back as the number it was."""
        with open(table, newline='') as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(len(rows), 1)
        found = ['time']
        for topic, described in columns.items():
            names = [column['name'] for column in described]
            found += names
            self.assertEqual(len(topics[topic]), len(rows), topic)
            for row, (time, message) in zip(rows, topics[topic]):
                self.assertEqual(message.time, float(row['time']))
                self.assertAlmostEqual(time, message.time, delta=1e-9)
                for name, value in zip(names, cells(message), strict=True):
                    self.assertEqual(value, row[name] if isinstance(value, str) else float(row[name]), (name, row['time']))
        self.assertEqual(sorted(found), sorted(rows[0]))

    def test_values_of_every_type_are_those_of_the_csv(self):
        arguments = [FMUS / 'feedthrough.fmu', '--stop', '0.5', '--step', '0.1', '--record', '*']
        table = self.run_as('csv', 'results.csv', *arguments)
        topics, columns = recorded(self.run_as('mcap', 'results.mcap', *arguments))
        self.assertEqual({column['type'] for described in columns.values() for column in described},
                         {'real', 'integer', 'natural', 'boolean', 'text'})
        self.assert_same(topics, columns, table)

    def test_a_file_that_was_cut_is_refused(self):
        table = self.run_as('csv', 'results.csv', ROOT / 'examples/two_mass', '--stop', '1')
        whole = self.run_as('mcap', 'results.mcap', ROOT / 'examples/two_mass', '--stop', '1')
        cut = self.folder / 'cut.mcap'
        compare = [TANDEM, 'compare', cut, table]
        shutil.copy(whole, cut)
        self.assertEqual(subprocess.run(compare, capture_output=True).returncode, 0)
        content = whole.read_bytes()
        for length in (len(content) // 2, 3000):
            cut.write_bytes(content[:length])
            done = subprocess.run(compare, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn('the file was cut: it ends before its data do', done.stderr)

    def test_a_machine_is_there_with_its_poses_and_its_cloud(self):
        system = [ROOT / 'config/excavator/kinematic.ssd', '--stop', '0.5', '--record-interval', '0.02', '--record',
                  'kinematics.joint.*', 'kinematics.links.poses', 'motion.*']
        table = self.run_as('csv', 'results.csv', *system)
        result = self.run_as('mcap', 'results.mcap', *system)
        topics, columns = recorded(result)
        self.assert_same(topics, columns, table)
        with open(table, newline='') as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(topics['/tf']), len(rows))
        for row, (_, message) in zip(rows, topics['/tf']):
            self.assertGreater(len(message.transforms), 5)
            for i, transform in enumerate(message.transforms, 1):
                self.assertEqual(transform.parent_frame_id, 'world')
                expected = [float(row[f'kinematics.links.poses[{i},{k}]']) for k in range(1, 8)]
                there, turned = transform.translation, transform.rotation
                self.assertEqual([there.x, there.y, there.z, turned.x, turned.y, turned.z, turned.w], expected)
                self.assertAlmostEqual(transform.timestamp.seconds + 1e-9 * transform.timestamp.nanos, float(row['time']),
                                       delta=1e-9)
        self.check_clouds(topics['/points'])
        self.check_rerun(result)

    def check_clouds(self, messages):
        """Byte for byte those that HDF5 holds."""
        with h5py.File(self.run_as('hdf5', 'results.h5', ROOT / 'config/excavator/kinematic.ssd', '--stop', '0.5', '--record-interval',
                                   '0.02', '--record', 'lidar.points.data')) as file:
            stream = file['streams/lidar.points.data']
            ends, data = stream['ends'][()].tolist(), stream['data'][()].tobytes()
        clouds = [data[begin:end] for begin, end in zip([0, *ends], ends)]
        clouds = [cloud for cloud in clouds if cloud[:4] == b'TPC1']
        self.assertGreater(len(clouds), 2)
        self.assertEqual([message.data for _, message in messages], [cloud[32:] for cloud in clouds])
        cloud = messages[-1][1]
        self.assertEqual(cloud.frame_id, 'lidar')
        offsets = {field.name: field.offset for field in cloud.fields}
        self.assertEqual((offsets['x'], offsets['y'], offsets['z'], cloud.point_stride), (0, 4, 8, 20))
        distances = [sum(c * c for c in struct.unpack_from('<fff', cloud.data, i)) ** 0.5
                     for i in range(0, len(cloud.data), cloud.point_stride)]
        self.assertTrue(any(1 < distance < 100 for distance in distances))

    def check_rerun(self, result):
        for arguments in (['check', result], ['convert', result, '-o', self.folder / 'out.rrd']):
            done = subprocess.run([RERUN, 'mcap', *map(str, arguments)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = subprocess.run([RERUN, 'rrd', 'print', self.folder / 'out.rrd'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for entity in ('/tf', '/points', '/kinematics', '/motion'):
            self.assertIn(entity, done.stdout)
        self.assertIn('Points3D', done.stdout)
        self.assertIn('Transform3D', done.stdout)

    def test_a_run_that_is_recorded_so_can_be_repeated_and_compared(self):
        arguments = [FMUS / 'bouncing_ball.fmu', '--stop', '2', '--step', '0.01']
        table = self.run_as('csv', 'results.csv', *arguments)
        result = self.run_as('mcap', 'results.mcap', *arguments)
        for command in (['compare', result, table, '--tol', '0', '--absolute', '0'],
                        ['run', '--repeat', result.parent / 'run.json']):
            done = subprocess.run([TANDEM, *map(str, command)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('<svg', (result.parent / 'report.html').read_text())

    def test_what_is_no_recording_of_ours_is_refused(self):
        file = self.folder / 'x.mcap'
        for content in (b'', b'rubbish', b'\x89MCAP0\r\n', b'\x89MCAP0\r\n\x04' + b'\xff' * 40):
            file.write_bytes(content)
            done = subprocess.run([TANDEM, 'compare', file, file], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r'error\[(bad-result|missing-file)\].*x\.mcap')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
