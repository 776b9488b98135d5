"""Another implementation of the same topics (the `cyclonedds` package for Python) reads and writes them.

usage: python_test.py TEST_PROGRAM
"""
import os
import struct
import subprocess
import sys
import time
import unittest

if len(sys.argv) < 2:
    sys.exit(__doc__)
DOMAIN = 100 + os.getpid() % 100

from ros_messages import Time, Header, Layout, Numbers, Field, Cloud, JointState, TFMessage  # sets the interface: before the package

from cyclonedds.domain import DomainParticipant  # noqa: E402
from cyclonedds.pub import DataWriter  # noqa: E402
from cyclonedds.sub import DataReader  # noqa: E402
from cyclonedds.topic import Topic  # noqa: E402


class RosTopics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.other = subprocess.Popen([sys.argv[1], '[.counterpart]'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                     env={**os.environ, 'TANDEM_TEST_DOMAIN': str(DOMAIN)})
        cls.participant = DomainParticipant(DOMAIN)

    @classmethod
    def tearDownClass(cls):
        cls.other.communicate()

    def newest(self, topic, kind, publish=lambda: None, left_over=lambda sample: False):
        reader = DataReader(self.participant, Topic(self.participant, 'rt' + topic, kind))
        end = time.monotonic() + 10
        while time.monotonic() < end:
            publish()
            for sample in reader.take(10):
                if not left_over(sample):
                    return sample
            time.sleep(0.01)
        self.fail(f'nothing came on {topic}')

    def test_cloud(self):
        cloud = self.newest('/lidar/points', Cloud)
        self.assertEqual((cloud.header.stamp.sec, cloud.header.stamp.nanosec), (1, 500_000_000))
        self.assertEqual((cloud.header.frame_id, cloud.width, cloud.height, cloud.point_step), ('lidar', 2, 1, 16))
        self.assertEqual([(f.name, f.offset, f.datatype, f.count) for f in cloud.fields],
                         [('x', 0, 7, 1), ('y', 4, 7, 1), ('z', 8, 7, 1), ('intensity', 12, 7, 1)])
        self.assertEqual(struct.unpack('<8f', bytes(cloud.data)), (1, 2, 3, 4, 5, 6, 7, 8))

    def test_joints(self):
        state = self.newest('/joint_states', JointState)
        self.assertEqual((state.name, state.position, state.velocity), (['boom', 'arm'], [0.5, -0.25], [1, 2]))

    def test_transforms(self):
        transform = self.newest('/tf', TFMessage).transforms[0]
        self.assertEqual((transform.header.frame_id, transform.child_frame_id), ('world', 'lidar'))
        self.assertEqual((transform.header.stamp.sec, transform.header.stamp.nanosec), (-1, 999_999_999))
        self.assertEqual((transform.transform.translation.y, transform.transform.rotation.w), (2, 1))

    def test_numbers_both_ways(self):
        writer = DataWriter(self.participant, Topic(self.participant, 'rt/numbers', Numbers))
        message = Numbers(Layout([], 0), [1.5, -2.0])
        self.assertEqual(self.newest('/doubled', Numbers, lambda: writer.write(message)).data, [3.0, -4.0])

    def test_odd_clouds_are_not_believed(self):
        writer = DataWriter(self.participant, Topic(self.participant, 'rt/clouds', Cloud))
        fields = [Field(name, 4 * i, 7, 1) for i, name in enumerate('xyz')]
        data = list(struct.pack('<3f', 1, 2, 3))

        def cloud(**changes):
            return Cloud(**{**dict(header=Header(Time(0, 0), ''), height=1, width=1, fields=fields, is_bigendian=False,
                                   point_step=12, row_step=12, data=data, is_dense=True), **changes})
        odd = [cloud(width=2), cloud(width=2**32 - 1, height=2**32 - 1), cloud(point_step=0), cloud(data=[]),
               cloud(fields=fields[:2]), cloud(fields=[Field('x', 2**32 - 1, 7, 1), *fields[1:]]),
               cloud(fields=[Field('x', 0, 8, 1), *fields[1:]]), cloud(is_bigendian=True), cloud(point_step=11)]

        def publish():
            for message in odd:
                writer.write(message)
                time.sleep(0.005)
            writer.write(cloud())
        answer = self.newest('/doubled', Numbers, publish, lambda sample: sample.data == [3.0, -4.0])
        self.assertEqual(answer.data, [1, 2, 3])
        self.assertIsNone(self.other.poll())


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
