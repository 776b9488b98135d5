"""Nodes made of data sheets that other people published, without code: python-canopen reads all their objects, and their PDOs
are as the files say. The files come with the source of python-canopen, which ./test fetches; others may be named.

usage: public_data_sheets_test.py CANOPEN_SLAVES BUILD_FOLDER [FILE.eds ...]
"""
import pathlib
import shutil
import sys
import tempfile
import unittest

import canopen
from slaves import Frames, Slaves

if len(sys.argv) < 3:
    sys.exit(__doc__)
PROGRAM = sys.argv[1]
FETCHED = pathlib.Path(sys.argv[2]).resolve().parent / 'data_sheets'
SHEETS = [pathlib.Path(name) for name in sys.argv[3:]] or sorted(FETCHED.rglob('*.eds'))
NODE = 5


def entries(dictionary):
    """All but the dummies, which python-canopen makes of the data types."""
    for entry in (entry for entry in dictionary.values() if entry.index >= 0x1000):
        yield from getattr(entry, 'subindices', {0: entry}).values()


class PublicDataSheets(unittest.TestCase):
    def test_all_objects_are_read_and_pdos_are_as_the_file_says(self):
        self.assertGreaterEqual(len(SHEETS), 3, f'{FETCHED} should hold three data sheets; ./test fetches them')
        for sheet in SHEETS:
            with self.subTest(sheet.name), tempfile.TemporaryDirectory() as folder:
                shutil.copy(sheet, folder)
                nodes = pathlib.Path(folder) / 'nodes.xml'
                nodes.write_text(f'<CanOpen xmlns="urn:tandem:can:1"><Node name="public" id="{NODE}" sheet="{sheet.name}"/></CanOpen>')
                with Slaves(PROGRAM, nodes) as slaves:
                    network = slaves.network()
                    try:
                        with Frames(network, 0x700 + NODE) as boots:
                            network.nmt.state = 'RESET'
                            boots.wait(lambda frames: len(frames) > 0)
                        self.check(network, network.add_node(NODE, canopen.import_od(str(sheet), NODE)))
                    finally:
                        network.disconnect()

    def check(self, network, node):
        read = compared = 0
        for variable in entries(node.object_dictionary):
            if variable.data_type not in canopen.objectdictionary.datatypes.DATA_TYPES + \
                    canopen.objectdictionary.datatypes.NUMBER_TYPES or not variable.readable:
                continue  # types of the vendor's own
            found = node.sdo.upload(variable.index, variable.subindex)
            read += 1
            expected = variable.value if variable.value is not None else variable.default
            if expected is None or (variable.index, variable.subindex) in ((0x1001, 0),):
                continue
            if variable.data_type == canopen.objectdictionary.datatypes.BOOLEAN:
                expected = bool(expected)
            if isinstance(expected, float):
                self.assertAlmostEqual(variable.decode_raw(found), expected, places=4)
            elif isinstance(expected, int):
                mask = 2**len(variable) - 1
                self.assertEqual(variable.decode_raw(found) & mask, expected & mask,
                                 f'{variable.index:04X}:{variable.subindex:02X}')
            compared += 1
        print(f'    {read} objects read, {compared} compared with their defaults', flush=True)
        self.assertGreaterEqual(read, 10)
        self.check_pdos(network, node)

    def check_pdos(self, network, node):
        node.tpdo.read()
        on = {pdo.cob_id: pdo for pdo in node.tpdo.values() if pdo.enabled and pdo.map}
        asked = [id_ for id_, pdo in on.items() if pdo.trans_type <= 240 or pdo.trans_type >= 254]
        with Frames(network, *asked) as sent:
            node.nmt.state = 'OPERATIONAL'
            for _ in range(240 if any(pdo.trans_type <= 240 for pdo in on.values()) else 0):
                network.sync.transmit()
            frames = sent.wait(lambda frames: {id_ for id_, _, _ in frames} >= set(asked))
        for id_, data, _ in frames:
            self.assertEqual(len(data), (sum(variable.length for variable in on[id_].map) + 7) // 8, hex(id_))
        print(f'    {len(asked)} PDOs as the file says', flush=True)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
