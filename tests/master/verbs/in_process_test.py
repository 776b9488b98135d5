"""A run in its own process and one without (--in-process) give the same bits: every example, every kind of unit, with threads.

usage: in_process_test.py TANDEM FMUS TEST_FMUS EXAMPLES [-k PART ...] [--list] [--keep]; TANDEM_LONG=1 adds the excavator
"""
import pathlib
import re
import shutil
import sys

from bad_conditions import LONG, main


def staged(place, source):
    """A copy of a folder of systems with the units of this build."""
    folder = place.folder / source.name
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns('*.fmu'))
    (folder / 'resources').mkdir(exist_ok=True)
    for system in folder.glob('*.ssd'):
        for unit in re.findall(r'source="resources/(\w+\.fmu)"', system.read_text()):
            if (place.options.fmus / unit).exists():
                shutil.copy(place.options.fmus / unit, folder / 'resources')
    return folder


def compare(place, system, *options):
    found = []
    for extra in ((), ('--in-process',)):
        place.out = place.folder / f'o{len(found)}'
        command = [place.options.tandem, 'run', str(system), '--out', str(place.out), *options, *extra]
        done = place.wait(place.start(command), timeout=300)
        place.check(done.code == 0, f'{extra}: {done}')
        result = place.out / 'results.csv'
        if place.check(result.exists(), f'{extra}: no result'):
            found.append(result.read_bytes())
        place.check_clean()
    if len(found) == 2:
        place.check(found[0] == found[1], 'the results differ')
        place.check(found[0].count(b'\n') > 10, 'hardly any rows')


def example(source, name, *options):
    def work(place):
        compare(place, staged(place, source) / name, *options)
    return work


def counted(interface, *options):
    def work(place):
        compare(place, place.system(interface), '--step', '0.001', *options)
    return work


def threaded(place):
    """Two units with enough work for two threads."""
    unit = place.options.test_fmus / 'costly_fmi2.fmu'
    system = place.folder / 'two.ssd'
    system.write_text(
        '<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" '
        f'name="two"><System name="two"><Elements><Component name="a" source="{unit}"/><Component name="b" source="{unit}"/>'
        '</Elements><Connections><Connection startElement="a" startConnector="y" endElement="b" endConnector="u"/>'
        '<Connection startElement="b" startConnector="y" endElement="a" endConnector="u"/></Connections></System>'
        '<DefaultExperiment startTime="0" stopTime="0.1"/></SystemStructureDescription>\n')
    compare(place, system, '--threads', '2', '--algorithm', 'jacobi')


def cases():
    rows = [(f'counter-{interface}', counted(interface)) for interface in ('fmi2', 'fmi3', 'me')]
    rows += [('counter-gauss-seidel', counted('fmi2', '--algorithm', 'gauss-seidel')), ('threads', threaded)]
    examples = pathlib.Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else pathlib.Path('examples')
    for system in sorted(examples.glob('*/*.ssd')):
        if 'resources/hydraulics_modelica' in system.read_text() or 'modelica' in system.name:
            continue  # its unit is built on request
        long_ones = ('fidelities', 'swap_hydraulics', 'boom_coupling')
        stop = ('--stop', '2') if system.parent.name in long_ones and not LONG else ()
        rows.append((f'{system.parent.name}-{system.stem}', example(system.parent, system.name, *stop)))
    if LONG:
        excavator = examples.parent / 'config' / 'excavator'
        for name in ('manual', 'manual_simple'):
            rows.append((f'excavator-{name}', example(
                excavator, f'{name}.ssd', '--scenario', str(excavator / 'working_cycle.xml'), '--stop', '8')))
    return rows


if __name__ == '__main__':
    main(cases())
