"""Instructions to encode and to decode a frame by a DBC file, checksum included, counted by valgrind as the difference of
a long and a short run.

usage: dbc_codec.py BENCHMARK_DBC MAPPING.xml
"""
import re
import subprocess
import sys

MOST_INSTRUCTIONS = 1500  # per frame, each way
SHORT, LONG = 1000, 11000


def instructions(program, mapping, way, count):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', program, mapping, way, str(count)],
                          capture_output=True, text=True)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(done.stderr)
    return int(found.group(1)), done.stdout.rpartition(' ')[0]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, mapping = sys.argv[1:]
    failed = False
    for way in ('encode', 'decode'):
        (short, _), (long, what) = (instructions(program, mapping, way, count) for count in (SHORT, LONG))
        per_frame = (long - short) / (LONG - SHORT)
        print(f'{way} {what}: {per_frame:.0f} instructions per frame, at most {MOST_INSTRUCTIONS}')
        failed |= per_frame > MOST_INSTRUCTIONS
    sys.exit('too many' if failed else 0)


main()
