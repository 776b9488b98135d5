"""Our J1939 transport against can-j1939 over udp_multicast, in a network of its own: messages of 20 bytes to everyone (BAM)
and to one address (RTS/CTS), both ways, and the claim of an address.

usage: can_j1939_check.py J1939_ANSWER
"""
import pathlib
import queue
import subprocess
import sys
import time

if len(sys.argv) < 2:
    sys.exit(__doc__)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / 'support'))
import own_network  # noqa: E402

own_network.enter()

import can  # noqa: E402  (inside the namespace only)
import j1939  # noqa: E402

OURS, THEIRS = 0x20, 0x30
DATA = list(range(1, 21))


def main():
    ecu = j1939.ElectronicControlUnit(max_cmdt_packets=3)
    ecu.connect(interface='udp_multicast', channel='239.74.163.2', fd=False)
    seen = queue.Queue()
    name = j1939.Name(arbitrary_address_capable=0, identity_number=1)
    # udp_multicast brings a sender its own frames, so that its claim would meet itself.
    application = j1939.ControllerApplication(name, THEIRS, bypass_address_claim=True)
    ecu.add_ca(controller_application=application)
    application.subscribe(lambda priority, pgn, source, timestamp, data: seen.put((pgn, source, list(data))))
    application.start()
    bus = can.Bus(interface='udp_multicast', channel='239.74.163.2')
    ours = subprocess.Popen([sys.argv[1], 'udp:', str(OURS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ours.stdout.readline()
    check_claim(bus)
    for kind, format_, specific in (('BAM', 0xFE, 0xF6), ('RTS/CTS', 0xEF, OURS)):
        begin = time.time()
        if not application.send_pgn(0, format_, specific, 6, DATA):
            sys.exit(f'can-j1939 refused to send by {kind}')
        expect(seen, lambda pgn, source, data: source == OURS and data == DATA[::-1], f'20 bytes by {kind}')
        print(f'{kind}: 20 bytes there and back in {time.time() - begin:.2f} s')
    ours.stdin.close()
    bus.shutdown()
    ours.wait(10)
    ecu.disconnect()


def check_claim(bus):
    """Our claim, as can-j1939 reads names."""
    message = next((found for found in iter(lambda: bus.recv(2), None) if found.arbitration_id == 0x18EEFF00 | OURS), None)
    name = j1939.Name(bytes=message.data) if message else None
    if not name or (name.identity_number, name.manufacturer_code, name.function) != (1234, 666, 25):
        print('our address claim did not come, or says something else', flush=True)
        os._exit(1)


def expect(seen, fits, what):
    end = time.time() + 5
    while time.time() < end:
        try:
            if fits(*seen.get(timeout=0.5)):
                return
        except queue.Empty:
            pass
    print(f'{what} did not come', flush=True)
    os._exit(1)  # the library's threads would keep the program alive


main()
