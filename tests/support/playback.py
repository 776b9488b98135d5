"""A system that plays a log of CAN frames: to a listener that is connected directly, or over a bus."""

SYSTEM = '''<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="playback">
  <ssd:System name="playback"><ssd:Elements>
    <ssd:Component name="player" source="{units}/can_player.fmu"><ssd:ParameterBindings><ssd:ParameterBinding>
      <ssd:ParameterValues><ssv:ParameterSet version="1.0" name="player"><ssv:Parameters>
        <ssv:Parameter name="file"><ssv:String value="{log}"/></ssv:Parameter>
        <ssv:Parameter name="interface"><ssv:String value="{interface}"/></ssv:Parameter>
        <ssv:Parameter name="start"><ssv:Real value="{start}"/></ssv:Parameter>
      </ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings></ssd:Component>
    <ssd:Component name="listener" source="{units}/can_recorder.fmu"/>{bus}
  </ssd:Elements><ssd:Connections>{wires}</ssd:Connections></ssd:System>
  <ssd:DefaultExperiment startTime="0" stopTime="{stop}"/>
</ssd:SystemStructureDescription>'''


def wires(one, other):
    """Both directions between two terminals, (unit, terminal) each."""
    return ''.join(f'<ssd:Connection startElement="{a[0]}" startConnector="{a[1]}.Tx_{kind}" endElement="{b[0]}" '
                   f'endConnector="{b[1]}.Rx_{kind}"/>' for kind in ('Data', 'Clock') for a, b in ((one, other), (other, one)))


def system(units, log, stop, interface='', start=0, over_bus=False):
    """The text of its description; `units` is the folder of the FMUs."""
    player, listener = ('player', 'Bus'), ('listener', 'Bus')
    joined = wires(player, ('bus', 'Node1')) + wires(listener, ('bus', 'Node2')) if over_bus else wires(player, listener)
    bus = f'<ssd:Component name="bus" source="{units}/can_bus.fmu"/>' if over_bus else ''
    return SYSTEM.format(units=units, log=log, stop=stop, interface=interface, start=start, bus=bus, wires=joined)
