"""The excavator's own specification: its ranges are those of the machine's data, and the whole demolition keeps them.

usage: specification_test.py TANDEM FMUS REPOSITORY MODELICA_UNIT [...]; TANDEM_LONG=1 adds the demolition in every
fidelity (minutes each).
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from support import FMUS, REPOSITORY, TANDEM, StagedTest, main

SSB = '{http://ssp-standard.org/SSP1/SystemStructureSignalDictionary}'
CONTRACT = '{urn:tandem:cosim:1}Contract'
EXCAVATOR = REPOSITORY / 'config/excavator'
CYLINDERS = ('boom', 'adjust', 'arm', 'coupler', 'slew', 'jaw')
MOTORS = ('rotate', 'travel')
GIVE = {'jaw': 0.03, 'travel': 0.0084}  # rad that end stops give; 0.02 for all others
STROKE_GIVE = 0.01                      # m
RADIUS = 30                             # m, of the rim: travel is an arc on it
ROUNDING = 0.012                        # the specification has three digits


def promises(name):
    """Of a dictionary: signal -> attributes of its contract, numbers as numbers."""
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text
    return {entry.get('name'): {key: number(value) for key, value in entry.find('.//' + CONTRACT).attrib.items()}
            for entry in ElementTree.parse(EXCAVATOR / f'{name}.ssb').getroot().iter(SSB + 'DictionaryEntry')}


def machine():
    """Limits and velocities of the joints, strokes of the cylinders, pins of their rods from the joints, from the URDF."""
    root = ElementTree.parse(REPOSITORY / 'config/machines/demolition_excavator.urdf').getroot()
    joints = {joint.get('name'): {key: float(value) for key, value in joint.find('limit').attrib.items()}
              for joint in root.iter('joint') if joint.find('limit') is not None}
    strokes = {one.get('name'): float(one.get('stroke')) for kind in ('cylinder', 'four_bar') for one in root.iter(kind)
               if one.get('stroke')}
    pins = {one.get('name'): [float(part) for part in one.get('rod').split()] for one in root.iter('cylinder') if one.get('rod')}
    return joints, strokes, pins


def hydraulics():
    """Parameters of the full hydraulics, as its description has them."""
    text = subprocess.run([TANDEM, 'inspect', FMUS / 'hydraulics.fmu', '--json'], capture_output=True, text=True, check=True)
    found = {}
    for variable in json.loads(text.stdout)['variables']:
        if variable['causality'] == 'parameter' and isinstance(variable.get('start'), (int, float)):
            found[variable['name']] = variable['start']
    return found


class Ranges(unittest.TestCase):
    def assert_range(self, promise, low, high, name):
        self.assertLessEqual(abs(promise['min'] - low), ROUNDING * max(abs(low), 1), name)
        self.assertLessEqual(abs(promise['max'] - high), ROUNDING * max(abs(high), 1), name)

    def test_joints_and_sensors(self):
        joints, strokes, _ = machine()
        found = promises('signals')
        limits = {}
        for name, joint in joints.items():
            give = GIVE.get(name, 0.02)
            limits[name] = (joint['lower'] - give, joint['upper'] + give)
            self.assert_range(found[f'kinematics.joint.{name}'], *limits[name], name)
            self.assertAlmostEqual(found[f'kinematics.joint.{name}']['rate'], 2 * joint['velocity'], msg=name)
        low = high = rate = 0
        for name in ('boom', 'adjust', 'arm', 'coupler'):  # inclinations add up along the arm
            low, high, rate = low + limits[name][0], high + limits[name][1], rate + 2 * joints[name]['velocity']
            promise = found[f'kinematics.inclination.{name}']
            self.assert_range(promise, max(low, -math.pi), min(high, math.pi), name)
            self.assertAlmostEqual(promise['rate'], rate, msg=name)
        self.assert_range(found['kinematics.slew.length'], -STROKE_GIVE, strokes['slew'] + STROKE_GIVE, 'slew')
        self.assert_range(found['kinematics.travel.length'], RADIUS * limits['travel'][0], RADIUS * limits['travel'][1], 'travel')

    def test_strokes_and_speeds(self):
        joints, strokes, pins = machine()
        areas = hydraulics()
        flow = areas['supply.max_flow_rate']
        for component in ('mechanics', 'motion'):
            found = promises('drive' if component == 'mechanics' else 'motion')
            for name in CYLINDERS:
                self.assert_range(found[f'{component}.{name}.position'], -STROKE_GIVE, strokes[name] + STROKE_GIVE, name)
                fastest = flow / areas[f'{name}.area_b']  # the whole flow of the pump into the smaller chamber
                if name == 'jaw':  # what it presses on gives way, and its oil expands: the joint's velocity at the pin
                    fastest = 2 * joints[name]['velocity'] * math.hypot(*pins[name])
                promise = found[f'{component}.{name}.velocity']
                self.assertAlmostEqual(promise['max'], fastest, delta=ROUNDING * fastest, msg=name)
                self.assertEqual(promise['min'], -promise['max'], name)
            for name, arm in (('rotate', 1), ('travel', RADIUS)):
                self.assertAlmostEqual(found[f'{component}.{name}.velocity']['max'], 2 * arm * joints[name]['velocity'])
        for name in CYLINDERS:
            self.assert_range(promises('automation')[f'automation.{name}.target'], -STROKE_GIVE, strokes[name] + STROKE_GIVE, name)

    def test_pressures_forces_and_power(self):
        found, parameters = promises('drive'), hydraulics()
        flow = parameters['supply.max_flow_rate']
        highest = parameters['oil.port_pressure'] + flow / parameters['oil.port_gain']
        for name in CYLINDERS + MOTORS:
            for side, share in (('b', 1), ('a', parameters[f'{name}.area_a'] / parameters[f'{name}.area_b'])):
                promise = found[f'hydraulics.{name}.pressure_{side}']
                self.assertAlmostEqual(promise['max'], highest, delta=ROUNDING * highest, msg=name)
                lowest = -flow * share / parameters['oil.suction_gain']
                self.assertAlmostEqual(promise['min'], lowest, delta=ROUNDING * abs(lowest), msg=name)
            promise = found[f'hydraulics.{name}.force']
            for key, area in (('max', 'area_a'), ('min', 'area_b')):
                force = highest * parameters[f'{name}.{area}']
                self.assertAlmostEqual(abs(promise[key]), force, delta=ROUNDING * force, msg=name)
        relieved = parameters['supply.relief_pressure'] + flow / parameters['supply.relief_gain']
        self.assertAlmostEqual(found['hydraulics.supply.pressure']['max'], relieved, delta=ROUNDING * relieved)
        power = parameters['supply.max_power']
        self.assertAlmostEqual(found['hydraulics.supply.power']['max'], 1.02 * power, delta=0.01 * power)
        flow += parameters['supply.leak'] * parameters['supply.relief_pressure']
        self.assertAlmostEqual(found['hydraulics.supply.flow_rate']['max'], flow, delta=0.01 * flow)
        jaw = parameters['supply.relief_pressure'] * parameters['jaw.area_a']
        self.assertAlmostEqual(promises('automation')['wall.contact.force']['max'], 1.05 * jaw, delta=ROUNDING * jaw)


@unittest.skipUnless('TANDEM_LONG' in os.environ, 'takes minutes')
class Demolition(StagedTest):
    units = sys.argv[4:5]

    def demolish(self, system, *specifications):
        contracts = [word for name in ('signals', *specifications) for word in ('--contract', self.systems / f'{name}.ssb')]
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([TANDEM, 'run', self.systems / f'{system}.ssd', *contracts, '--record', 'none', '--shadow', 'off', '--out',
                                   pathlib.Path(out) / 'out'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)  # the goal is reached and every promise kept
        self.assertRegex(done.stdout, r'requirements \d\d+ passed, 0 failed, ')

    def test_full(self):
        self.demolish('SystemStructure', 'drive', 'automation')

    def test_simple(self):
        self.demolish('simple', 'drive', 'automation')

    def test_kinematic(self):
        self.demolish('kinematic', 'motion', 'automation')

    def test_modelica(self):
        self.demolish('modelica', 'drive', 'automation')

    def test_over_can(self):
        self.demolish('can', 'drive', 'automation', 'buses')


if __name__ == '__main__':
    main()
