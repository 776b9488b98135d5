"""python-canopen as master of our CANopen slaves, over slcan text on a TCP port of this machine.

usage: python_canopen_test.py CANOPEN_SLAVES BUILD_FOLDER
"""
import math
import pathlib
import sys
import tempfile
import time
import unittest

import canopen
import lxml.etree
from slaves import CONFIG, Frames, Slaves

if len(sys.argv) < 3:
    sys.exit(__doc__)
PROGRAM = sys.argv[1]

SHEETS = {1: 'inclinometer_1d', 2: 'inclinometer_1d', 3: 'inclinometer_1d', 4: 'inclinometer_1d', 5: 'inclinometer_2d',
          6: 'draw_wire', 7: 'rotary_encoder', 16: 'pressure_transmitter', 17: 'pressure_transmitter'}
VALUES = {'inclination.boom': 0.5, 'inclination.adjust': -0.25, 'inclination.arm': -1.0, 'inclination.coupler': 2.5,
          'pitch': 0.02, 'roll': -0.03, 'slew.length': 0.19875, 'rotate.angle': -1.25, 'jaw.pressure_a': 21.5e6,
          'jaw.pressure_b': 0.75e6}
HUNDREDTH = 100 * 180 / math.pi  # of a degree per rad
# What the first PDO of each node must hold, by the profiles: object, raw value.
EXPECTED = {1: {'Slope long16': round(0.5 * HUNDREDTH)}, 2: {'Slope long16': round(-0.25 * HUNDREDTH)},
            3: {'Slope long16': round(-1.0 * HUNDREDTH)}, 4: {'Slope long16': round(2.5 * HUNDREDTH)},
            5: {'Slope long16': round(0.02 * HUNDREDTH), 'Slope lateral16': round(-0.03 * HUNDREDTH)},
            6: {'Position value': 19875}, 7: {'Position value': 2**27 + round(-1.25 / (2 * math.pi) * 65536)},
            16: {'AI input process value.AI input process value 1': 215.0, 'AI status.AI status 1': 0},
            17: {'AI input process value.AI input process value 1': 7.5, 'AI status.AI status 1': 0}}


class Sensors(unittest.TestCase):
    """The nine sensors, once for all cases: each case leaves them pre-operational."""

    @classmethod
    def setUpClass(cls):
        cls.slaves = Slaves(PROGRAM).__enter__()
        cls.addClassCleanup(cls.slaves.__exit__)
        for name, value in VALUES.items():
            cls.slaves.tell('set', name, value)
        cls.network = cls.slaves.network()
        cls.addClassCleanup(cls.network.disconnect)
        for id_, sheet in SHEETS.items():
            cls.network.add_node(id_, str(CONFIG / f'{sheet}.eds'))
        cls.reset()

    @classmethod
    def reset(cls, command='RESET'):
        ids = [0x700 + id_ for id_ in SHEETS]
        with Frames(cls.network, *ids) as boots:
            cls.network.nmt.state = command
            boots.wait(lambda frames: {id_ for id_, data, _ in frames if data == b'\0'} == set(ids))

    def check_period(self, frames, period):
        """Not faster; on a busy machine slower. The exact timing is checked with a clock of our own elsewhere."""
        mean = (frames[-1][2] - frames[0][2]) / (len(frames) - 1)
        self.assertTrue(0.9 * period < mean < 5 * period, mean)

    def abort_of(self, call):
        with self.assertRaises(canopen.SdoAbortedError) as caught:
            call()
        return caught.exception.code

    def test_numbers_and_strings_are_read(self):
        for id_, sheet in SHEETS.items():
            node = self.network[id_]
            self.assertEqual(node.sdo['Device type'].raw, node.object_dictionary['Device type'].default)
            self.assertEqual(node.sdo['Identity object']['Serial number'].raw, 1000 + id_)
            self.assertEqual(node.sdo['Manufacturer device name'].raw,
                             node.object_dictionary['Manufacturer device name'].default)  # in segments

    def test_every_object_of_every_data_sheet_is_there(self):
        for id_ in (1, 5, 6, 7, 16):
            node, count = self.network[id_], 0
            for entry in node.object_dictionary.values():
                for variable in getattr(entry, 'subindices', {0: entry}).values():
                    if variable.readable:
                        node.sdo.upload(variable.index, variable.subindex)
                        count += 1
            self.assertGreater(count, 40)

    def test_what_is_wrong_is_an_abort(self):
        sdo = self.network[1].sdo
        self.assertEqual(self.abort_of(lambda: sdo.upload(0x2000, 0)), 0x06020000)
        self.assertEqual(self.abort_of(lambda: sdo.upload(0x1018, 9)), 0x06090011)
        self.assertEqual(self.abort_of(lambda: sdo.download(0x1000, 0, b'1234')), 0x06010002)
        self.assertEqual(self.abort_of(lambda: sdo.download(0x6000, 0, b'1')), 0x06070013)
        self.assertEqual(self.abort_of(lambda: sdo.download(0x6000, 0, b'1234')), 0x06070012)
        self.assertEqual(self.abort_of(lambda: sdo.download(0x6000, 0, b'\x07\x00')), 0x06090030)
        self.assertEqual(self.abort_of(lambda: sdo.download(0x6011, 0, b'\x09')), 0x06090031)
        self.assertEqual(self.abort_of(lambda: sdo.download(0x1A00, 0, b'\0')), 0x08000022)
        self.assertEqual(self.abort_of(lambda: self.network[16].sdo.upload(0x6125, 1)), 0x06010001)
        self.assertEqual(self.abort_of(lambda: sdo.download(0x1010, 1, b'evas')), 0x08000020)
        # Block transfer is not offered; it says so, and the client may fall back.
        self.assertEqual(self.abort_of(lambda: sdo.open(0x1008, 0, 'rb', block_transfer=True)), 0x05040001)

    def test_states_follow_commands_and_show_in_the_heartbeat(self):
        node = self.network[3]
        node.sdo['Producer heartbeat time'].raw = 20
        for state, code in (('OPERATIONAL', 5), ('STOPPED', 4), ('PRE-OPERATIONAL', 127)):
            with Frames(self.network, 0x703) as heartbeats:
                node.nmt.state = state
                heartbeats.wait(lambda frames: [data for _, data, _ in frames][-3:] == [bytes([code])] * 3)
        with Frames(self.network, 0x703) as heartbeats:
            frames = heartbeats.wait(lambda frames: len(frames) > 20)
        self.check_period(frames, 0.020)
        node.sdo['Producer heartbeat time'].raw = 1000

    def check_values(self, id_, pdo):
        for name, expected in EXPECTED[id_].items():
            self.assertEqual(pdo[name].raw, expected, (id_, name))

    def test_pdos_come_with_the_values_of_all_nine(self):
        for id_ in SHEETS:
            self.network[id_].tpdo.read()
        with Frames(self.network, *(0x180 + id_ for id_ in SHEETS)) as sent:
            self.network.nmt.state = 'OPERATIONAL'
            frames = sent.wait(lambda frames: all(
                sum(id_ == 0x180 + node for id_, _, _ in frames) > 20 for node in SHEETS))
        self.network.nmt.state = 'PRE-OPERATIONAL'
        for id_ in SHEETS:
            self.check_period([frame for frame in frames if frame[0] == 0x180 + id_], 0.010)
            self.check_values(id_, self.network[id_].tpdo[1])

    def test_pdos_come_with_sync(self):
        for id_ in SHEETS:
            pdo = self.network[id_].tpdo[1]
            pdo.read()
            pdo.trans_type, pdo.event_timer, pdo.inhibit_time = 1, 0, 0
            pdo.save()
        with Frames(self.network, *(0x180 + id_ for id_ in SHEETS)) as sent:
            self.network.nmt.state = 'OPERATIONAL'
            time.sleep(0.05)
            self.assertEqual(sent.frames, [])
            for count in range(1, 6):
                self.network.sync.transmit()
                sent.wait(lambda frames: len(frames) == count * len(SHEETS))
        self.network.nmt.state = 'PRE-OPERATIONAL'
        for id_ in SHEETS:
            self.check_values(id_, self.network[id_].tpdo[1])
        self.reset('RESET COMMUNICATION')

    def test_a_pdo_is_remapped(self):
        pdo = self.network[5].tpdo[1]
        pdo.read()
        pdo.clear()
        pdo.add_variable('Slope lateral32')
        pdo.add_variable('Slope long16')
        pdo.save()
        with Frames(self.network, 0x185) as sent:
            self.network[5].nmt.state = 'OPERATIONAL'
            sent.wait(lambda frames: len(frames) > 3)
        self.assertEqual(len(sent.frames[0][1]), 6)
        self.assertEqual(pdo['Slope lateral32'].raw, EXPECTED[5]['Slope lateral16'])
        self.network[5].nmt.state = 'PRE-OPERATIONAL'
        self.reset('RESET COMMUNICATION')

    def test_parameters_are_stored_and_restored(self):
        node = self.network[2]
        node.sdo['Resolution'].raw = 100
        self.assertEqual(node.sdo['Slope long16'].raw, round(-0.25 * HUNDREDTH / 10))
        node.store()
        self.reset()
        self.assertEqual(node.sdo['Resolution'].raw, 100)
        node.restore()
        self.reset()
        self.assertEqual(node.sdo['Resolution'].raw, 10)

    def test_an_emergency_comes_and_goes(self):
        node = self.network[16]
        node.emcy.reset()
        with Frames(self.network, 0x90) as sent:
            self.slaves.tell('raise', 'jaw_a', '5000')
            sent.wait(lambda frames: len(frames) == 1)
            self.assertEqual([(error.code, error.register) for error in node.emcy.active], [(0x5000, 1)])
            self.assertEqual(node.sdo['Pre-defined error field'][1].raw, 0x5000)
            self.assertEqual(node.sdo['Error register'].raw, 1)
            self.slaves.tell('clear', 'jaw_a', '5000')
            sent.wait(lambda frames: len(frames) == 2)
        self.assertEqual(node.emcy.active, [])
        node.sdo['Pre-defined error field'][0].raw = 0
        self.assertEqual(node.sdo['Pre-defined error field'][1].raw, 0)


class NodeFile(unittest.TestCase):
    def test_the_shipped_node_file_fits_its_schema(self):
        schema = lxml.etree.XMLSchema(file=str(CONFIG.parent / 'tandem-canopen.xsd'))
        schema.assertValid(lxml.etree.parse(str(CONFIG / 'sensors.xml')))


class Delivered(unittest.TestCase):
    """Two sensors of one kind as they are delivered: without a node-id."""

    def test_fastscan_finds_both_and_each_gets_an_id(self):
        nodes = ''.join(f'<Node name="{name}" id="none" serial="{serial}" sheet="inclinometer_1d.eds"/>'
                        for name, serial in (('left', 4096), ('right', 4097)))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / 'nodes.xml'
            file.write_text(f'<CanOpen xmlns="urn:tandem:can:1">{nodes}</CanOpen>')
            (file.parent / 'inclinometer_1d.eds').write_bytes((CONFIG / 'inclinometer_1d.eds').read_bytes())
            with Slaves(PROGRAM, file) as slaves:
                network = slaves.network()
                try:
                    self.scan(network)
                finally:
                    network.disconnect()

    def scan(self, network):
        network.lss.RESPONSE_TIMEOUT = 0.2  # it waits this long for each bit that is one
        serials = []
        for id_ in (20, 21):
            # An answer that a busy machine delays is taken for none; the scan then ends without a device.
            found, identity = next(result for result in (network.lss.fast_scan() for _ in range(5)) if result[0])
            self.assertEqual(identity[:3], [0, 0x41001, 0x10000])
            serials.append(identity[3])
            self.assertEqual(network.lss.inquire_node_id(), 0xFF)
            network.lss.configure_node_id(id_)
            network.lss.store_configuration()
            with Frames(network, 0x700 + id_) as boots:
                network.lss.send_switch_state_global(network.lss.WAITING_STATE)
                boots.wait(lambda frames: len(frames) == 1)
            node = network.add_node(id_, str(CONFIG / 'inclinometer_1d.eds'))
            self.assertEqual(node.sdo['Identity object']['Serial number'].raw, identity[3])
        self.assertEqual(sorted(serials), [4096, 4097])
        self.assertFalse(network.lss.fast_scan()[0])
        # One of them again, by its whole identity.
        self.assertTrue(network.lss.send_switch_state_selective(0, 0x41001, 0x10000, 4097))
        self.assertEqual(network.lss.inquire_node_id(), 20 + serials.index(4097))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
