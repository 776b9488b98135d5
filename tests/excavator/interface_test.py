"""Every hydraulic unit fits the interface in hydraulics_interface.ssd: each connector with its kind, type and unit. What
a user's plain run of a manual system leaves is small.

usage: interface_test.py TANDEM FMUS REPOSITORY MODELICA_UNIT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from support import FMUS, REPOSITORY, TANDEM, main

SSD = '{http://ssp-standard.org/SSP1/SystemStructureDescription}'
SSC = '{http://ssp-standard.org/SSP1/SystemStructureCommon}'


def wanted_connectors():
    tree = ElementTree.parse(REPOSITORY / 'config/excavator/hydraulics_interface.ssd')
    return {connector.get('name'): (connector.get('kind'), connector.find(SSC + 'Real').get('unit'))
            for connector in tree.getroot().iter(SSD + 'Connector')}


def offered_variables(unit):
    text = subprocess.run([TANDEM, 'inspect', unit, '--json'], capture_output=True, text=True, check=True).stdout
    return {v['name']: v for v in json.loads(text)['variables']}


class Interface(unittest.TestCase):
    def check(self, unit, units_declared):
        wanted, offered = wanted_connectors(), offered_variables(unit)
        self.assertEqual(len(wanted), 51)
        for name, (kind, measured) in wanted.items():
            self.assertIn(name, offered, unit)
            variable = offered[name]
            self.assertEqual(variable['causality'], kind, name)
            self.assertIn(variable['type'], ('Float64', 'Real'), name)
            if units_declared:
                self.assertEqual(variable.get('unit') or '1', measured or '1', name)
        others = {name for name, v in offered.items() if v['causality'] in ('input', 'output')} - wanted.keys()
        self.assertFalse(others, f'{unit} has connectors that the interface does not know')

    def test_the_full_hydraulics_fit(self):
        for unit in ('hydraulics.fmu', 'hydraulics_fmi2.fmu'):
            self.check(FMUS / unit, units_declared=True)

    def test_a_manual_run_leaves_a_small_result(self):
        with tempfile.TemporaryDirectory() as out:
            for system in ('manual', 'manual_simple', 'manual_kinematic'):
                done = subprocess.run([TANDEM, 'run', REPOSITORY / f'config/excavator/{system}.ssd', '--stop', '2.4',
                                       '--out', out, '--quiet'], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                # A tenth of the systems' own 24 s.
                self.assertLess((pathlib.Path(out) / 'results.csv').stat().st_size, 1_000_000, system)

    def test_the_simple_hydraulics_fit(self):
        for unit in ('hydraulics_simple.fmu', 'hydraulics_simple_fmi2.fmu'):
            self.check(FMUS / unit, units_declared=True)

    def test_the_hydraulics_in_modelica_fit(self):
        self.check(pathlib.Path(sys.argv[4]), units_declared=False)  # the Modelica text names none


if __name__ == '__main__':
    main()
