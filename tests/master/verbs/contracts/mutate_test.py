"""Specifications that are scored: errors seeded into outputs, and which requirement catches each.

usage: mutate_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os

import interfaces as make
from command_line import CommandLine, FMUS, main

METRE = '<ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit>'
KINDS = ['sign', 'unit', 'scale', 'delay', 'range']


class Mutated(CommandLine):
    """The two masses swing by about a metre; `left.x` is what the right one is pulled by."""

    def spec(self, *connectors):
        return self.write('spec.ssd', make.ssd(list(connectors), units=METRE, component='left'))

    def mutated(self, *options):
        return self.tandem('check', self.two_mass(), '--against', 'spec.ssd', *(options or ('--mutate',)))

    def score(self, *options):
        done = self.mutated('--mutate', '--json', *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_tight_promise_catches_what_leaves_it(self):
        name, low, high = make.moving_signal(self)
        self.spec(make.connector(name, 'output', '<ssc:Float64 unit="m"/>', min=low - 0.01, max=high + 0.01, requirement='TWO-1'))
        done = self.mutated(f'--mutate=left.{name}')
        self.assertEqual(done.returncode, 0, done.stderr)
        for kind in ('unit', 'scale', 'range'):
            self.assertRegex(done.stdout, rf'(?m)^{kind} +left\.{name} +caught by TWO-1: .* at t = ')
        self.assertRegex(done.stdout, r'(?m)^unit .*: in mm;')
        found = self.score(f'--mutate=left.{name}')
        self.assertEqual([item['kind'] for item in found['mutations']], KINDS)
        self.assertGreaterEqual(found['score'], 0.6)
        self.assertEqual(found['idle_requirements'], [])

    def test_an_emptied_contract_scores_nothing(self):
        name, low, high = make.moving_signal(self)
        self.spec(make.connector(name, 'output', '<ssc:Float64 unit="m"/>'))
        found = self.score()
        self.assertEqual((found['score'], found['caught']), (0, 0))
        self.assertGreaterEqual(found['seeded'], 5)
        self.spec(make.connector(name, 'output', '<ssc:Float64 unit="m"/>', min=-1e300, max=1e300, requirement='WIDE'))
        found = self.score()
        self.assertEqual((found['score'], found['idle_requirements']), (0, ['WIDE']))

    def test_a_delay_is_caught_by_an_age(self):
        name, low, high = make.moving_signal(self)
        self.spec(make.connector(name, 'output', '<ssc:Float64 unit="m"/>', min=-1e300, max=1e300, maximalAge='0.05',
                                 ageFrom='right.x', requirement='AGE'))
        found = self.score(f'--mutate=left.{name}')
        caught = {item['kind']: item['requirements'] for item in found['mutations']}
        self.assertEqual(caught['delay'], ['AGE'])
        self.assertEqual(caught['scale'], [])

    def test_what_stands_still_shows_no_error(self):
        self.write('spec.ssd', make.ssd([make.connector('Float64_continuous_output', 'output', '<ssc:Float64/>', min=-1, max=1)],
                                        component='unit'))
        done = self.tandem('check', os.path.join(FMUS, 'feedthrough.fmu'), '--against', 'spec.ssd', '--mutate=Float64_continuous_output',
                           '--stop', '1')
        self.assertEqual(done.returncode, 0, done.stderr)
        for kind in ('sign', 'unit', 'scale', 'delay'):
            self.assertRegex(done.stdout, rf'(?m)^{kind} +\S+ +no effect: ')

    def test_a_system_that_breaks_its_specification_comes_first(self):
        name, low, high = make.moving_signal(self)
        self.spec(make.connector(name, 'output', '<ssc:Float64 unit="m"/>', min=low, max=(low + high) / 2, requirement='TWO-2'))
        done = self.mutated()
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"error\[contract\]: spec\.ssd:\d+: 'left\.\S+' outside its range without any seeded error")

    def test_what_is_asked_for_must_be_there(self):
        name, low, high = make.moving_signal(self)
        self.spec(make.connector(name, 'output', '<ssc:Float64 unit="m"/>', min=low - 1, max=high + 1))
        self.refused(r"error\[unknown-name\]: --mutate: 'right\.\*' matches no real output", 'check', self.two_mass(), '--against',
                     'spec.ssd', '--mutate=right.*')
        self.refused('--mutate', 'check', self.two_mass(), '--mutate')


if __name__ == '__main__':
    main()
