"""Point clouds in shared memory as other languages see them: through the C header (ctypes) and as plain bytes (mmap).

usage: reader_test.py TEST_PROGRAM C_LIBRARY
"""
import ctypes
import mmap
import os
import struct
import subprocess
import sys
import time
import unittest

if len(sys.argv) < 3:
    sys.exit(__doc__)
PROGRAM, LIBRARY = sys.argv[1:3]
READS = 1000


class Value(ctypes.Structure):
    _fields_ = [('sequence', ctypes.c_uint64), ('time', ctypes.c_int64), ('stamp', ctypes.c_int64), ('size', ctypes.c_size_t)]


def check_cloud(test, payload, time_):
    """The cloud of step n has 1 + n % 10000 points with coordinates v, -v, 2 v; v follows from n."""
    value, count = float(time_ % 1000 + 1), 1 + time_ % 10000
    test.assertTrue(payload == struct.pack('<3f', value, -value, 2 * value) * count, f'the cloud of step {time_} is torn')


class Readers(unittest.TestCase):
    def setUp(self):
        self.name = f'python-test-{os.getpid()}'
        self.publisher = subprocess.Popen([PROGRAM, '[.publisher]'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                          env={**os.environ, 'TANDEM_TEST_CHANNEL': self.name})
        self.path = f'/dev/shm/tandem-{self.name}'
        end = time.monotonic() + 10
        while not os.path.exists(self.path) and time.monotonic() < end:
            time.sleep(0.01)

    def tearDown(self):
        self.publisher.communicate()
        self.assertFalse(os.path.exists(self.path))

    def test_c_header(self):
        library = ctypes.CDLL(LIBRARY)
        library.open_channel.restype = ctypes.c_void_p
        library.open_channel.argtypes = [ctypes.c_char_p]
        library.close_channel.argtypes = [ctypes.c_void_p]
        library.read_newest.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        library.wait_for_newer.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int]
        self.assertIsNone(library.open_channel(b'nobody-has-this-name'))
        channel = library.open_channel(self.name.encode())
        self.assertIsNotNone(channel)
        self.assertTrue(library.wait_for_newer(channel, 0, 5000))
        buffer, value, accepted, last = ctypes.create_string_buffer(120_000), Value(), 0, 0
        for _ in range(READS):
            if library.read_newest(channel, buffer, len(buffer), ctypes.byref(value)) != 0:
                continue
            accepted += 1
            check_cloud(self, buffer.raw[:value.size], value.time)
            self.assertGreaterEqual(value.sequence, last)
            last = value.sequence
        self.assertGreater(accepted, READS // 10)
        library.close_channel(channel)

    def test_plain_bytes(self):
        with open(self.path, 'rb') as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        accepted = 0
        end = time.monotonic() + 10
        while accepted < 100 and time.monotonic() < end:
            magic, slots, _, _, stride, sequence = struct.unpack_from('<8sIIQQQ', data)
            self.assertEqual(magic, b'TNDMSHM1')
            if sequence == 0:
                continue
            at = 128 + sequence % slots * stride
            version, time_, _, size = struct.unpack_from('<QqqQ', data, at)
            payload = data[at + 64:at + 64 + min(size, 120_000)]
            if version != 2 * sequence or struct.unpack_from('<Q', data, at)[0] != version:
                continue
            accepted += 1
            check_cloud(self, payload, time_)
        self.assertEqual(accepted, 100)
        data.close()


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
