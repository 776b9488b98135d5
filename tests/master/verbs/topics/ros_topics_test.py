"""Runs on ROS 2 topics: what another implementation (the `cyclonedds` package for Python) reads from them and writes.

usage: ros_topics_test.py TANDEM FMUS REPOSITORY
"""
import csv
import gc
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from xml.etree import ElementTree

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
del sys.argv[1:4]
sys.path.insert(0, str(REPOSITORY / 'tests/interfaces/dds'))
from ros_messages import Cloud, JointState, Layout, Numbers, TFMessage  # noqa: E402

from cyclonedds.domain import DomainParticipant  # noqa: E402
from cyclonedds.pub import DataWriter  # noqa: E402
from cyclonedds.sub import DataReader  # noqa: E402
from cyclonedds.topic import Topic  # noqa: E402

DOMAIN = 100 + os.getpid() % 100


class RosTopics(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='tandem-ros-'))
        (self.folder / 'system/resources').mkdir(parents=True)
        text = (REPOSITORY / 'examples/lidar_network/SystemStructure.ssd').read_text()
        for name in set(re.findall(r'source="resources/(\w+\.fmu)"', text)):
            shutil.copy(FMUS / name, self.folder / 'system/resources' / name)
        (self.folder / 'system/SystemStructure.ssd').write_text(text)
        self.participant = DomainParticipant(DOMAIN)
        self.run_of = None

    def tearDown(self):
        if self.run_of and self.run_of.poll() is None:
            self.run_of.kill()
            self.run_of.communicate()
        shutil.rmtree(self.folder)

    def start(self, *arguments):
        self.run_of = subprocess.Popen([TANDEM, 'run', 'system', '--realtime', '--stop', '60', '--dds-domain',
                                        str(DOMAIN), '--out', 'out', *arguments], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        self.run_of.send_signal(signal.SIGINT)
        output, errors = self.run_of.communicate(timeout=30)
        self.assertEqual(self.run_of.returncode, 130, errors)
        return output, errors

    def remarks(self):
        record = json.loads((self.folder / 'out/run.json').read_text())
        return [each['text'] for each in record.get('findings', []) if each['code'] == 'topic']

    def newest(self, topic, kind, meanwhile=lambda: None, wanted=lambda sample: True):
        reader = DataReader(self.participant, Topic(self.participant, 'rt' + topic, kind))
        end = time.monotonic() + 20
        while time.monotonic() < end:
            meanwhile()
            for sample in reader.take(10):
                if wanted(sample):
                    return sample
            time.sleep(0.01)
        self.fail(f'nothing came on {topic}')

    def test_ros_sees_the_machine_and_moves_it(self):
        self.start('--publish', 'dds:lidar.points.data', '--publish', 'dds:kinematics.links.poses', '--publish',
                   'dds:motion.*.position', '--publish', 'dds:motion.*.velocity', '--subscribe',
                   'dds:motion.boom.command=/lever', '--record', 'motion.boom.*')
        cloud = self.newest('/lidar/points/data', Cloud, wanted=lambda cloud: cloud.width > 1000)
        self.assertEqual((cloud.header.frame_id, cloud.height, cloud.point_step), ('lidar', 1, 16))
        poses = self.newest('/tf', TFMessage)
        self.assertEqual(len(poses.transforms), 14)
        # Frames are the links of the machine, so that RViz's robot model stands where they are.
        machine = ElementTree.parse(REPOSITORY / 'config/machines/demolition_excavator.urdf').getroot()
        links = [link.get('name') for link in machine.findall('link')]
        self.assertEqual([each.child_frame_id for each in poses.transforms], links)
        states = self.newest('/motion/joint_states', JointState)
        self.assertEqual(len(states.position), 8)
        self.assertEqual(len(states.velocity), 8)
        boom = states.name.index('boom')
        self.assertAlmostEqual(states.position[boom], 0.45431, places=4)
        lever = DataWriter(self.participant, Topic(self.participant, 'rt/lever', Numbers))
        pull = lambda: lever.write(Numbers(Layout([], 0), [0.5]))
        moved = self.newest('/motion/joint_states', JointState, pull,
                            lambda states: states.position[boom] > 0.46)
        self.assertGreater(moved.velocity[boom], 0)
        lever.write(Numbers(Layout([], 0), [0.5, 1.0]))  # not what the input holds: left out
        self.end()
        with open(self.folder / 'out/results.csv', newline='') as file:
            commands = {row['motion.boom.command'] for row in csv.DictReader(file)}
        self.assertEqual(commands, {'0', '0.5'})

    def test_a_value_that_is_no_number_is_left_out_said_and_counted(self):
        self.start('--publish', 'dds:motion.boom.command', '--subscribe', 'dds:motion.boom.command=/lever', '--record',
                   'motion.boom.*')
        lever = DataWriter(self.participant, Topic(self.participant, 'rt/lever', Numbers))
        move = lambda value: self.newest('/motion/boom/command', Numbers,
                                         lambda: lever.write(Numbers(Layout([], 0), [value])),
                                         lambda numbers: numbers.data[0] == value)
        move(0.5)
        for _ in range(20):
            lever.write(Numbers(Layout([], 0), [float('nan')]))
            time.sleep(0.02)
        move(0.25)
        output, errors = self.end()
        said = "topic '/lever' has values for 'motion.boom.command' that are no number (NaN)"
        self.assertEqual(errors.count(said + ': they are left out'), 1, errors)
        self.assertEqual(errors.count('NaN'), 1, errors)
        counted = [text for text in self.remarks() if re.fullmatch(re.escape(said) + r': [1-9]\d* left out', text)]
        self.assertEqual(len(counted), 1, self.remarks())
        self.assertIn(counted[0], output)
        with open(self.folder / 'out/results.csv', newline='') as file:
            self.assertEqual({row['motion.boom.command'] for row in csv.DictReader(file)}, {'0', '0.5', '0.25'})

    def test_a_publisher_that_goes_away_is_said(self):
        self.start('--publish', 'dds:motion.boom.command', '--subscribe', 'dds:motion.boom.command=/lever', '--subscribe',
                   'dds:motion.arm.command=/nobody')
        lever = DataWriter(self.participant, Topic(self.participant, 'rt/lever', Numbers))
        self.newest('/motion/boom/command', Numbers, lambda: lever.write(Numbers(Layout([], 0), [0.5])),
                    lambda numbers: numbers.data[0] == 0.5)
        del lever
        gc.collect()
        time.sleep(0.5)
        output, _ = self.end()
        self.assertIn("nothing came from topic '/nobody': 'motion.arm.command' kept its value", self.remarks())
        gone = [text for text in self.remarks() if "'/lever' went away at about t = " in text]
        self.assertEqual(len(gone), 1, self.remarks())
        self.assertTrue(gone[0].endswith(": 'motion.boom.command' keeps 0.5"), gone)
        self.assertIn(gone[0], output)

    def test_what_was_published_and_left_out_is_counted(self):
        done = subprocess.run([TANDEM, 'run', 'system', '--stop', '0.5', '--dds-domain', str(DOMAIN), '--out', 'out',
                               '--publish', 'dds:motion.boom.command'], cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts, unpaced = self.remarks()
        told = re.fullmatch(r"dds topic '/motion/boom/command': (\d+) published, (\d+) dropped by DDS, (\d+) replaced by a "
                            r'newer value before they were sent', counts)
        self.assertTrue(told, counts)
        self.assertGreater(int(told[1]), 0)
        # Every value that the unit gave is accounted for, the first included.
        points = json.loads((self.folder / 'out/run.json').read_text())['outcome']['points']
        self.assertLessEqual(sum(map(int, told.groups())), points + 1)
        self.assertGreater(sum(map(int, told.groups())), 10)
        self.assertIn('may not keep up', unpaced)
        for text in (counts, unpaced):
            self.assertIn(text, done.stdout)

    def test_a_second_publisher_is_refused_by_name(self):
        self.start('--publish', 'dds:motion.boom.command')
        self.newest('/motion/boom/command', Numbers)
        done = subprocess.run([TANDEM, 'run', 'system', '--stop', '0.1', '--dds-domain', str(DOMAIN), '--out', 'two',
                               '--publish', 'dds:motion.boom.command'], cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"error\[topic\]: --publish: .*/motion/boom/command.* publisher")
        self.end()


if __name__ == '__main__':
    unittest.main(verbosity=2)
