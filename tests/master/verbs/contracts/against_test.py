"""Interfaces held against each other: seeded errors are found with their class, correct pairs give no finding.

usage: against_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os
import re
import xml.etree.ElementTree as ElementTree

import interfaces as make
from command_line import EXAMPLES, FMUS, main
from pairs import BAR, BEAT, PASCAL, UNIT, Pairs, entries, old, output, spec, unit

CONFIG = os.path.join(os.path.dirname(EXAMPLES), 'config')

# What is seeded: the pair, the code of the finding, its class, and words of its message.
ERRORS = {
    'an output is missing': (unit({'count': None}), spec(), 'missing', True, r'pump\.count: the output is missing'),
    'an output is renamed': (unit({'pressure': None, 'presure': UNIT['pressure']}), spec(), 'renamed', True,
                             r"closest is 'presure'"),
    'an output too many': (unit({'extra': ('output', 'Float64', '', {})}), spec(), 'extra', False, 'not in the spec'),
    'an input too many': (unit({'more': ('input', 'Float64', '', {'start': 0})}), spec(), 'extra', False, 'start value'),
    'a narrower type of an input': (unit({'command': ('input', 'Float32', '', {'min': -1, 'max': 1, 'start': 0})}), spec(),
                                    'type', True, 'is Float32, expected Float64'),
    'a wider type of an output': (unit({'count': ('output', 'Int64', '', {})}), spec(), 'type', True, 'Int64, expected Int32'),
    'a narrower type of an output': (unit({'count': ('output', 'Int16', '', {})}), spec(), 'type', False, 'is Int16'),
    'another kind of type': (unit({'count': ('output', 'Boolean', '', {})}), spec(), 'type', True, 'is Boolean'),
    'another size of an array': (unit({'curve': ('output', 'Float64', '<Dimension start="4"/>', {})}), spec(), 'dimension',
                                 True, 'array of 4, expected an array of 3'),
    'a scalar for an array': (unit({'curve': ('output', 'Float64', '', {})}), spec(), 'dimension', True, 'a scalar'),
    'another quantity': (unit({'pressure': ('output', 'Float64', '', {'unit': 'N'})}), spec(), 'unit', True,
                         r"is 'N', expected 'Pa'"),
    'no unit': (unit({'pressure': ('output', 'Float64', '', {'min': 0, 'max': 3e7, 'nominal': 1e7})}), spec(), 'unit', False,
                'is none'),
    'another scale': (unit({'pressure': ('output', 'Float64', '', {'unit': 'bar', 'min': 0, 'max': 300, 'nominal': 100})}),
                      spec(), 'scale', False, '100000'),
    'one name for two units': (unit(), spec(units=make.UNITS.replace('name="Pa"><ssc:BaseUnit kg',
                                                                       'name="Pa"><ssc:BaseUnit factor="1e3" kg')),
                               'scale', True, 'mean different ones'),
    'an input for an output': (unit({'count': ('input', 'Int32', '', {'start': 0})}), spec(), 'causality', True,
                               "is 'input', expected 'output'"),
    'a fixed parameter that should be tunable': (unit(), spec({'gain': ('parameter', '<ssc:Float64/>',
                                                                        {'start': 2, 'variability': 'tunable'})}),
                                                 'variability', True, 'is fixed, expected tunable'),
    'a discrete output': (unit({'count': ('output', 'Int32', '', {'variability': 'discrete'})}),
                          spec({'count': output('<ssc:Int32/>', variability='constant')}), 'variability', True, 'discrete'),
    'an output that goes too far': (unit({'pressure': ('output', 'Float64', '', {'unit': 'Pa', 'min': 0, 'max': 4e7})}),
                                    spec(), 'range', True, r'is 0 to 4e\+07 Pa, expected 0 to 3e\+07 Pa'),
    'an output that stays within': (unit({'pressure': ('output', 'Float64', '', {'unit': 'Pa', 'min': 0, 'max': 1e7})}),
                                    spec(), 'range', False, r'is 0 to 1e\+07'),
    'an input that takes too little': (unit({'command': ('input', 'Float64', '', {'min': 0, 'max': 1, 'start': 0})}), spec(),
                                       'range', True, 'takes is 0 to 1'),
    'an input that takes more': (unit({'command': ('input', 'Float64', '', {'min': -2, 'max': 2, 'start': 0})}), spec(),
                                 'range', False, 'is -2 to 2'),
    'a range in another unit': (unit({'pressure': ('output', 'Float64', '', {'unit': 'bar', 'min': 0, 'max': 400})}), spec(),
                                'range', True, r'4e\+07 Pa'),
    'another nominal value': (unit({'pressure': ('output', 'Float64', '', {'unit': 'Pa', 'nominal': 1e5})}), spec(), 'nominal',
                              False, r'100000, expected 1e\+07'),
    'a step above the period': (unit(step='0.02'), spec({'count': output('<ssc:Int32/>', period='0.01')}), 'period', True,
                                'is 0.02 s, expected 0.01 s or less'),
    'a step beside the period': (unit(step='0.003'), spec({'count': output('<ssc:Int32/>', period='0.01', jitter='0.001')}),
                                 'jitter', True, 'uneven'),
    'a feedthrough': (unit(feedthrough={'pressure': ['command']}), spec(), 'dependency', True, "depends on 'command'"),
    'dependencies that nobody states': (unit(feedthrough='unstated'), spec(), 'dependency', True, 'states no dependencies'),
    'another start value of a parameter': (unit({'gain': ('parameter', 'Float64', '', {'variability': 'fixed', 'start': 3})}),
                                           spec(), 'start', True, "is 3, expected '2'"),
    'another start value of an input': (unit(), spec({'command': ('input', '<ssc:Float64/>',
                                                                  {'min': -1, 'max': 1, 'start': 0.5})}), 'start', False,
                                        "is 0, expected '0.5'"),
    'an item with another number': (unit(items=(('off', 0), ('slow', 2), ('fast', 1))), spec(), 'enumeration', True,
                                    "number of item 'slow' is 2, expected 1"),
    'an item with another name': (unit(items=(('off', 0), ('slow', 1), ('turbo', 2))), spec(), 'enumeration', True,
                                  "is 'turbo', expected 'fast'"),
    'an item that an input does not know': (unit(items=(('off', 0), ('slow', 1))), spec(), 'enumeration', True, "no item 'fast'"),
    'an item more at an input': (unit(items=make.MODES + (('turbo', 3),)), spec(), 'enumeration', False, "'turbo' = 3"),
    'another FMI version': (unit(), spec(requires='fmiVersion="2.0"'), 'fmi-version', True, 'FMI 3.0, expected 2.0'),
    'only for Windows': (unit(platform='x86_64-windows'), spec(requires='platform="x86_64-linux"'), 'platform', True,
                         'platforms there: x86_64-windows'),
    'only for Windows, and nobody asks': (unit(platform='x86_64-windows'), spec(), 'platform', True, 'no binary for this'),
    'a state that cannot be saved': (unit(flags=''), spec(requires='savedState="true"'), 'saved-state', True, 'canGetAndSet'),
    'a step that cannot vary': (unit(flags=''), spec(requires='variableStep="true"'), 'variable-step', True, 'cannot vary'),
    'no event mode': (unit(), spec(requires='eventMode="true"'), 'event-mode', True, 'no event mode'),
    'another program needed': (unit(flags='needsExecutionTool="true"'), spec(requires='standalone="true"'), 'standalone', True,
                               'needs another program'),
    'a large step': (unit(step='0.1'), spec(requires='largestStep="0.01"'), 'step', True, 'at most 0.01 s'),
    'a rate between versions': (spec({'count': output('<ssc:Int32/>', rate=10)}),
                                old(spec({'count': output('<ssc:Int32/>', rate=20)})), 'rate', True, 'was 10, is 20'),
    'an age between versions': (spec({'count': output('<ssc:Int32/>', maximalAge=0.1)}),
                                old(spec({'count': output('<ssc:Int32/>', maximalAge=0.2)})), 'age', True, 'was 0.1, is 0.2'),
    'a resolution between versions': (spec({'count': output('<ssc:Int32/>', resolution=1)}),
                                      old(spec({'count': output('<ssc:Int32/>', resolution=2)})), 'resolution', True,
                                      'was 1, is 2'),
    'a range that is promised no longer': (spec(), old(spec({'pressure': output(PASCAL, nominal=1e7, dependsOn='')})), 'range', True,
                                           'its range is stated no longer'),
    'a range that an input has from now on': (spec({'command': ('input', '<ssc:Float64/>', {})}), old(spec()), 'range', True,
                                              'takes is stated now'),
    'a range that an input has no longer': (spec(), old(spec({'command': ('input', '<ssc:Float64/>', {})})), 'range', False,
                                            'takes is stated no longer'),
    'a rate that is promised no longer': (spec({'count': output('<ssc:Int32/>', rate=10)}), old(spec()), 'rate', True,
                                          'stated no longer'),
    'a rate that is promised from now on': (spec(), old(spec({'count': output('<ssc:Int32/>', rate=10)})), 'rate', False,
                                            'stated now'),
    'a period that is promised no longer': (spec({'count': output('<ssc:Int32/>', period='0.01')}), old(spec()), 'period', True,
                                            'stated no longer'),
    'an age from elsewhere': (spec({'count': output('<ssc:Int32/>', maximalAge=0.1, ageFrom='pump.command')}),
                              old(spec({'count': output('<ssc:Int32/>', maximalAge=0.1, ageFrom='pump.mode')})), 'age', True,
                              "counts from was 'pump.command', is 'pump.mode'"),
    'a feedthrough that is forbidden no longer': (spec(), old(spec({'pressure': output(PASCAL, min=0, max=3e7, nominal=1e7)})),
                                                  'dependency', True, 'stated no longer'),
    'a capability that is asked for from now on': (spec(), old(spec(requires='savedState="true"')), 'saved-state', True,
                                                   'was not asked for, is asked for'),
    'a platform that is asked for no longer': (spec(requires='platform="x86_64-linux aarch64-linux"'),
                                               old(spec(requires='platform="x86_64-linux"')), 'platform', False,
                                               'was x86_64-linux, aarch64-linux, is x86_64-linux'),
    'removed in a version': (spec(), old(spec({'count': None})), 'missing', True, 'was removed'),
    'added in a version': (spec({'count': None}), old(spec()), 'extra', False, 'was added'),
    'an entry of a dictionary': (unit({'pressure': ('output', 'Float64', '', {'unit': 'Pa', 'min': 0, 'max': 5e7})}), entries(),
                                 'range', True, r'5e\+07'),
    'a dictionary in another unit': (entries({'pressure': (BAR, {'min': 0, 'max': 300})}), old(entries()), 'scale', False, 'bar'),
    'a period that comes too early': (spec({'count': output('<ssc:Int32/>', **BEAT)}),
                                      old(spec({'count': output('<ssc:Int32/>', period='0.005', jitter='0.001')})), 'period', True,
                                      'was 0.01 s, is 0.005 s'),
    'a rate in another unit': (entries({'pressure': (PASCAL, {'rate': 1e6})}), old(entries({'pressure': (BAR, {'rate': 100})})),
                               'rate', True, r'was 1e\+06, is 1e\+07'),
    'a step above the age': (unit(step='0.02'), spec({'count': output('<ssc:Int32/>', maximalAge=0.01)}), 'age', True,
                             'stands for 0.02 s, from one to the next, expected 0.01 s or less'),
}

# Pairs in which there is nothing to find.
CORRECT = {
    'a unit and its specification': (unit(), spec()),
    'a unit and itself': (unit(), unit()),
    'a specification and itself': (spec(), old(spec())),
    'a specification of the unit': (spec(), unit()),
    'a dictionary and itself': (entries(), old(entries())),
    'a unit and a dictionary': (unit(), entries()),
    'a step that divides the period': (unit(), spec({'count': output('<ssc:Int32/>', period='0.01', jitter='0')})),
    'a period of one step': (unit(step='0.01'), spec({'count': output('<ssc:Int32/>', period='0.01')})),
    'a step beside the period within the jitter': (unit(step='0.003'),
                                                   spec({'count': output('<ssc:Int32/>', period='0.01', jitter='0.003')})),
    'a feedthrough that is allowed': (unit(feedthrough={'pressure': ['command']}),
                                      spec({'pressure': output(PASCAL, min=0, max=3e7, dependsOn='command')})),
    'a feedthrough that nobody forbids': (unit(feedthrough={'count': ['command']}), spec()),
    'no feedthrough where one is allowed': (unit(), spec({'pressure': output(PASCAL, min=0, max=3e7, dependsOn='command')})),
    'the platform asked for': (unit(), spec(requires='platform="x86_64-linux" fmiVersion="2.0 3.0"')),
    'all abilities': (unit(), spec(requires='variableStep="true" savedState="true" standalone="true" largestStep="0.001"')),
    'an event mode': (unit(flags='hasEventMode="true"'), spec(requires='eventMode="true"')),
    'a specification without types': (unit(), ('spec.ssd', make.ssd([make.connector('command', 'input', ''),
                                                                    make.connector('mode', 'input', ''),
                                                                    make.connector('pressure', 'output', ''),
                                                                    make.connector('count', 'output', ''),
                                                                    make.connector('curve', 'output', '')]))),
    'an array of any size': (unit(), spec({'curve': output('<ssc:Float64/><ssc:Dimension/>')})),
    'Real for Float64': (unit(), spec({'command': ('input', '<ssc:Real/>', {'min': -1, 'max': 1})})),
    'Integer for Int32': (unit(), spec({'count': output('<ssc:Integer/>')})),
    'a unit that spells its range otherwise': (unit({'pressure': ('output', 'Float64', '', {'unit': 'Pa', 'min': '0.0',
                                                                                            'max': '30000000'})}), spec()),
    'a start value that is written otherwise': (unit(), spec({'gain': ('parameter', '<ssc:Float64/>', {'start': '2.000'})})),
    'a variability that is stated': (unit(), spec({'gain': ('parameter', '<ssc:Float64/>',
                                                           {'start': 2, 'variability': 'fixed'})})),
    'a nominal value of the same size': (unit({'pressure': ('output', 'Float64', '', {'unit': 'Pa', 'min': 0, 'max': 3e7,
                                                                                      'nominal': 2e7})}), spec()),
    'parameters that nobody asks for': (unit({'more': ('parameter', 'Float64', '', {'variability': 'fixed', 'start': 1})}),
                                        spec()),
    'an input without a range': (unit({'command': ('input', 'Float64', '', {'start': 0})}), spec()),
    'an output without a range': (unit({'pressure': ('output', 'Float64', '', {'unit': 'Pa'})}), spec()),
    'a step of the age': (unit(step='0.01'), spec({'count': output('<ssc:Int32/>', maximalAge=0.01)})),
}


class Against(Pairs):
    def test_seeded_errors_are_found_with_their_class(self):
        self.assertGreaterEqual(len(ERRORS), 50)
        self.find_errors(ERRORS)

    def test_correct_pairs_give_no_finding(self):
        self.assertGreaterEqual(len(CORRECT), 25)
        self.find_nothing(CORRECT)

    def test_a_finding_names_both_files_with_their_lines(self):
        done = self.checked(unit({'count': ('output', 'Boolean', '', {})}), spec())
        line = [line for line in done.stdout.splitlines() if '[type]' in line][0]
        self.assertRegex(line, r'\(a/pump\.fmu; b/spec\.ssd:\d+\)')
        number = int(re.search(r'spec\.ssd:(\d+)', line)[1])
        with open(os.path.join(self.folder, 'b/spec.ssd'), encoding='utf-8') as file:
            self.assertIn('"count"', file.readlines()[number - 1])

    def test_a_warning_is_told_and_does_not_fail(self):
        done = self.checked(unit({'count': ('output', 'Boolean', '', {})}),
                            spec({'count': output('<ssc:Int32/>', requirement='REQ-7', severity='warning')}))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r'compatible\[type\].*\[REQ-7\]')

    def test_json_and_junit(self):
        pair = unit({'count': None}), spec()
        done = self.checked(*pair, '--json', '--junit', 'findings.xml')
        self.assertEqual(done.returncode, 3)
        said = json.loads(done.stdout)
        self.assertFalse(said['passed'])
        self.assertEqual([finding['id'] for finding in said['findings']], ['missing:pump.count'])
        suite = ElementTree.parse(os.path.join(self.folder, 'findings.xml')).getroot().find('testsuite')
        self.assertEqual((suite.get('tests'), suite.get('failures')), ('6', '1'))
        failed = [case.get('name') for case in suite if case.find('failure') is not None]
        self.assertEqual(failed, ['pump.count'])

    def deviations(self, until, finding='missing:pump.count'):
        return self.write('accepted.xml', '<Deviations xmlns="urn:tandem:deviations:1">\n'
                          f'<Accept finding="{finding}" reason="comes in May" by="A. Miller" until="{until}"/>\n</Deviations>')

    def test_accepted_deviations(self):
        pair = unit({'count': None}), spec()
        self.deviations('2999-01-01')
        done = self.checked(*pair, '--deviations', 'accepted.xml')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r'accepted: comes in May \(A\. Miller, until 2999-01-01\)')
        self.deviations('2020-01-01')
        done = self.checked(*pair, '--deviations', 'accepted.xml')
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, r'breaking\[expired\]: missing:pump\.count: its acceptance by A\. Miller ended on 2020-01-01')
        self.deviations('2999-01-01', 'missing:pump.other')
        done = self.checked(*pair, '--deviations', 'accepted.xml')
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, 'accepted.xml:2: .*may be removed')
        self.deviations('2999-13-01')
        self.refused(r'accepted\.xml:2: until is .2999-13-01.', 'check', 'a/pump.fmu', '--against', 'b/spec.ssd',
                     '--deviations', 'accepted.xml')

    def test_what_only_a_run_can_show_is_told(self):
        done = self.checked(unit(), spec({'count': output('<ssc:Int32/>', rate=10)}))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"note: of 1 signal .*'pump\.count' for one; run --contract")

    def test_bad_specifications(self):
        name, text = spec()
        cases = {
            'an unknown attribute': (text.replace('nominal=', 'nomnal='), r"unknown attribute 'nomnal', closest match 'nominal'"),
            'no number': (text.replace('max="30000000.0"', 'max="much"'), "'much', expected a number"),
            'limits the wrong way round': (text.replace('min="0"', 'min="1e9"'), 'is larger than max'),
            'another element': (text.replace('t:Contract', 't:Promise'), "holds 't:Promise', expected 'Contract'"),
            'an enumeration that nobody defines': (text.replace('<ssc:Enumeration name="Mode"/>', '<ssc:Enumeration name="Mod"/>'),
                                                   "enumeration 'Mod' is not defined in this file, closest match 'Mode'"),
            'two items of one value': (text.replace('name="slow" value="1"', 'name="slow" value="0"'),
                                       "'off' and 'slow' of enumeration 'Mode' both have the value 0"),
            'two items of one name': (text.replace('name="slow"', 'name="off"'), "'Mode' has two items 'off'"),
            'a jitter of no period': (text.replace('nominal="10000000.0"', 'jitter="1"'), "'jitter' without 'period'"),
        }
        self.put(unit(), 'a')
        for case, (changed_text, words) in cases.items():
            with self.subTest(case):
                self.put((name, changed_text), 'b')
                self.refused(r'b/spec\.ssd:\d+: .*' + words, 'check', 'a/pump.fmu', '--against', 'b/spec.ssd', '--junit', 'x.xml')
                self.assertFalse(os.path.exists(os.path.join(self.folder, 'x.xml')))

    def test_a_specification_of_something_else(self):
        self.put(unit(), 'a')
        self.put(('spec.ssd', make.ssd([make.connector('voltage', 'output')], component='motor')), 'b')
        self.refused(r'error\[other-interface\]: b/spec\.ssd:\d+: .*another system', 'check', 'a/pump.fmu', '--against',
                     'b/spec.ssd')
        self.refused(r'error\[other-interface\]', 'check', self.two_mass(), '--against', 'b/spec.ssd')

    def test_entries_of_a_dictionary_have_names_of_their_own(self):
        self.put(unit(), 'a')
        self.put(('words.ssb', make.ssb([make.entry('command', max=1), make.entry('command', max=2)])), 'b')
        self.refused(r"error\[duplicate-name\]: b/words\.ssb:\d+: a second entry 'command'", 'check', 'a/pump.fmu', '--against',
                     'b/words.ssb')

    def test_the_hydraulics_of_the_excavator(self):
        wanted = os.path.join(CONFIG, 'excavator/hydraulics_interface.ssd')
        for name in ('hydraulics', 'hydraulics_simple'):
            done = self.tandem('check', os.path.join(FMUS, name + '.fmu'), '--against', wanted)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(' 0 breaking, 0 compatible', done.stdout)
        done = self.tandem('check', os.path.join(FMUS, 'oscillator.fmu'), '--against', wanted)
        self.assertEqual(done.returncode, 2)


if __name__ == '__main__':
    main()
