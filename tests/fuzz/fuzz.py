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
# Few frames of each allocation are kept: more cost most of the time. A leak or a crash still says where it is.
ENVIRONMENT = {**os.environ, 'ASAN_OPTIONS': 'malloc_context_size=4'}


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


def run(options, executions, name, kind, longest, seeds):
    """Fuzzes one target; the text of its row, and whether nothing was found."""
    folder = os.path.join(options.build, 'fuzz', name)
    prepare(folder, seeds)
    before = executions.of(name)
    runs, seconds = -1, options.seconds
    if kind == 'bytes':  # a target that has its number gets some more: its code may have changed
        runs, seconds = max(options.runs - before, options.runs // 100), 6 * options.seconds
    done = subprocess.run([os.path.abspath(os.path.join(options.build, 'tests/fuzz', 'fuzz_' + name)), 'corpus', 'seeds',
                           f'-runs={runs}', f'-max_total_time={seconds}', f'-max_len={longest}', f'-seed={before % 2**31 + 1}',
                           '-artifact_prefix=./', *LIMITS],
                          cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, errors='replace')
    text = done.stderr
    now = re.search(r'stat::number_of_executed_units:\s*(\d+)', text)
    rss = re.search(r'stat::peak_rss_mb:\s*(\d+)', text)
    covered = re.findall(r'cov: (\d+) ft: (\d+)', text)
    edges, features = covered[-1] if covered else ('?', '?')
    if now:
        executions.add(name, int(now.group(1)))
    row = (f'{name:18} {len(seeds):5} {now.group(1) if now else "?":>11} {executions.of(name):>11} {edges:>7} {features:>8} '
           f'{rss.group(1) if rss else "?":>8}  {"ok" if done.returncode == 0 else "FOUND"}')
    if done.returncode != 0:
        with open(os.path.join(folder, 'log.txt'), 'w', encoding='utf-8') as log:
            log.write(text)
        row += '\n' + '\n'.join(text.splitlines()[-40:]) + f'\n    all of it, and the input, in {folder}'
    return row, done.returncode == 0


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
