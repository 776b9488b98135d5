"""Pairs of interfaces for the tests of `check --against`: a specification, the unit that fits it, a dictionary and a bus, each with changes."""
import os

import interfaces as make
from command_line import CommandLine

PASCAL, BAR = '<ssc:Float64 unit="Pa"/>', '<ssc:Float64 unit="bar"/>'
MODE = '<ssc:Enumeration name="Mode"/>'
VECTOR = '<ssc:Float64/><ssc:Dimension size="3"/>'

# The specification, connector by connector; a case replaces, adds (a new name) or removes (None) some.
SPEC = {
    'command': ('input', '<ssc:Float64/>', {'min': -1, 'max': 1}),
    'mode': ('input', MODE, {}),
    'pressure': ('output', PASCAL, {'min': 0, 'max': 3e7, 'nominal': 1e7, 'dependsOn': ''}),
    'count': ('output', '<ssc:Int32/>', {}),
    'curve': ('output', VECTOR, {}),
    'gain': ('parameter', '<ssc:Float64/>', {'start': 2}),
}
# The unit that fits it: causality, kind, content, attributes.
UNIT = {
    'command': ('input', 'Float64', '', {'min': -1, 'max': 1, 'start': 0}),
    'mode': ('input', 'Enumeration', '', {'declaredType': 'Mode', 'start': 0}),
    'pressure': ('output', 'Float64', '', {'unit': 'Pa', 'min': 0, 'max': 3e7, 'nominal': 1e7}),
    'count': ('output', 'Int32', '', {}),
    'curve': ('output', 'Float64', '<Dimension start="3"/>', {}),
    'gain': ('parameter', 'Float64', '', {'variability': 'fixed', 'start': 2}),
}
BUS = {
    'Speed': 'Speed : 0|16@1+ (0.01,0) [0|655.35] "m/s" Ecu',
    'Torque': 'Torque : 16|16@1- (0.5,0) [-16384|16383.5] "N" Ecu',
    'Gear': 'Gear : 32|4@1+ (1,0) [0|8] "" Ecu',
}
GEARS = 'VAL_ 256 Gear 0 "neutral" 1 "first" 15 "not available" ;\n'
EXCHANGED = {'min': 0, 'max': 600}
BEAT = {'period': '0.01', 'jitter': '0.001'}
SPEED_ALONE = {'Torque': None, 'Gear': None}


def changed(base, changes):
    return {name: value for name, value in {**base, **changes}.items() if value is not None}


def spec(changes=(), **options):
    items = changed(SPEC, dict(changes))
    return 'spec.ssd', make.ssd([make.connector(name, kind, inner, **values)
                                 for name, (kind, inner, values) in items.items()], **options)


def unit(changes=(), feedthrough=None, **options):
    items = changed(UNIT, dict(changes))
    references = {name: i for i, name in enumerate(items, 1)}
    variables = [make.variable(name, causality, references[name], kind, inner, **attributes)
                 for name, (causality, kind, inner, attributes) in items.items()]
    outputs = [(references[name], None if feedthrough == 'unstated' else
                ' '.join(str(references[other]) for other in (feedthrough or {}).get(name, ())))
               for name, (causality, *_) in items.items() if causality == 'output']
    return 'pump.fmu', lambda path: make.fmu(path, variables, outputs, **options)


def entries(changes=()):
    base = {'command': ('<ssc:Float64/>', {}), 'pressure': (PASCAL, {'min': 0, 'max': 3e7})}
    return 'words.ssb', make.ssb([make.entry(name, inner, **values)
                                  for name, (inner, values) in changed(base, dict(changes)).items()])


def bus(changes=(), file='bus.dbc', **options):
    options.setdefault('more', GEARS)
    return file, make.dbc(list(changed(BUS, dict(changes)).values()), **options)


def words(**values):
    """A dictionary for the speed on the bus."""
    return 'speed.ssb', make.ssb([make.entry('Speed', '<ssc:Float64 unit="m/s"/>', **{**EXCHANGED, **values})])


def old(case):
    """The same under another name, to be the newer of two versions."""
    name, content = case
    return 'newer_' + name, content


def output(inner, **values):
    return ('output', inner, values)


class Pairs(CommandLine):
    def put(self, case, folder):
        name, content = case
        path = os.path.join(self.folder, folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if callable(content):
            content(path)
        else:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(content)
        return os.path.join(folder, name)

    def checked(self, first, second, *options):
        return self.tandem('check', self.put(first, 'a'), '--against', self.put(second, 'b'), *options)

    def find_errors(self, errors):
        """Each: the pair, the code of the finding, its class, and words of its message."""
        for name, (first, second, code, breaking, words) in errors.items():
            with self.subTest(name):
                done = self.checked(first, second)
                kind = 'breaking' if breaking else 'compatible'
                lines = [line for line in done.stdout.splitlines() if line.startswith(f'{kind}[{code}]')]
                self.assertTrue(lines, done.stdout + done.stderr)
                self.assertRegex('\n'.join(lines), words)
                self.assertEqual(done.returncode, 3 if breaking else 0, done.stdout)

    def find_nothing(self, pairs):
        for name, (first, second) in pairs.items():
            with self.subTest(name):
                done = self.checked(first, second)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r'ok, \d+ compared, 0 breaking, 0 compatible')
