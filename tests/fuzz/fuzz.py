"""Runs every libFuzzer target and prints what was reached. Where bytes are decoded, 10^7 executions are asked for: what earlier
runs did counts (BUILD/fuzz/executions.json), and a run takes at most six times SECONDS per target. Where files are needed, SECONDS each.

usage: fuzz.py BUILD [--seconds 600] [--runs 10000000] [--jobs 1] [--only NAME ...]
"""
import argparse
import concurrent.futures
import fcntl
import glob
import json
import os
import re
import shutil
import subprocess
import sys

LIMITS = ['-rss_limit_mb=2048', '-timeout=5', '-malloc_limit_mb=1024', '-print_final_stats=1', '-detect_leaks=1', '-reduce_inputs=0']
# What costs most of the time and finds nothing more: long stacks of each allocation (a leak or a crash still says where it is), and
# freed memory kept until it has left the processor's cache, and stacks that are kept after their functions returned.
ENVIRONMENT = {**os.environ, 'ASAN_OPTIONS': 'malloc_context_size=2:quarantine_size_mb=4:detect_stack_use_after_return=0'}
SHORT = 16           # part of the longest input that most executions try: many times faster, and little of a format is longer
SHORT_SHARE = 0.9


class Executions:
    """How often each target was executed by all runs, kept in a file beside what they found."""

    def __init__(self, file):
        self.file = file

    def counts(self):
        if not os.path.exists(self.file):
            return {}
        with open(self.file, encoding='utf-8') as text:
            return json.load(text)

    def of(self, name):
        return self.counts().get(name, 0)

    def add(self, name, count):
        with open(self.file + '.lock', 'w', encoding='utf-8') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # others may count at the same time
            counts = self.counts()
            counts[name] = counts.get(name, 0) + count
            with open(self.file + '.new', 'w', encoding='utf-8') as text:
                json.dump(counts, text, indent=1, sort_keys=True)
            os.replace(self.file + '.new', self.file)


def targets(build):
    with open(os.path.join(build, 'tests/fuzz/manifest.txt'), encoding='utf-8') as file:
        for line in file:
            name, kind, longest, *patterns = line.split()
            yield name, kind, int(longest), [path for pattern in patterns for path in sorted(glob.glob(pattern))]


def prepare(folder, seeds):
    shutil.rmtree(os.path.join(folder, 'seeds'), ignore_errors=True)
    for name in ('corpus', 'seeds'):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    for number, seed in enumerate(seeds):
        shutil.copyfile(seed, os.path.join(folder, 'seeds', f'{number}-{os.path.basename(seed)}'))


def fuzz(options, folder, name, runs, seconds, longest, seed):
    """One call of libFuzzer: how it ended, and what it said."""
    done = subprocess.run([os.path.abspath(os.path.join(options.build, 'tests/fuzz', 'fuzz_' + name)), 'corpus', 'seeds',
                           f'-runs={runs}', f'-max_total_time={seconds}', f'-max_len={longest}', f'-seed={seed % 2**31 + 1}',
                           '-artifact_prefix=./', *LIMITS],
                          cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, errors='replace')
    return done.returncode, done.stderr


def stages(options, kind, longest, before):
    """How often, how long in seconds, and with which longest input a target is to be executed."""
    if kind != 'bytes':
        return [(-1, options.seconds, longest)]
    runs = max(options.runs - before, options.runs // 100)  # a target that has its number gets some more: its code may have changed
    short = int(SHORT_SHARE * runs)
    return [(short, 3 * options.seconds, max(longest // SHORT, 64)), (runs - short, 3 * options.seconds, longest)]


def run(options, executions, name, kind, longest, seeds):
    """Fuzzes one target; the text of its row, and whether nothing was found."""
    folder = os.path.join(options.build, 'fuzz', name)
    prepare(folder, seeds)
    now, peak, edges, features, code = 0, 0, '?', '?', 0
    for runs, seconds, length in stages(options, kind, longest, executions.of(name)):
        code, text = fuzz(options, folder, name, runs, seconds, length, executions.of(name))
        count = re.search(r'stat::number_of_executed_units:\s*(\d+)', text)
        rss = re.search(r'stat::peak_rss_mb:\s*(\d+)', text)
        covered = re.findall(r'cov: (\d+) ft: (\d+)', text)
        edges, features = covered[-1] if covered else (edges, features)
        now += int(count.group(1)) if count else 0
        peak = max(peak, int(rss.group(1)) if rss else 0)
        executions.add(name, int(count.group(1)) if count else 0)
        if code != 0:
            break
    row = (f'{name:18} {len(seeds):5} {now:>11} {executions.of(name):>11} {edges:>7} {features:>8} {peak:>8}  '
           f'{"ok" if code == 0 else "FOUND"}')
    if code != 0:
        with open(os.path.join(folder, 'log.txt'), 'w', encoding='utf-8') as log:
            log.write(text)
        row += '\n' + '\n'.join(text.splitlines()[-40:]) + f'\n    all of it, and the input, in {folder}'
    return row, code == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--seconds', type=int, default=600)
    parser.add_argument('--runs', type=int, default=10_000_000)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--only', nargs='*')
    options = parser.parse_args()
    os.makedirs(os.path.join(options.build, 'fuzz'), exist_ok=True)
    executions = Executions(os.path.join(options.build, 'fuzz', 'executions.json'))
    chosen = [target for target in targets(options.build) if not options.only or target[0] in options.only]
    print(f'{"target":18} {"seeds":>5} {"executions":>11} {"in total":>11} {"edges":>7} {"features":>8} {"peak MB":>8}', flush=True)
    clean = bool(chosen)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, ok in pool.map(lambda target: run(options, executions, *target), chosen):
            print(row, flush=True)
            clean = clean and ok
    sys.exit(0 if clean else 1)


if __name__ == '__main__':
    main()
