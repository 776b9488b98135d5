"""Our SocketCAN transport against candump, cansend, cangen and canbusload in a virtual machine with Debian's kernel.
Exit code 77: this machine cannot run it, and the line says why.

usage: socketcan_check.py CAN_ANSWER_STATIC TANDEM FMUS CACHE
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import machine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / 'support'))
import playback  # noqa: E402

FRAMES, BURST = 5, 2000
# What the bits of are counted: cangen's option, identifier, data with something to stuff.
KINDS = (('-g10', '155', '0011223344FF0000'), ('-e', '1ABCDEF0', '00FFFF'), ('-g10', '7FF', 'FFFFFFFFFFFFFFFF'))

# Every section begins with its name, so that its part of the output can be found.
JOB = f"""
until_line() {{ n=0; until grep -q "$2" $1 || [ $n -ge 100 ]; do sleep 0.05; n=$((n + 1)); done; }}
echo "[no kernel]"; can_answer_static socketcan:vcan0
for m in {' '.join(machine.MODULES)}; do insmod /mod/$m.ko || exit 3; done
echo "[no interface]"; can_answer_static socketcan:vcan0
echo "[no bus]"; can_answer_static socketcan:lo
ip link add vcan0 type vcan
echo "[down]"; can_answer_static socketcan:vcan0
ip link set vcan0 up
echo "[exchange]"
mkfifo /tmp/hold; sleep 1000 >/tmp/hold &
candump -r 4194304 -L vcan0 >/tmp/log & dump=$!
until_line /proc/net/can/rcvlist_all "^ *vcan0 .*raw"  # it listens
can_answer_static socketcan:vcan0 echo </tmp/hold >/tmp/answer & ours=$!
until_line /tmp/answer vcan0
cansend vcan0 123#11223344
cansend vcan0 18FEF1FD#FF
cansend vcan0 200#
cansend vcan0 210#R
cansend vcan0 220##1112233445566778899AABBCC
until_line /tmp/log 221##
cansend vcan0 20000040#0000000000000000
cangen vcan0 -g 0 -p 10 -n {BURST} -I 300 -L 8 -D i
n=0; until [ $(grep -c 301# /tmp/log) -ge {BURST} ] || [ $n -ge 40 ]; do sleep 0.1; n=$((n + 1)); done
cansend vcan0 000#
until_line /tmp/answer sent
kill $dump
cat /tmp/answer
grep -v "30[01]#" /tmp/log
echo "[burst] $(grep -c 301# /tmp/log)"
echo "[vanishing]"
ip link add vcan1 type vcan; ip link set vcan1 up
can_answer_static socketcan:vcan1 </tmp/hold >/tmp/gone &
until_line /tmp/gone vcan1
ip link set vcan1 down
until_line /tmp/gone "down:"
cat /tmp/gone
echo "[gone]"
ip link add vcan2 type vcan; ip link set vcan2 up
can_answer_static socketcan:vcan2 </tmp/hold >/tmp/deleted &
until_line /tmp/deleted vcan2
ip link del vcan2
until_line /tmp/deleted "down:"
cat /tmp/deleted
echo "[load]"
for kind in {" ".join(f"{extended}:{number}:{data}" for extended, number, data in KINDS)}; do
  IFS=: read format id data <<END
$kind
END
  n=0; line=
  until [ -n "$line" ] || [ $n -ge 5 ]; do  # a busy computer gives the machine too little time for one
    canbusload -e vcan0@250000 >/tmp/busload & busload=$!
    cangen vcan0 -g 10 $format -I $id -L $((${{#data}} / 2)) -D $data & load=$!
    sleep 2.2
    kill $load $busload
    wait $busload
    line=$(grep -v " 0 *0 *0 *0%" /tmp/busload | grep vcan0@ | tail -n 1); n=$((n + 1))
  done
  echo "$id#$data $line"
done
"""


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


def sections(text):
    parts = re.split(r'^\[([a-z ]+)\]', text, flags=re.M)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2])}


def expect(what, found, wanted):
    if not re.search(wanted, found):
        sys.exit(f'{what}: found\n{found}\nexpected\n{wanted}')


def load_of_log(tandem, log, rate):
    """Of the verb `can`: the share of the time from the first frame to the last."""
    text = subprocess.run([tandem, 'can', log, '--bit-rate', str(rate)], capture_output=True, text=True, check=True).stdout
    return float(re.search(r'bus load ([\d.]+) %', text).group(1)) / 100


def load_of_bus(tandem, units, log, folder):
    """Of our bus simulation over one second in which the log is played."""
    system = folder / 'load.ssd'
    system.write_text(playback.system(units, log, 1, over_bus=True))
    subprocess.run([tandem, 'run', system, '--quiet', '--overwrite', '--shadow', 'off', '--set', 'bus.bit_rate=250000', '--record',
                    'bus.mean_load', '--record', 'bus.frames', '--out', folder / 'load'], check=True)
    with open(folder / 'load/results.csv', newline='') as file:
        *_, last = csv.DictReader(file)
    return float(last['bus.mean_load']), int(last['bus.frames'])


def check_load(tandem, units, lines, folder):
    """canbusload's bits per frame, stuff bits counted exactly, against those of the verb and of the bus simulation."""
    log = folder / 'load.log'
    for _, number, data in KINDS:
        found = re.search(rf'^{number}#{data} +vcan0@250000\s+(\d+)\s+(\d+)', lines, re.M)
        if not found:
            sys.exit(f'canbusload says nothing about {number}#{data}:\n{lines}')
        theirs = int(found.group(2)) / int(found.group(1))
        log.write_text(''.join(f'({i // 1000}.{i % 1000:03}) can0 {number}#{data}\n' for i in range(1001)))
        ours = load_of_log(tandem, log, 1000)  # 1000 frames after the first, within a second
        # Every 10 ms, as cangen sends them.
        log.write_text(''.join(f'({i / 100:.6f}) can0 {number}#{data}\n' for i in range(100)))
        load, frames = load_of_bus(tandem, units, log, folder)
        print(f'{number}#{data}: {ours:g} bits, canbusload {theirs:g}; {frames} frames in a second: bus simulation '
              f'{100 * load:.4f} %, canbusload {100 * frames * theirs / 250e3:.4f} %')
        if ours != theirs or abs(load - frames * theirs / 250e3) > 1e-9:
            sys.exit('the bits of a frame differ')


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    program, tandem, units, cache = sys.argv[1:5]
    if missing := machine.missing_programs():
        skip(f'no {", ".join(missing)} (Debian: qemu-system-x86, busybox-static, can-utils)')
    try:
        text, code = machine.run(pathlib.Path(cache), JOB, [program])
    except machine.NotHere as problem:
        skip(problem)
    found = sections(text)
    if code != 0 or 'load' not in found:
        sys.exit(text)
    expect('without CAN', found['no kernel'], r'^socketcan:vcan0: this kernel has no CAN .*udp:.*slcan-pty:')
    expect('without an interface', found['no interface'], r'^socketcan:vcan0: there is no such interface')
    expect('an interface that is no bus', found['no bus'], r'^socketcan:lo: this interface is no CAN bus')
    expect('an interface that is down', found['down'], r'^socketcan:vcan0: the interface is down \(ip link set vcan0 up\)')
    # The kernel marks FD frames by a flag of its own (4) beside the bit rate switch.
    for line in ('124#11223344', '18FEF1FE#FF', '201#', '211#R', '221##[15]112233445566778899AABBCC'):
        expect('candump', found['exchange'], rf'(?m)^\(\d+\.\d+\) vcan0 {line}$')
    expect('an error frame', found['exchange'], r'error frame: bus off, now bus off')
    total = FRAMES + BURST
    expect('the transport', found['exchange'], rf'sent {total} own {total} lost 0 malformed 0')
    expect('a burst', found['burst'], rf'^{BURST}$')
    expect('an interface that goes down', found['vanishing'], r'down: vcan1: the interface is down')
    # The kernel says that it goes down, and then that it is no more; whoever looks late hears the latter.
    expect('an interface that is deleted', found['gone'], r'down: vcan2: the interface (has gone|is down)')
    with tempfile.TemporaryDirectory() as folder:
        check_load(tandem, units, found['load'], pathlib.Path(folder))
    print(f'{total} frames answered in the machine, none lost')


main()
