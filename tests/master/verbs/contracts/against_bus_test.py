"""Buses held against each other, and against whoever gives to them and takes from them.

usage: against_bus_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import os
import re

import interfaces as make
from command_line import EXAMPLES, main
from pairs import BEAT, GEARS, MODE, SPEED_ALONE, VECTOR, Pairs, bus, old, unit, words

CONFIG = os.path.join(os.path.dirname(EXAMPLES), 'config')

TENTHS = '0|8@1+ (0.1,0) [0|25.5]'
NIBBLE = '0|4@1+ (1,0) [0|15]'
BOOLEAN, INTEGER = '<ssc:Boolean/>', '<ssc:Integer/>'


def speed(layout, unit='', **options):
    """A bus with the speed alone: its bits, scaling and range."""
    return bus({**SPEED_ALONE, 'Speed': f'Speed : {layout} "{unit}" Ecu'}, **{'more': '', **options})


def port(kind, inner, items=make.MODES, **values):
    """A component whose only connector is the speed on the bus."""
    return 'port.ssd', make.ssd([make.connector('Speed', kind, inner, **values)], items=items)


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
    'another unit of the same raw codes': (bus(), old(bus({'Speed': 'Speed : 0|16@1+ (0.01,0) [0|655.35] "km/h" Ecu'})), 'scale',
                                           True, "was 'm/s', is 'km/h'; one is 0.277778 of the other"),
    'another unit that the factor follows': (bus(), old(bus({'Speed': 'Speed : 0|16@1+ (0.036,0) [0|2359.26] "km/h" Ecu'})),
                                             'scale', False, 'a raw code means the same'),
    'another unit that the factor does not follow': (bus(), old(bus({'Speed': 'Speed : 0|16@1+ (0.36,0) [0|0] "km/h" Ecu'})),
                                                     'scaling', True, 'was 0.01, is 0.36'),
    'a Boolean that is given more': (port('input', BOOLEAN), speed(TENTHS), 'type', True,
                                     'takes 0 and 1 alone, and the bus gives 0 to 25.5 in steps of 0.1'),
    'a Boolean that is given a byte': (port('input', BOOLEAN), speed('0|8@1+ (1,0) [0|0]'), 'type', True, '0 to 255'),
    'a Boolean in a scaled byte': (port('output', BOOLEAN), speed(TENTHS), 'type', False, 'gives 0 and 1 alone'),
    'a Boolean that the bus rounds': (port('output', BOOLEAN), speed('0|8@1+ (5,0) [0|1275]'), 'type', True, 'steps of 5'),
    'a bus that gives a Boolean more': (speed(TENTHS), port('input', BOOLEAN), 'type', True, 'takes 0 and 1 alone'),
    'an Integer that loses fractions': (port('input', INTEGER), speed(TENTHS), 'type', True,
                                        'fractions are lost: the bus gives 0 to 25.5 in steps of 0.1'),
    'an Integer that loses an offset': (port('input', INTEGER), speed('0|8@1+ (1,0.5) [0|0]'), 'type', True, 'fractions'),
    'an Integer of an FMU': (unit({'Speed': ('input', 'Int32', '', {'start': 0})}), speed(TENTHS), 'type', True, 'fractions'),
    'an Integer of a dictionary': (('speed.ssb', make.ssb([make.entry('Speed', INTEGER)])), speed(TENTHS), 'type', True,
                                   'fractions'),
    'an Integer into fractions': (port('output', INTEGER), speed(TENTHS), 'type', False, 'Int32 gives whole numbers alone'),
    'an Integer that the bus rounds': (port('output', INTEGER), speed('0|8@1+ (2,0) [0|510]'), 'type', True,
                                       'whole numbers of Int32 are rounded: the bus holds 0 to 510 in steps of 2'),
    'an Integer between the values of the bus': (port('output', INTEGER), speed('0|8@1+ (1,0.5) [0|0]'), 'type', True, 'rounded'),
    'an Integer that a float rounds': (port('output', INTEGER), speed('0|32@1- (1,0) [0|0]', more='SIG_VALTYPE_ 256 Speed : 1;\n'),
                                       'type', True, 'rounded'),
    'a bus that gives an Integer fractions': (speed(TENTHS), port('input', INTEGER), 'type', True, 'fractions are lost'),
    'a bus that takes an Integer': (speed(TENTHS), port('output', INTEGER), 'type', False, 'whole numbers alone'),
    'an Integer that is too narrow': (port('input', '<ssc:Int8/>'), speed('0|8@1+ (1,0) [0|0]'), 'type', True,
                                      'gives 0 to 255 in steps of 1, and Int8 takes -128 to 127'),
    'a float that is too short': (port('input', '<ssc:Float32/>'), speed('0|32@1+ (1,0) [0|0]'), 'type', True,
                                  'Float32 with its 24 bits'),
    'an array on the bus': (port('output', VECTOR), speed(TENTHS), 'dimension', True, 'array of 3, expected a scalar'),
    'an item that the bus does not hold': (port('output', MODE, items=(('off', 0), ('fast', 20))), speed(NIBBLE), 'enumeration',
                                           True, "'fast' = 20 is none of the values on the bus, 0 to 15"),
    'values of a bus that are no items': (port('input', MODE), speed(NIBBLE), 'enumeration', True, 'the items are 0 to 2'),
    'an item with another number on the bus': (port('input', MODE),
                                               speed(NIBBLE, more='VAL_ 256 Speed 0 "off" 1 "fast" 2 "slow" ;\n'), 'enumeration',
                                               True, "number of item 'fast' is 2, expected 1"),
    'an item that the bus does not name': (speed(NIBBLE, more='VAL_ 256 Speed 0 "off" 1 "slow" ;\n'), port('output', MODE),
                                           'enumeration', True, "no item 'fast' = 2"),
    'an item more on the bus': (port('output', MODE), speed(NIBBLE, more='VAL_ 256 Speed 0 "off" 1 "slow" 2 "fast" 3 "turbo" ;\n'),
                                'enumeration', False, "no item 'turbo' = 3"),
    'a fraction with a table': (port('input', MODE), speed(TENTHS, more='VAL_ 256 Speed 0 "off" 1 "slow" 2 "fast" ;\n'), 'type',
                                True, 'an Enumeration takes whole numbers'),
    'a bus that gives an input too much': (speed('0|16@1+ (0.01,0) [0|655.35]', 'm/s'),
                                           port('input', '<ssc:Float64 unit="m/s"/>', min=0, max=100), 'range', True,
                                           'is 0 to 655.35 m/s, expected 0 to 100 m/s'),
    'a float that a shorter one rounds': (port('output', '<ssc:Float64/>', min=0, max=1000, resolution=1e-6),
                                          speed('0|32@1- (1,0) [0|0]', more='SIG_VALTYPE_ 256 Speed : 1;\n'), 'resolution', True,
                                          'coarser'),
    'a bus that comes too early': (bus(cycle=5), words(max=655.35, resolution=0.01, **BEAT), 'period', True, 'is 0.005 s'),
    'a text on the bus': (('speed.ssb', make.ssb([make.entry('Speed', '<ssc:String/>')])), bus(), 'type', True, 'String'),
}

# Pairs in which there is nothing to find.
CORRECT = {
    'a bus and itself': (bus(), old(bus())),
    'a bus and a dictionary': (bus(), words(max=655.35, resolution=0.01)),
    'a dictionary and a bus': (words(resolution=0.01), bus(SPEED_ALONE, more='')),
    'a period of the bus': (bus(), words(max=655.35, resolution=0.01, period='0.02')),
    'the same raw codes': (bus(), ('gear.ssb', make.ssb([make.entry('Gear', '<ssc:Int32/>', notAvailable='0xF')]))),
    'a Boolean and a bit': (port('input', BOOLEAN), speed('0|1@1+ (1,0) [0|1]')),
    'a Boolean and two bits with a range': (port('output', BOOLEAN), speed('0|2@1+ (1,0) [0|1]')),
    'an Integer and whole numbers': (port('input', INTEGER), speed('0|16@1+ (2,-40) [0|0]')),
    'an Integer in whole numbers': (port('output', INTEGER, min=0, max=100), speed('0|16@1+ (1,-40) [0|0]')),
    'a bus and an Integer': (speed('0|16@1+ (1,0) [0|0]'), port('input', INTEGER)),
    'a float and a range of few values': (port('input', '<ssc:Float32/>'), speed('0|32@1+ (1,0) [0|1000]')),
    'items and the names on the bus': (port('input', MODE), speed(NIBBLE, more='VAL_ 256 Speed 0 "off" 1 "slow" 2 "fast" ;\n')),
    'items and the names of scaled codes': (port('input', MODE, items=(('off', 1), ('slow', 3))),
                                            speed('0|4@1+ (2,1) [0|0]', more='VAL_ 256 Speed 0 "off" 1 "slow" ;\n')),
    'values with one name and themselves': (bus(more='VAL_ 256 Gear 0 "off" 7 "reserved" 8 "reserved" ;\n'),
                                            old(bus(more='VAL_ 256 Gear 0 "off" 7 "reserved" 8 "reserved" ;\n'))),
    'a multiplexed bus and itself': (bus({'Gear': 'Gear M : 32|4@1+ (1,0) [0|8] "" Ecu',
                                          'Torque': 'Torque m1 : 16|16@1- (0.5,0) [-16384|16383.5] "N" Ecu'}),
                                     old(bus({'Gear': 'Gear M : 32|4@1+ (1,0) [0|8] "" Ecu',
                                              'Torque': 'Torque m1 : 16|16@1- (0.5,0) [-16384|16383.5] "N" Ecu'}))),
}


class AgainstBus(Pairs):
    def test_seeded_errors_are_found_with_their_class(self):
        self.assertGreaterEqual(len(ERRORS), 45)
        self.find_errors(ERRORS)

    def test_correct_pairs_give_no_finding(self):
        self.assertGreaterEqual(len(CORRECT), 15)
        self.find_nothing(CORRECT)

    def test_signals_that_share_bits_are_a_warning(self):
        twice = bus({'Twice': 'Twice : 8|16@1+ (1,0) [0|65535] "" Ecu'})
        done = self.checked(twice, old(twice))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"warning.*bus\.dbc:\d+: signals 'Speed' and 'Twice'.*share bits")

    def test_a_range_that_is_none_is_a_warning(self):
        for limits, said in (('200|-40', True), ('5|5', True), ('0|0', False)):
            with self.subTest(limits):
                odd = speed(f'0|8@1+ (1,0) [{limits}]')
                done = self.checked(odd, old(odd))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                (self.assertRegex if said else self.assertNotRegex)(
                    done.stderr, r"warning.*bus\.dbc:\d+: signal 'Speed' has the range \[" + re.escape(limits) + r"\].*taken as none")

    def test_a_mapping_names_what_is_on_the_bus(self):
        mapping = os.path.join(CONFIG, 'can/control.xml')
        names = ('names.ssb', make.ssb([make.entry('boom.target', '<ssc:Float64/>', min=0, max=2)]))
        done = self.tandem('check', self.put(names, 'a'), '--against', mapping)
        self.assertRegex(done.stdout, r'breaking\[saturation\]: boom\.target: .* are cut to 0 to 1\.3107')

    def test_two_mappings_of_one_bus(self):
        with open(os.path.join(CONFIG, 'can/control.xml'), encoding='utf-8') as file:
            text = file.read()
        with open(os.path.join(CONFIG, 'can/control.dbc'), encoding='utf-8') as file:
            database = file.read()
        for folder in 'ab':
            self.put(('control.dbc', database), folder)
        line = next(line for line in text.splitlines() if 'connector="boom.target"' in line)
        doubled = text.replace(line, line.replace('connector="boom.target"', 'connector="boom.target" gain="2" offset="1"'))
        done = self.checked(('control.xml', text), ('control.xml', doubled))
        self.assertRegex(done.stdout, r'breaking\[scaling\]: boom\.target: the gain of its mapping was 1, is 2')
        self.assertRegex(done.stdout, r'breaking\[offset\]: boom\.target: the offset of its mapping was 0, is 1')
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)


if __name__ == '__main__':
    main()
