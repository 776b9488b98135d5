"""The program canopen_slaves as a process, and a python-canopen network on it."""
import pathlib
import subprocess
import threading
import time

import canopen

# Its 0.3 s are little on a busy machine.
canopen.sdo.SdoClient.RESPONSE_TIMEOUT = 3

CONFIG = pathlib.Path(__file__).resolve().parents[3] / 'config/can'


class Slaves:
    """Slaves of a node file in real time; ends with the `with` block."""

    def __init__(self, program, nodes=CONFIG / 'sensors.xml'):
        self.command = [program, str(nodes)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError('canopen_slaves did not start')
        self.port = int(line)
        time.sleep(0.3)  # the boot-up messages of power-up are over, and nobody takes them for those of a reset
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def tell(self, *words):
        self.process.stdin.write(' '.join(map(str, words)) + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer != 'ok':
            raise ValueError(f'{words}: {answer}')

    def network(self):
        """python-can's slcan takes a TCP port where others have a serial line."""
        network = canopen.Network()
        network.connect(interface='slcan', channel=f'socket://127.0.0.1:{self.port}', bitrate=250000, sleep_after_open=0)
        return network


class Frames:
    """Frames of some identifiers as they come."""

    def __init__(self, network, *ids):
        self.frames, self.changed = [], threading.Condition()
        self.network, self.ids = network, ids
        for id_ in ids:
            network.subscribe(id_, self.take)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for id_ in self.ids:
            self.network.unsubscribe(id_, self.take)

    def take(self, id_, data, stamp):
        with self.changed:
            self.frames.append((id_, bytes(data), time.monotonic()))
            self.changed.notify_all()

    def wait(self, wanted, seconds=3.0):
        """Until `wanted(frames)`; the frames."""
        with self.changed:
            if not self.changed.wait_for(lambda: wanted(self.frames), seconds):
                raise TimeoutError(f'after {seconds} s: {self.frames[-20:]}')
            return list(self.frames)
