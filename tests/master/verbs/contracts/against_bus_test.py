"""Buses held against each other, and against whoever gives to them and takes from them.

usage: against_bus_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import os

import interfaces as make
from command_line import EXAMPLES, main
from pairs import GEARS, SPEED_ALONE, Pairs, bus, old, words

CONFIG = os.path.join(os.path.dirname(EXAMPLES), 'config')

# What is seeded: the pair, the code of the finding, its class, and words of its message.
ERRORS = {
    'values beyond what the bus states': (words(max=600), bus({**SPEED_ALONE, 'Speed': 'Speed : 0|16@1+ (0.01,0) [0|100] "m/s" Ecu'},
                                                              more=''), 'range', True, 'beyond the 0 to 100 of the bus'),
    'bits in another place': (bus(), old(bus({'Speed': 'Speed : 4|16@1+ (0.01,0) [0|655.35] "m/s" Ecu', 'Torque': None})),
                              'position', True, 'first bit was 0, is 4'),
    'fewer bits': (bus(), old(bus({'Speed': 'Speed : 0|12@1+ (0.01,0) [0|655.35] "m/s" Ecu'})), 'width', True, 'was 16, is 12'),
    'another factor': (bus(), old(bus({'Speed': 'Speed : 0|16@1+ (0.1,0) [0|655.35] "m/s" Ecu'})), 'scaling', True,
                       'was 0.01, is 0.1'),
    'another offset': (bus(), old(bus({'Speed': 'Speed : 0|16@1+ (0.01,-40) [0|655.35] "m/s" Ecu'})), 'offset', True,
                       'was 0, is -40'),
    'another sign': (bus(), old(bus({'Torque': 'Torque : 16|16@1+ (0.5,0) [-16384|16383.5] "N" Ecu'})), 'sign', True,
                     'was signed, is unsigned'),
    'another byte order': (bus(), old(bus({'Speed': 'Speed : 0|16@0+ (0.01,0) [0|655.35] "m/s" Ecu', 'Torque': None})),
                           'byte-order', True, 'big endian'),
    'multiplexed now': (bus(), old(bus({'Gear': 'Gear M : 32|4@1+ (1,0) [0|8] "" Ecu',
                                        'Torque': 'Torque m1 : 16|16@1- (0.5,0) [-16384|16383.5] "N" Ecu'})), 'multiplexing',
                        True, 'was always there, is selected by Gear = 1'),
    'a slower cycle': (bus(), old(bus(cycle=50)), 'cycle-time', True, 'was 20 ms, is 50 ms'),
    'a faster cycle': (bus(), old(bus(cycle=10)), 'cycle-time', False, 'was 20 ms, is 10 ms'),
    'another identifier': (bus(), old(bus(identifier=257, more=GEARS.replace('256', '257'))), 'identifier', True,
                           'was 0x100, is 0x101'),
    'another raw code': (bus(), old(bus(more=GEARS.replace('15 "not', '14 "not'))), 'raw-code', True, 'was 0xf, is 0xe'),
    'no raw code at all': (bus(more=GEARS.replace(' 15 "not available"', '')),
                           ('gear.ssb', make.ssb([make.entry('Gear', '<ssc:Int32/>', notAvailable='0xF')])), 'raw-code', True,
                           'no raw code'),
    'a float that saturates': (words(max=700), bus(), 'saturation', True, 'cut to 0 to 655.35'),
    'a negative float in unsigned bits': (words(min=-10), bus(), 'sign', True, 'unsigned'),
    'a float that loses its resolution': (words(resolution=0.001), bus(), 'resolution', True, 'coarser'),
    'a float that gets few steps': (words(max=5), bus(SPEED_ALONE, more=''), 'resolution', False, '500 steps'),
    'a bus that is too slow': (bus(cycle=100), words(period='0.02'), 'period', True, 'is 0.1 s'),
    'a text on the bus': (('speed.ssb', make.ssb([make.entry('Speed', '<ssc:String/>')])), bus(), 'type', True, 'String'),
}

# Pairs in which there is nothing to find.
CORRECT = {
    'a bus and itself': (bus(), old(bus())),
    'a bus and a dictionary': (bus(), words(max=655.35, resolution=0.01)),
    'a dictionary and a bus': (words(resolution=0.01), bus(SPEED_ALONE, more='')),
    'a period of the bus': (bus(), words(max=655.35, resolution=0.01, period='0.02')),
    'the same raw codes': (bus(), ('gear.ssb', make.ssb([make.entry('Gear', '<ssc:Int32/>', notAvailable='0xF')]))),
    'a multiplexed bus and itself': (bus({'Gear': 'Gear M : 32|4@1+ (1,0) [0|8] "" Ecu',
                                          'Torque': 'Torque m1 : 16|16@1- (0.5,0) [-16384|16383.5] "N" Ecu'}),
                                     old(bus({'Gear': 'Gear M : 32|4@1+ (1,0) [0|8] "" Ecu',
                                              'Torque': 'Torque m1 : 16|16@1- (0.5,0) [-16384|16383.5] "N" Ecu'}))),
}


class AgainstBus(Pairs):
    def test_seeded_errors_are_found_with_their_class(self):
        self.assertGreaterEqual(len(ERRORS), 15)
        self.find_errors(ERRORS)

    def test_correct_pairs_give_no_finding(self):
        self.assertGreaterEqual(len(CORRECT), 5)
        self.find_nothing(CORRECT)

    def test_signals_that_share_bits_are_a_warning(self):
        twice = bus({'Twice': 'Twice : 8|16@1+ (1,0) [0|65535] "" Ecu'})
        done = self.checked(twice, old(twice))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"warning.*bus\.dbc:\d+: signals 'Speed' and 'Twice'.*share bits")

    def test_a_mapping_names_what_is_on_the_bus(self):
        mapping = os.path.join(CONFIG, 'can/control.xml')
        names = ('names.ssb', make.ssb([make.entry('boom.target', '<ssc:Float64/>', min=0, max=2)]))
        done = self.tandem('check', self.put(names, 'a'), '--against', mapping)
        self.assertRegex(done.stdout, r'breaking\[saturation\]: boom\.target: .* are cut to 0 to 1\.3107')


if __name__ == '__main__':
    main()
