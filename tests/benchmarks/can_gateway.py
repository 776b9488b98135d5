"""What a CAN bus costs: instructions per step of 1 ms of both ends of the control bus, of the bus simulation between them
and of the master, which meets the units at the ends of frames. Counted by valgrind; reported only.

usage: can_gateway.py TANDEM FMUS REPOSITORY
"""
import pathlib
import shutil
import sys
import tempfile

from measure import Bench

SPAN = (0.5, 1.0)            # s
MESSAGES = 5 * 50            # per second
UNITS = {'computer': 'can_control', 'bus': 'can_bus', 'controller': 'can_control'}
NODES = {'computer': 'Computer', 'controller': 'Ecu'}


def system():
    """The control bus alone; what no wire drives has its start value."""
    parameters = {name: '<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>'
                        f'<ssv:ParameterSet version="1.0" name="{name}"><ssv:Parameters><ssv:Parameter name="nodes">'
                        f'<ssv:String value="{node}"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>'
                        '</ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>'
                  for name, node in NODES.items()}
    elements = ''.join(f'<ssd:Component name="{name}" source="resources/{unit}.fmu">{parameters.get(name, "")}</ssd:Component>'
                       for name, unit in UNITS.items())
    wires = ''.join(f'<ssd:Connection startElement="{a}" startConnector="{x}.Tx_{kind}" endElement="{b}" '
                    f'endConnector="{y}.Rx_{kind}"/>'
                    for kind in ('Data', 'Clock') for number, unit in enumerate(NODES, 1)
                    for a, x, b, y in ((unit, 'Bus', 'bus', f'Node{number}'), ('bus', f'Node{number}', unit, 'Bus')))
    return ('<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
            'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="control">'
            f'<ssd:System name="control"><ssd:Elements>{elements}</ssd:Elements><ssd:Connections>{wires}'
            '</ssd:Connections></ssd:System></ssd:SystemStructureDescription>')


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    tandem, fmus, _ = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'resources').mkdir()
        for unit in set(UNITS.values()):
            shutil.copy(fmus / f'{unit}.fmu', folder / 'resources')
        (folder / 'control.ssd').write_text(system())
        bench = Bench(tandem, folder, folder, '--record', 'none', '--shadow', 'off', '--step', '0.001')
        counts = bench.per_step('control', SPAN)
    whole = sum(counts.values())
    print(f'control bus, {MESSAGES} frames per second: {whole:,.0f} instructions per step of 1 ms')
    for unit, count in sorted(counts.items(), key=lambda item: -item[1]):
        if count > 0.003 * whole:
            print(f'  {unit:<24} {count:>10,.0f} {100 * count / whole:5.1f} %')
    gateway = next((count for unit, count in counts.items() if 'can_control' in unit), 0)
    if gateway <= 0:
        sys.exit('nothing was counted in the gateway')
    print(f'gateway: {gateway / 2:,.0f} instructions per step each, {gateway / 2 * 1000 / MESSAGES:,.0f} per frame')


if __name__ == '__main__':
    main()
