"""Our transports against python-can: udp_multicast, slcan on a pseudo terminal and over TCP, in a network of their own
with nothing but the loopback interface.

usage: python_can_check.py CAN_ANSWER
"""
import pathlib
import socket
import subprocess
import sys
import time

GROUP, PORT = '239.74.163.2', 43113
if len(sys.argv) < 2:
    sys.exit(__doc__)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / 'support'))
import own_network  # noqa: E402

own_network.enter()

import can  # noqa: E402  (inside the namespace only)


def frames(fd):
    yield can.Message(arbitration_id=0x181, is_extended_id=False, data=range(8))
    yield can.Message(arbitration_id=0x18FEF1FD, is_extended_id=True, data=[0xFF])
    yield can.Message(arbitration_id=0x7FE, is_extended_id=False)
    yield can.Message(arbitration_id=0x123, is_extended_id=False, is_remote_frame=True, dlc=4)
    if fd:
        yield can.Message(arbitration_id=0x200, is_extended_id=False, is_fd=True, bitrate_switch=True, data=bytes(range(48)))
        yield can.Message(arbitration_id=0x201, is_extended_id=False, is_fd=True, data=bytes(64))


def same(a, b):
    keys = ('arbitration_id', 'is_extended_id', 'is_remote_frame', 'dlc', 'data', 'is_fd', 'bitrate_switch')
    return all(getattr(a, key) == getattr(b, key) for key in keys)


def receive(bus, wanted):
    """The next frame that is not our own (udp_multicast brings those, too)."""
    end = time.time() + 5
    while time.time() < end:
        message = bus.recv(0.5)
        if message and message.arbitration_id == wanted:
            return message
    sys.exit(f'no frame {wanted:#x} came back')


def exchange(bus, fd, flood):
    for message in frames(fd):
        bus.send(message)
        answer = receive(bus, message.arbitration_id + 1)
        message.arbitration_id += 1
        if not same(message, answer):
            sys.exit(f'sent {message}, got {answer}')
    for number in range(flood):
        bus.send(can.Message(arbitration_id=0x300, is_extended_id=False, data=number.to_bytes(4, 'little')))
    numbers = [int.from_bytes(receive(bus, 0x301).data, 'little') for _ in range(flood)]
    if numbers != list(range(flood)):
        sys.exit('frames of a burst came back in another order')


def start(*arguments):
    program = subprocess.Popen([sys.argv[1], *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return program, program.stdout.readline().strip()


def finish(program, bus, expected):
    bus.send(can.Message(arbitration_id=0, is_extended_id=False))
    text = program.stdout.readline().strip()
    bus.shutdown()
    program.stdin.close()
    if program.wait(10) != 0 or text != expected:
        sys.exit(f'expected "{expected}", got "{text}"')


def udp():
    program, _ = start(f'udp:{GROUP}:{PORT}', 'echo')
    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stranger.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
    stranger.sendto(b'no frame', (GROUP, PORT))
    time.sleep(0.1)  # python-can would stumble over it, so it comes before
    bus = can.Bus(interface='udp_multicast', channel=GROUP, port=PORT, fd=True)
    exchange(bus, True, 100)
    finish(program, bus, 'sent 106 own 106 lost 0 malformed 1')


def slcan(address):
    program, name = start(address)
    channel = name if name.startswith('/dev') else f'socket://{name}'
    bus = can.Bus(interface='slcan', channel=channel, bitrate=250000, sleep_after_open=0.05)
    exchange(bus, False, 100)
    finish(program, bus, 'sent 104 own 0 lost 0 malformed 0')


for test, arguments in ((udp, ()), (slcan, ('slcan-pty:',)), (slcan, ('slcan-server:0',))):
    begin = time.time()
    test(*arguments)
    print(f'{test.__name__} {" ".join(arguments)}: frames go both ways ({time.time() - begin:.1f} s)')
