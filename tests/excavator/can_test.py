"""The demolition over the control bus: as over wires, with its loads and latencies, and stopped safely when the bus fails.

usage: can_test.py TANDEM FMUS PROJECT [...]; TANDEM_LONG=1 demolishes the whole segment, over wires, over CAN, and over CAN with bit errors.
"""
import csv
import os
import re
import shutil
import struct
import subprocess

import cantools
from support import FMUS, REPOSITORY, TANDEM, AXES, StagedTest, main, run

FIRST_BITE = 9.0             # s, the first bite is done
VOLUME = 0.01                # over CAN the same volume within this share
MESSAGES = ('Control', 'TrajectoryBoom', 'TrajectoryTool', 'TrajectoryTravel', 'Status')
IDS = (0x100, 0x110, 0x111, 0x112, 0x180)
CYCLE = 0.02                 # s, of each of them
LONGEST_FRAME = 135 / 250e3  # s, eight bytes with every stuff bit, without the intermission
NONE, WRONG_CHECKSUM, MISSING, TIMEOUT, SENSOR_LOST, BUS_OFF = 0, 1, 3, 4, 5, 6   # StopReason
STOPPED_BY_CONTROLLER, FAULT = 17, 3    # phase, status
LONG = bool(os.environ.get('TANDEM_LONG'))
RECORD = ('bus1.load', 'bus1.frames', 'bus1.errors', 'bus2.load', 'bus2.mean_load', 'bus2.frames', 'bus2.errors', 'bus2.message.*', 'controller.stop.*',
          'controller.stops', 'controller.faults', 'controller.overruns', 'controller.message.*', 'controller.frames.*',
          'controller.received.*', 'computer.received.*', 'computer.stop.*', 'computer.frames.*', 'automation.*',
          'ecu.*.command', 'wall.removed')


def options(stop, settings=(), record=RECORD, interval=0.01):
    chosen = ['--quiet', '--stop', stop, '--record-interval', interval]
    for pattern in record:
        chosen += ['--record', pattern]
    for setting in settings:
        chosen += ['--set', setting]
    return chosen


class CanTest(StagedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for unit in ('can_player', 'can_recorder'):
            shutil.copy(FMUS / f'{unit}.fmu', cls.systems / 'resources')

    def scenario(self, *signals):
        file = self.systems / 'fault.xml'
        file.write_text('<Scenario xmlns="urn:tandem:scenario:1">' + ''.join(
            f'<Signal name="{name}"><At t="0" value="{before}"/><At t="{t}" value="{after}"/></Signal>'
            for name, t, before, after in signals) + '</Scenario>')
        return '--scenario', file

    def with_node(self, name, unit, parameters, bus='bus2'):
        """The system with another unit at the third terminal of that bus."""
        text = (self.systems / 'can.ssd').read_text()
        given = ''.join(f'<ssv:Parameter name="{key}"><ssv:{kind} value="{value}"/></ssv:Parameter>'
                        for key, (kind, value) in parameters.items())
        component = (f'<ssd:Component name="{name}" source="resources/{unit}.fmu"><ssd:ParameterBindings><ssd:ParameterBinding>'
                     f'<ssd:ParameterValues><ssv:ParameterSet version="2.0" name="{name}"><ssv:Parameters>{given}'
                     '</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>'
                     '</ssd:ParameterBindings></ssd:Component>')
        wires = ''.join(f'<ssd:Connection startElement="{a}" startConnector="{x}.Tx_{kind}" endElement="{b}" '
                        f'endConnector="{y}.Rx_{kind}"/>'
                        for kind in ('Data', 'Clock') for a, x, b, y in ((name, 'Bus', bus, 'Node3'),
                                                                         (bus, 'Node3', name, 'Bus')))
        text = text.replace('</ssd:Elements>', component + '</ssd:Elements>')
        text = text.replace('</ssd:Connections>', wires + '</ssd:Connections>')
        text = re.sub(rf'(\w+ {bus} )', rf'{name} \1', text)  # in the order of the units
        system = self.systems / f'{name}.ssd'
        system.write_text(text)
        return system

    def check_stopped(self, result, reason, within):
        """The controller stops at a time within `within`, for good, and the valves are closed at the end; gives the first row."""
        begin, end = within
        first = next(row for row, found in enumerate(result['controller.stop.reason']) if found != NONE)
        self.assertEqual(result['controller.stop.reason'][first], reason)
        self.assertTrue(begin <= result['controller.stop.time'][first] <= end, result['controller.stop.time'][first])
        self.assertFalse(any(result['controller.received.enable'][first:]))
        for axis in AXES:
            self.assertEqual(result[f'ecu.{axis}.command'][-1], 0, axis)
        return first

    def test_is_as_over_wires(self):
        """The first bite, or the whole segment."""
        until = 500 if LONG else FIRST_BITE
        wires, bus = (run(TANDEM, self.systems / system, *options(until, record=record))
                      for system, record in (('SystemStructure.ssd', ('wall.removed', 'automation.*')),
                                             ('can.ssd', RECORD)))
        removed = wires['wall.removed'][-1]
        self.assertGreater(removed, 4 if LONG else 0.05)
        self.check_as(bus, wires)
        # All five messages in every cycle, behind each other at worst.
        load = bus['bus2.load'][-1]
        self.assertTrue(5 * 111 / 250e3 / CYCLE < load < 5 * 138 / 250e3 / CYCLE, load)
        for number, message in enumerate(MESSAGES, 1):
            latency = bus[f'bus2.message.latency[{number}]'][-1]
            frames = bus[f'bus2.message.frames[{number}]'][-1]
            self.assertTrue(108 / 250e3 <= latency <= 5 * LONGEST_FRAME, f'{message}: {latency}')
            self.assertAlmostEqual(frames, bus.time[-1] / CYCLE, delta=1.5, msg=message)
        # The lowest identifier waits for one frame at most.
        self.assertLessEqual(bus['bus2.message.latency[1]'][-1], 2 * LONGEST_FRAME)
        print(f'{wires.seconds:.1f} s of CPU over wires; ', end='')
        self.tell('over CAN', bus)
        if LONG:
            self.check_with_bit_errors(wires, bus)

    def check_as(self, bus, wires):
        """The same volume, and no reason to stop."""
        removed = wires['wall.removed'][-1]
        self.assertAlmostEqual(bus['wall.removed'][-1], removed, delta=VOLUME * removed)
        self.assertEqual(bus['automation.phase'][-1], wires['automation.phase'][-1])
        self.assertEqual(bus['controller.stops'][-1], 0)
        self.assertEqual(bus['controller.faults'][-1], 0)

    def check_with_bit_errors(self, wires, calm):
        """One frame in a hundred is destroyed, on both buses: it comes later, and nothing is lost."""
        hit = run(TANDEM, self.systems / 'can.ssd',
                  *options(500, ['bus1.error_share=0.01', 'bus2.error_share=0.01']))
        self.check_as(hit, wires)
        for bus in ('bus1', 'bus2'):
            share = hit[f'{bus}.errors'][-1] / hit[f'{bus}.frames'][-1]
            self.assertTrue(0.009 < share < 0.011, f'{bus}: {share}')
        for number, message in enumerate(MESSAGES, 1):
            name = f'bus2.message.latency[{number}]'
            self.assertGreater(hit[name][-1], calm[name][-1], message)
            if message != 'Status':
                frames = hit[f'bus2.message.frames[{number}]'][-1]
                self.assertAlmostEqual(hit[f'controller.message.{message}.count'][-1], frames, delta=1, msg=message)
        self.tell('with bit errors', hit)

    def tell(self, how, bus):
        latencies = ', '.join(f'{message} {1e3 * bus[f"bus2.message.latency[{number}]"][-1]:.3f}'
                              for number, message in enumerate(MESSAGES, 1))
        print(f'{how}: removed {bus["wall.removed"][-1]:.4f} m3 in {bus.time[-1]:.1f} s; load of bus 1 '
              f'{100 * max(bus["bus1.load"]):.1f} %, of bus 2 {100 * max(bus["bus2.load"]):.1f} %; worst latency in ms: '
              f'{latencies}; {bus.seconds:.1f} s of CPU')

    def test_a_lost_sensor_stops_the_machine_and_is_named(self):
        arm = 3
        result = run(TANDEM, self.systems / 'can.ssd', *options(2.2), *self.scenario(('sensors.silent', 2, 0, arm)))
        self.check_stopped(result, SENSOR_LOST, (2, 2.06))
        self.assertEqual(result['controller.stop.message'][-1], arm)
        self.assertEqual(result['computer.received.stop.reason'][-1], SENSOR_LOST)  # on the bus

    def test_an_id_that_two_sensors_have_stops_the_machine(self):
        adjust = 2
        result = run(TANDEM, self.systems / 'can.ssd', *options(0.3, [f'sensors.boom.node_id={adjust}']))
        self.check_stopped(result, SENSOR_LOST, (0, 0.1))
        self.assertEqual(result['controller.stop.message'][-1], adjust)
        self.assertEqual(result['automation.phase'][-1], STOPPED_BY_CONTROLLER)

    def test_summary_tells_load_and_latency(self):
        result = run(TANDEM, self.systems / 'can.ssd', '--stop', 1.5)
        for line in ('bus 1, highest load', 'bus 1, sensor arm within', 'bus 2, highest load',
                     *(f'bus 2, {message} within' for message in MESSAGES)):
            self.assertIn(line, result.text)

    def test_bit_errors_cost_latency_and_no_data(self):
        calm, hit = (run(TANDEM, self.systems / 'can.ssd', *options(6, [f'bus2.error_share={share}']))
                     for share in (0, 0.01))
        self.assertGreater(hit['bus2.errors'][-1], 5)
        for name in ('controller.stops', 'controller.faults'):
            self.assertEqual(hit[name][-1], 0)
        for message in MESSAGES[:-1]:
            name = f'controller.message.{message}.count'
            self.assertEqual(hit[name][-1], calm[name][-1], message)
        self.assertGreater(hit['bus2.message.latency[5]'][-1], calm['bus2.message.latency[5]'][-1])
        self.assertEqual(hit['automation.phase'][-1], calm['automation.phase'][-1])

    def test_silent_computer(self):
        result = run(TANDEM, self.systems / 'can.ssd', *options(3), *self.scenario(('computer.silent', 2, 'false', 'true')))
        self.check_stopped(result, TIMEOUT, (2.08, 2.12))
        self.assertEqual(result['controller.stop.message'][-1], 0x100)
        self.assertEqual(result['computer.received.stop.reason'][-1], TIMEOUT)  # the reason is on the bus
        self.assertEqual(result['automation.phase'][-1], STOPPED_BY_CONTROLLER)

    def test_silent_controller(self):
        result = run(TANDEM, self.systems / 'can.ssd', *options(3), *self.scenario(('controller.silent', 2, 'false', 'true')))
        self.assertEqual(result['computer.stop.reason'][-1], TIMEOUT)
        self.assertEqual(result['computer.stop.message'][-1], 0x180)
        self.assertEqual(result['automation.phase'][-1], STOPPED_BY_CONTROLLER)
        self.assertEqual(result['ecu.boom.command'][-1], 0)

    def test_babbling_node(self):
        """One that sends the most urgent identifier without a pause: nothing else comes through, until it ends."""
        log = self.systems / 'flood.log'
        log.write_text(''.join(f'({2 + i * 0.0005:.6f}) can0 000#0000000000000000\n' for i in range(1000)))
        system = self.with_node('babbler', 'can_player', {'file': ('String', log), 'start': ('Real', 2)})
        result = run(TANDEM, system, *options(3))
        self.check_stopped(result, TIMEOUT, (2.08, 2.13))
        self.assertIn(TIMEOUT, result['computer.stop.reason'])
        self.assertEqual(result['computer.stop.reason'][-1], NONE)  # its end hears the controller again
        self.assertIn(TIMEOUT, result['computer.received.stop.reason'])
        self.assertEqual(result['automation.phase'][-1], STOPPED_BY_CONTROLLER)
        self.assertGreater(max(result['bus2.load']), 0.5)

    def played(self, name, line, bus):
        """The system with somebody who sends one frame at 2.005 s, in the pause of the others."""
        log = self.systems / f'{name}.log'
        log.write_text(line + '\n')
        return self.with_node(name, 'can_player', {'file': ('String', log), 'start': ('Real', 2.005)}, bus)

    def test_impostor(self):
        """A frame of somebody else under the computer's identifier."""
        result = run(TANDEM, self.played('impostor', '(0.0) can0 100#0011223344556677', 'bus2'), *options(2.5))
        first = self.check_stopped(result, WRONG_CHECKSUM, (2.005, 2.007))
        self.assertEqual(result['controller.stop.message'][first], 0x100)
        self.assertIn(WRONG_CHECKSUM, result['computer.received.stop.reason'])
        self.assertEqual(result['automation.phase'][-1], STOPPED_BY_CONTROLLER)

    def test_a_command_of_a_wrong_length(self):
        result = run(TANDEM, self.played('short', '(0.0) can0 100#001122', 'bus2'), *options(2.5))
        first = self.check_stopped(result, WRONG_CHECKSUM, (2.005, 2.007))
        self.assertEqual(result['controller.stop.message'][first], 0x100)
        self.assertEqual(result['automation.phase'][-1], STOPPED_BY_CONTROLLER)

    def test_a_sensor_value_of_a_wrong_length(self):
        arm = 3
        result = run(TANDEM, self.played('short_sensor', f'(0.0) can0 {0x180 + arm:03X}#00', 'bus1'), *options(2.5))
        first = self.check_stopped(result, SENSOR_LOST, (2.005, 2.02))
        self.assertEqual(result['controller.stop.message'][first], arm)
        self.assertEqual(result['automation.phase'][-1], STOPPED_BY_CONTROLLER)

    def test_receiver_overrun(self):
        result = run(TANDEM, self.systems / 'can.ssd',
                     *options(1, ['controller.receive.period=0.06', 'controller.receive.depth=4']))
        self.assertGreater(result['controller.overruns'][-1], 0)
        self.check_stopped(result, MISSING, (0, 0.25))

    def test_bus_off(self):
        """Every frame is destroyed: the controllers go off the bus."""
        result = run(TANDEM, self.systems / 'can.ssd',
                     *options(3, [f'{unit}.Bus.BusNotifications=true' for unit in ('computer', 'controller')]),
                     *self.scenario(('bus2.error_share', 2, 0, 1)))
        self.check_stopped(result, BUS_OFF, (2.0, 2.1))
        self.assertIn(result['computer.stop.reason'][-1], (TIMEOUT, BUS_OFF))
        self.assertEqual(result['automation.phase'][-1], STOPPED_BY_CONTROLLER)

    def test_cantools_decodes_the_traffic(self):
        """What a listener on the bus writes down, decoded by another codec, is what the automation said."""
        ids = ' '.join(map(str, IDS + (-1,) * 3))
        system = self.with_node('listener', 'can_recorder', {'ids': ('Integer', ids)})
        out = self.systems / 'listened'
        subprocess.run([TANDEM, 'run', system, '--shadow', 'off', '--out', out,
                        *map(str, options(3, record=('listener.watched.*', 'automation.*')))], check=True)
        database = cantools.database.load_file(REPOSITORY / 'config/can/control.dbc')
        decoded = 0
        with open(out / 'results.csv', newline='') as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            # The automation steps every 100 ms; 50 ms later all that it said then is through.
            t = float(row['time'])
            if t < 0.1 or abs(t % 0.1 - 0.05) > 1e-6:
                continue
            values = {}
            for place, id in enumerate(IDS, 1):
                data = struct.pack('<Q', int(row[f'listener.watched.data[{place}]']))
                values |= database.decode_message(id, data, decode_choices=False)
            for axis in AXES:
                scale = {'rotate': 1e-4, 'travel': 1e-5}.get(axis, 2e-5)
                self.assertAlmostEqual(values[f'{axis.capitalize()}Target'], float(row[f'automation.{axis}.target']),
                                       delta=0.5001 * scale, msg=f'{axis} at {t}')
            self.assertEqual(values['Phase'], int(row['automation.phase']))
            self.assertEqual(values['StopReason'], NONE)
            decoded += 1
        self.assertGreater(decoded, 20)


if __name__ == '__main__':
    main()
