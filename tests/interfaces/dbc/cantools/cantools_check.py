"""The DBC reader and codec against cantools: what a file says, and every signal of every message, in random frames, both
ways.

usage: cantools_check.py DBC_VALUES FILE_OR_FOLDER...   (also the files of the folders in TANDEM_DBC_FILES, ':' between)
"""
import json
import logging
import math
import os
import pathlib
import random
import subprocess
import sys

import cantools

FRAMES = 20  # per message
# Files of cantools' own tests that are wrong: one of both refuses them.
BROKEN = {'bad_message_length', 'incorrect-sig_valtype', 'incorrect-val', 'issue_199', 'issue_199_extended'}


class Ours:
    """Our program on one file."""

    def __init__(self, program, path):
        self.process = subprocess.Popen([program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, encoding='utf-8')
        first = self.process.stdout.readline()
        if not first:
            raise ValueError(self.process.stderr.read().strip())
        self.database = json.loads(first)

    def ask(self, *words):
        self.process.stdin.write(' '.join(str(word) for word in words) + '\n')
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise ValueError(self.process.stderr.read().strip())


def encoding(path):
    try:
        path.read_bytes().decode('utf-8')
        return 'utf-8'
    except UnicodeDecodeError:
        return 'cp1252'


def expect(what, ours, theirs):
    if ours != theirs:
        raise ValueError(f'{what}: ours {ours!r}, cantools {theirs!r}')


def same_number(a, b):
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def compare_signal(where, ours, signal):
    expect(f'{where} start', ours['start'], signal.start)
    expect(f'{where} length', ours['length'], signal.length)
    expect(f'{where} byte order', ours['big'], signal.byte_order == 'big_endian')
    expect(f'{where} float', ours['float'], signal.is_float)
    if not signal.is_float:
        expect(f'{where} signed', ours['signed'], signal.is_signed)
    expect(f'{where} unit', ours['unit'], signal.unit or '')
    expect(f'{where} comment', ours['comment'], signal.comment or '')
    expect(f'{where} receivers', ours['receivers'], list(signal.receivers))
    expect(f'{where} values', ours['values'], {str(k): str(v) for k, v in (signal.choices or {}).items()})
    if signal.conversion.scale != 0:
        expect(f'{where} factor', ours['factor'], float(signal.conversion.scale))
    expect(f'{where} offset', ours['offset'], float(signal.conversion.offset))
    selected = sorted({value for first, last in ours['selected_by'] for value in range(first, min(last, first + 99999) + 1)})
    expect(f'{where} multiplexor', ours['selector'], signal.multiplexer_signal or '')
    expect(f'{where} selected by', selected, sorted(signal.multiplexer_ids or []) if ours['selector'] else [])


def compare_message(where, ours, message):
    expect(f'{where} id', (ours['id'], ours['extended']), (message.frame_id, message.is_extended_frame))
    expect(f'{where} size', ours['size'], message.length)
    expect(f'{where} comment', ours['comment'], message.comment or '')
    expect(f'{where} cycle time', round(ours['cycle_time'] * 1000), message.cycle_time or 0)
    expect(f'{where} j1939', ours['j1939'], message.protocol == 'j1939')
    theirs = {signal.name: signal for signal in message.signals if signal.length <= 64}
    expect(f'{where} signals', sorted(s['name'] for s in ours['signals']), sorted(theirs))
    for signal in ours['signals']:
        compare_signal(f'{where}.{signal["name"]}', signal, theirs[signal['name']])


def valid_frame(message, rng):
    """Random bytes whose multiplexors select something that cantools knows."""
    for _ in range(200):
        data = bytearray(rng.randbytes(message.length))
        for signal in message.signals:
            if signal.is_multiplexer:
                ids = [value for other in message.signals if other.multiplexer_signal == signal.name
                       for value in other.multiplexer_ids or []]
                if ids:
                    put(data, signal, rng.choice(ids))
        try:
            message.decode(bytes(data), decode_choices=False, scaling=False)
            return bytes(data)
        except (cantools.database.errors.Error, KeyError, ValueError):
            continue
    return None


def put(data, signal, value):
    """Bit by bit, in cantools' words for start and length."""
    for i in range(signal.length):
        if signal.byte_order == 'little_endian':
            at = signal.start + i
        else:
            line = 8 * (signal.start // 8) + 7 - signal.start % 8 + signal.length - 1 - i
            at = 8 * (line // 8) + 7 - line % 8
        data[at // 8] = data[at // 8] & ~(1 << at % 8) | ((value >> i & 1) << at % 8)


def compare_frame(where, ours, index, description, message, data):
    """Returns how many signals were compared."""
    raws = message.decode(data, decode_choices=False, scaling=False)
    scaled = message.decode(data, decode_choices=False, scaling=True)
    names = [signal['name'] for signal in description['signals']]
    mine = dict(zip(names, ours.ask('raw', index, data.hex())))
    physical = dict(zip(names, ours.ask('physical', index, data.hex())))
    for signal in description['signals']:
        name = signal['name']
        if name not in raws:
            expect(f'{where}.{name} present', mine[name], '-')
            continue
        if not signal['float']:
            expect(f'{where}.{name} raw', int(mine[name]), raws[name])
        value = float(physical[name])
        # What J1939 calls an error or not available is a number to cantools.
        if description['j1939'] and math.isnan(value):
            continue
        if not same_number(value, float(scaled[name])):
            raise ValueError(f'{where}.{name}: ours {value!r}, cantools {scaled[name]!r}')
    expect(f'{where} presence', {name for name in names if mine[name] != '-'}, set(raws) & set(names))
    if len(names) == len(message.signals) and not any(s['float'] for s in description['signals']):
        packed = ours.ask('pack', index, *(0 if mine[name] == '-' else mine[name] for name in names))
        theirs = message.encode(raws, scaling=False, strict=False)
        if not overlapping(message):
            expect(f'{where} packed', packed[0] if packed else '', theirs.hex())
        exact = all(s['length'] <= 52 for s in description['signals']) and not description['j1939']
        if exact and not overlapping(message):
            encoded = ours.ask('encode', index, *('0' if v == '-' else v for v in (physical[name] for name in names)))
            expect(f'{where} encoded', encoded[0] if encoded else '', theirs.hex())
    return len(raws)


def overlapping(message):
    try:
        cantools.database.can.Message(frame_id=0, name='x', length=message.length, signals=message.signals, strict=True)
        return False
    except cantools.database.errors.Error:
        return True


def check_file(program, path, seed):
    database = cantools.database.load_file(path, strict=False, encoding=encoding(path), database_format='dbc')
    ours = Ours(program, path)
    rng = random.Random(seed)
    expect(f'{path.name} messages', len(ours.database['messages']), len(database.messages))
    expect(f'{path.name} nodes', [n['name'] for n in ours.database['nodes']], [n.name for n in database.nodes])
    counts = [0, 0, 0]
    for index, (description, message) in enumerate(zip(ours.database['messages'], database.messages)):
        where = f'{path.name} {description["name"]}'
        expect(where, description['name'], message.name)
        compare_message(where, description, message)
        counts[0] += 1
        if not message.signals:
            continue
        for _ in range(FRAMES):
            data = valid_frame(message, rng)
            if data is None:
                break
            counts[1] += 1
            counts[2] += compare_frame(where, ours, index, description, message, data)
    ours.close()
    return counts


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    logging.disable(logging.WARNING)
    folders = [folder for folder in os.environ.get('TANDEM_DBC_FILES', '').split(':') if folder]
    files = []
    for place in map(pathlib.Path, [*sys.argv[2:], *folders]):
        files += sorted(place.rglob('*.dbc')) if place.is_dir() else [place] if place.is_file() else []
    failed = agreed = 0
    for number, path in enumerate(files):
        try:
            messages, frames, signals = check_file(sys.argv[1], path, number)
            print(f'{path.name}: {messages} messages, {signals} signals in {frames} frames agree')
            agreed += 1
            failed += path.stem in BROKEN
        except (ValueError, cantools.database.errors.Error, cantools.database.UnsupportedDatabaseFormatError) as error:
            print(f'{path.name}: {error}')
            failed += path.stem not in BROKEN
    print(f'{agreed} files agree')
    sys.exit(1 if failed or not files else 0)


main()
