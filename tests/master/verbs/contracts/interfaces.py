"""Small interfaces as files, for the tests of `check --against`: FMUs, system descriptions, dictionaries and buses."""
import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the tests of verbs share a command line

SSP = ('xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
       'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" '
       'xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary" xmlns:t="urn:tandem:cosim:1"')
UNITS = ('<ssc:Unit name="Pa"><ssc:BaseUnit kg="1" m="-1" s="-2"/></ssc:Unit>'
         '<ssc:Unit name="bar"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="1e5"/></ssc:Unit>'
         '<ssc:Unit name="N"><ssc:BaseUnit kg="1" m="1" s="-2"/></ssc:Unit>')
MODES = (('off', 0), ('slow', 1), ('fast', 2))


def annotation(inner, space='ssd'):
    return (f'<{space}:Annotations><ssc:Annotation type="io.tandem.cosim">{inner}</ssc:Annotation>'
            f'</{space}:Annotations>') if inner else ''


def contract(**values):
    """`depends_on` and the like in the words of the schema are given as they are."""
    return '<t:Contract ' + ' '.join(f'{name}="{value}"' for name, value in values.items()) + '/>' if values else ''


def connector(name, kind, inner='<ssc:Float64/>', **values):
    return (f'<ssd:Connector name="{name}" kind="{kind}">{inner}{annotation(contract(**values))}</ssd:Connector>\n')


def enumerations(items=MODES):
    return ('<ssd:Enumerations><ssc:Enumeration name="Mode">'
            + ''.join(f'<ssc:Item name="{name}" value="{value}"/>' for name, value in items)
            + '</ssc:Enumeration></ssd:Enumerations>')


def ssd(connectors, requires='', items=MODES, units=UNITS, component='pump'):
    """A specification: one component without a source."""
    inner = f'<t:Component><t:Requires {requires}/></t:Component>' if requires else ''
    return (f'<ssd:SystemStructureDescription {SSP} version="2.0" name="spec">\n<ssd:System name="spec">\n<ssd:Elements>\n'
            f'<ssd:Component name="{component}"><ssd:Connectors>\n{"".join(connectors)}</ssd:Connectors>'
            f'{annotation(inner)}</ssd:Component>\n</ssd:Elements></ssd:System>\n{enumerations(items)}'
            f'<ssd:Units>{units}</ssd:Units>\n</ssd:SystemStructureDescription>\n')


def entry(name, inner='<ssc:Float64/>', **values):
    return (f'<ssb:DictionaryEntry name="{name}">{inner}{annotation(contract(**values), "ssb")}</ssb:DictionaryEntry>\n')


def ssb(entries):
    return (f'<ssb:SignalDictionary {SSP} version="2.0">\n{"".join(entries)}<ssb:Units>{UNITS}</ssb:Units>\n'
            '</ssb:SignalDictionary>\n')


def variable(name, causality, reference, kind='Float64', inner='', **attributes):
    words = ' '.join(f'{key}="{value}"' for key, value in attributes.items())
    return f'<{kind} name="{name}" valueReference="{reference}" causality="{causality}" {words}>{inner}</{kind}>\n'


def fmu(path, variables, outputs, items=MODES, platform='x86_64-linux', flags='canGetAndSetFMUState="true" '
        'canHandleVariableCommunicationStepSize="true"', step='0.001'):
    """An FMI 3 unit: description and an empty library. `outputs`: reference and what it depends on, or None."""
    structure = ''.join(f'<Output valueReference="{reference}"'
                        + ('' if depends is None else f' dependencies="{depends}"') + '/>' for reference, depends in outputs)
    modes = ''.join(f'<Item name="{name}" value="{value}"/>' for name, value in items)
    text = ('<fmiModelDescription fmiVersion="3.0" modelName="pump" instantiationToken="{pump}">'
            f'<CoSimulation modelIdentifier="pump" {flags}/>'
            '<UnitDefinitions><Unit name="Pa"><BaseUnit kg="1" m="-1" s="-2"/></Unit>'
            '<Unit name="bar"><BaseUnit kg="1" m="-1" s="-2" factor="1e5"/></Unit>'
            '<Unit name="N"><BaseUnit kg="1" m="1" s="-2"/></Unit></UnitDefinitions>'
            f'<TypeDefinitions><EnumerationType name="Mode">{modes}</EnumerationType></TypeDefinitions>'
            f'<DefaultExperiment stepSize="{step}"/><ModelVariables>'
            '<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>'
            f'{"".join(variables)}</ModelVariables><ModelStructure>{structure}</ModelStructure></fmiModelDescription>')
    ending = 'dll' if 'windows' in platform else 'so'
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('modelDescription.xml', text)
        archive.writestr(f'binaries/{platform}/pump.{ending}', b'')


def dbc(signals, identifier=256, size=8, name='Drive', cycle=20, sender='Computer', more=''):
    """One message; each signal as the DBC writes it behind SG_."""
    lines = ''.join(f' SG_ {signal}\n' for signal in signals)
    return (f'VERSION ""\n\nBS_:\n\nBU_: Computer Ecu\n\nBO_ {identifier} {name}: {size} {sender}\n{lines}\n'
            'BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;\nBA_DEF_DEF_ "GenMsgCycleTime" 0;\n'
            f'BA_ "GenMsgCycleTime" BO_ {identifier} {cycle};\n{more}')


def moving_signal(test):
    """A signal of the example of two masses that moves, and where it was."""
    done = test.tandem('run', test.two_mass(), '--out', 'plain', '--shadow', 'off', '--quiet')
    test.assertEqual(done.returncode, 0, done.stderr)
    rows = test.rows('plain/results.csv')
    name = next(name for name in rows[0] if name.startswith('left.x'))
    values = [float(row[name]) for row in rows]
    return name.removeprefix('left.'), min(values), max(values)
