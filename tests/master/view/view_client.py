"""A run with a view, and a page without pixels: what the tests of the view share."""
import json
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from websockets.sync.client import connect

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))
import side_by_side  # noqa: E402

HEAD = struct.Struct('<BBHIdI')
STATE, CLOUD, ARRAY, JSON = 1, 2, 3, 4
PAUSED, ENDED, FAILED, PACED, CATCHING_UP = 1, 2, 4, 8, 16
PATIENCE = 30  # s, on a machine that has other things to do


class Frame:
    """One binary frame, decoded."""

    def __init__(self, data):
        self.kind, version, self.stream, self.sequence, self.time, self.run = HEAD.unpack_from(data)
        assert version == 1, version
        if self.kind == STATE:
            self.flags, self.factor, self.age, count, zero = struct.unpack_from('<IddII', data, 20)
            assert zero == 0 and len(data) == 48 + 8 * count
            self.values = struct.unpack_from(f'<{count}d', data, 48)
        elif self.kind == ARRAY:
            self.index, count = struct.unpack_from('<II', data, 20)
            assert len(data) == 28 + 4 * count
            self.values = struct.unpack_from(f'<{count}f', data, 28)
        elif self.kind == CLOUD:
            self.count, self.scale = struct.unpack_from('<If', data, 20)
            self.pose = struct.unpack_from('<7f', data, 28)
            self.total, = struct.unpack_from('<I', data, 56)
            assert len(data) == 60 + 7 * self.count
            self.points = struct.unpack_from(f'<{3 * self.count}h', data, 60)
            self.objects = data[60 + 6 * self.count:]
        else:
            assert self.kind == JSON, self.kind
            self.json = json.loads(data[20:])
            self.type = self.json['type']


class Page:
    """A WebSocket client that speaks the page's protocol."""

    def __init__(self, address, **options):
        url = address.replace('http://', 'ws://')
        path, _, query = url.partition('?')
        options.setdefault('subprotocols', ['tandem.view.1'])
        self.socket = connect(f'{path}live' + (f'?{query}' if query else ''), compression=None, max_size=None, **options)
        self.seen = []
        self.id = self.next(lambda frame: frame.kind == JSON and frame.type == 'hello').json['client']

    def receive(self, timeout=PATIENCE):
        frame = Frame(self.socket.recv(timeout=timeout))
        self.seen.append(frame)
        return frame

    def next(self, wanted, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while True:
            frame = self.receive(max(0.01, end - time.monotonic()))
            if wanted(frame):
                return frame

    def state(self, wanted=lambda frame: True):
        return self.next(lambda frame: frame.kind == STATE and wanted(frame))

    def told(self, kind, wanted=lambda frame: True):
        return self.next(lambda frame: frame.kind == JSON and frame.type == kind and wanted(frame.json)).json

    def do(self, action, **members):
        self.socket.send(json.dumps({'do': action, **members}))

    def take(self):
        self.do('take')
        self.told('control', lambda control: control['holder'] == self.id)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Run:
    """tandem run SYSTEM --view=0, until it has said where its page is."""

    def __init__(self, tandem, *arguments, verb='run', view='--view=0'):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='tandem_view_test_'))
        out = [f'--out={self.folder / "out"}', '--shadow=off'] if verb == 'run' else []
        self.lines = []
        self.process = subprocess.Popen([tandem, verb, *map(str, arguments), *([view] if view else []), *out],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.address = None
        while self.address is None:
            line = self.process.stderr.readline()
            assert line, 'ended before it served: ' + ''.join(self.lines)
            self.lines.append(line)
            found = re.search(r'view: (http://\S+)', line)
            self.address = found and found[1]

    @property
    def out(self):
        return self.folder / 'out'

    def get(self, path, headers=None, method='GET'):
        """(status, headers, content)"""
        request = urllib.request.Request(self.address.rstrip('/') + path, headers=headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def system(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            status, _, content = self.get('/system.json')
            if status == 200:
                return json.loads(content)
            assert status == 503, status
            time.sleep(0.05)
        raise AssertionError('no system.json')

    def end(self, sign=signal.SIGINT):
        """The exit code, after Ctrl-C."""
        self.process.send_signal(sign)
        return self.wait()

    def wait(self):
        self.lines += self.process.stderr.readlines()
        return self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def index_of(system, name):
    return [signal['name'] for signal in system['signals']].index(name)


def run_tests_side_by_side(module):
    """Every function test_... in a process of its own."""
    return side_by_side.run([unittest.FunctionTestCase(test) for name, test in vars(module).items() if name.startswith('test_')])


def run_tests(module):
    """Every function test_..., in the order of the file."""
    failed = 0
    for name, test in list(vars(module).items()):
        if not name.startswith('test_'):
            continue
        try:
            test()
            print(f'ok    {name}')
        except Exception as error:  # all of them are told
            import traceback
            traceback.print_exc()
            print(f'FAILED {name}: {error}')
            failed += 1
    return 1 if failed else 0
