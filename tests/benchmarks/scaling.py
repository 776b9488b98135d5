"""What a wire and a variable cost: `check`, `inspect` and `run` of systems that grow by a factor of ten.

Two systems, both made here: two units with WIRES connections between them (and as many inputs and outputs each), and one unit with
VARIABLES variables, most of them locals and parameters. What grows beyond a system of ten must grow in proportion, within a factor of
1.5. Quick: instructions counted by valgrind in every process of the command, 100 to 1000 wires and 250 to 2500 variables; `check` is
what a run begins with and not counted by itself. Otherwise CPU time of 1e4 to 1e5 wires and 1e5 to 1e6 variables, which must also stay
within seconds.

usage: scaling.py TANDEM TEST_FMUS [--quick]
       scaling.py TANDEM TEST_FMUS --write FOLDER WIRES|VARIABLES COUNT     only makes the system
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

MOST_RATIO = 1.5     # growth of the cost over growth of the system
MOST_SECONDS = 20.0  # of CPU, 1e5 wires or 1e6 variables
SMALLEST = 10        # what does not grow is taken from a system of this size
SIZES = {'quick': {'variables': (250, 2_500), 'wires': (100, 1_000)},
         'full': {'variables': (100_000, 1_000_000), 'wires': (10_000, 100_000)}}
OUTPUTS = 10         # of the unit with many variables


def variable(name, reference, causality, variability, rest, start):
    value = f'<Real start="{start}"/>' if start is not None else '<Real/>'
    return (f'<ScalarVariable name="{name}" valueReference="{reference}" causality="{causality}" '
            f'variability="{variability}"{rest}>{value}</ScalarVariable>\n')


def pair(i):
    """An input and the output behind it."""
    return (variable(f'u{i}', 2 * i, 'input', 'continuous', '', 0)
            + variable(f'y{i}', 2 * i + 1, 'output', 'continuous', ' initial="calculated"', None))


def inner(i):
    """A parameter and a local variable, in a tree of names as tools write them."""
    name = f'part{i // 1000}.section{i // 10 % 100}.x{i % 10}'
    return (variable(f'{name}.size', 2 * i, 'parameter', 'tunable', '', 1)
            + variable(f'{name}.flow', 2 * i + 1, 'local', 'continuous', ' initial="calculated"', None))


def write_unit(path, library, pairs, inners=0):
    """An FMU with 2 * pairs + 2 * inners variables around the library of wide_fmi2."""
    listed = ''.join(f'<Unknown index="{2 * i + 2}" dependencies=""/>' for i in range(pairs))
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('modelDescription.xml',
                         '<?xml version="1.0" encoding="UTF-8"?>\n'
                         '<fmiModelDescription fmiVersion="2.0" modelName="wide" guid="tandem-test">\n'
                         '<CoSimulation modelIdentifier="wide_fmi2" canHandleVariableCommunicationStepSize="true"/>\n'
                         '<DefaultExperiment startTime="0" stopTime="0.2" stepSize="0.1"/>\n<ModelVariables>\n'
                         + ''.join(pair(i) for i in range(pairs))
                         + ''.join(inner(i) for i in range(pairs, pairs + inners))
                         + f'</ModelVariables>\n<ModelStructure><Outputs>{listed}</Outputs>'
                           f'<InitialUnknowns>{listed}</InitialUnknowns></ModelStructure>\n</fmiModelDescription>\n')
        archive.writestr('binaries/linux64/wide_fmi2.so', library)


def write_wires(folder, library, count):
    """Two units, `count` wires from the outputs of one to the inputs of the other, not in the order of the variables."""
    path = pathlib.Path(folder) / f'wires_{count}'
    (path / 'resources').mkdir(parents=True)
    write_unit(path / 'resources' / 'wide.fmu', library, count)
    connectors = ''.join(f'<ssd:Connector name="{name}{i}" kind="{kind}"><ssc:Real/></ssd:Connector>\n'
                         for i in range(count) for name, kind in (('u', 'input'), ('y', 'output')))
    step = next(step for step in (7, 11, 13) if count % step)  # prime to the count: every input has one source
    wires = ''.join(f'<ssd:Connection startElement="a" startConnector="y{i * step % count}" '
                    f'endElement="b" endConnector="u{i}"/>\n' for i in range(count))
    with open(path / 'SystemStructure.ssd', 'w') as file:
        file.write('<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
                   'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="wires">\n'
                   '<ssd:System name="wires"><ssd:Elements>\n')
        for name in 'ab':
            file.write(f'<ssd:Component name="{name}" source="resources/wide.fmu"><ssd:Connectors>\n{connectors}'
                       '</ssd:Connectors></ssd:Component>\n')
        file.write(f'</ssd:Elements><ssd:Connections>\n{wires}</ssd:Connections></ssd:System>\n'
                   '<ssd:DefaultExperiment startTime="0" stopTime="0.2"/></ssd:SystemStructureDescription>\n')
    return path


def write_variables(folder, library, count):
    path = pathlib.Path(folder) / f'variables_{count}.fmu'
    pairs = min(OUTPUTS, count // 2)
    write_unit(path, library, pairs, count // 2 - pairs)
    return path


WRITERS = {'wires': write_wires, 'variables': write_variables}
VERBS = {'quick': {'wires': ('run',), 'variables': ('inspect', 'run')},
         'full': {'wires': ('check', 'run'), 'variables': ('inspect', 'check', 'run')}}


def library_of(fmus):
    with zipfile.ZipFile(pathlib.Path(fmus) / 'wide_fmi2.fmu') as archive:
        return archive.read('binaries/linux64/wide_fmi2.so')


class Bench:
    def __init__(self, tandem, folder):
        self.tandem, self.folder = tandem, pathlib.Path(folder)
        self.environment = os.environ | {'XDG_CACHE_HOME': str(self.folder / 'cache')}

    def command(self, verb, path):
        extra = ['--out', self.folder / 'out', '--shadow', 'off', '--quiet'] if verb == 'run' else []
        return [self.tandem, verb, path, *extra]

    def seconds(self, verb, path, repeats):
        """CPU time of all its processes, the least of some repeats."""
        return min(self.seconds_once(self.command(verb, path)) for _ in range(repeats))

    def seconds_once(self, command):
        with open(self.folder / 'said', 'w+') as said:
            process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=self.environment)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                said.seek(0)
                sys.exit(f'{command}: {said.read()[:2000]}')
        return usage.ru_utime + usage.ru_stime

    def instructions(self, verb, path):
        """Of all processes of the command, with a library that was tried out before."""
        self.seconds_once(self.command(verb, path))
        with tempfile.TemporaryDirectory(dir=self.folder) as logs:
            done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null',
                                   '--trace-children=yes', f'--log-file={logs}/%p', *self.command(verb, path)],
                                  capture_output=True, text=True, env=self.environment)
            counts = [int(count) for log in pathlib.Path(logs).iterdir()
                      for count in re.findall(r'Collected : (\d+)', log.read_text())]
        if done.returncode != 0 or not counts:
            sys.exit(f'{verb} {path}: {done.stdout[-1000:]}{done.stderr[-1000:]}')
        return sum(counts)


def main():
    if len(sys.argv) == 7 and sys.argv[3] == '--write':
        print(WRITERS[sys.argv[5].lower()](sys.argv[4], library_of(sys.argv[2]), int(float(sys.argv[6]))))
        return
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ['--quick']):
        sys.exit(__doc__)
    quick = len(sys.argv) == 4
    extent = 'quick' if quick else 'full'
    library = library_of(sys.argv[2])
    failed = []
    with tempfile.TemporaryDirectory(prefix='tandem-scaling-') as folder:
        bench = Bench(os.path.abspath(sys.argv[1]), folder)
        print(f'{"":22}{"base":>12}{"n":>12}{"10 n":>12}{"per item, 10 n / n":>20}')
        for kind, (small, large) in SIZES[extent].items():
            paths = [WRITERS[kind](folder, library, count) for count in (SMALLEST, small, large)]
            for verb in VERBS[extent][kind]:
                if quick:
                    costs = [bench.instructions(verb, path) for path in paths]
                    shown = [f'{cost / 1e6:.1f} M' for cost in costs]
                else:
                    costs = [bench.seconds(verb, path, repeats) for path, repeats in zip(paths, (5, 3, 1))]
                    shown = [f'{cost:.3f} s' for cost in costs]
                ratio = (costs[2] - costs[0]) / (costs[1] - costs[0]) * small / large
                name = f'{kind} {small:.0e}, {verb}'
                print(f'{name:22}' + ''.join(f'{text:>12}' for text in shown) + f'{ratio:20.2f}', flush=True)
                if ratio > MOST_RATIO:
                    failed.append(f'{name}: the cost of one grows by {ratio:.2f} from {small} to {large}, '
                                  f'at most {MOST_RATIO}')
                if not quick and costs[2] > MOST_SECONDS:
                    failed.append(f'{name}: {costs[2]:.1f} s of CPU for {large}, at most {MOST_SECONDS}')
    if failed:
        sys.exit('\n'.join(failed))


if __name__ == '__main__':
    main()
