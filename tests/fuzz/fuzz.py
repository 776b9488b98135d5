"""Runs every libFuzzer target: 10^7 executions where bytes are decoded (in at most six times SECONDS), SECONDS where
files are needed; prints what was reached.

usage: fuzz.py BUILD [--seconds 600] [--runs 10000000] [--only NAME ...]
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

LIMITS = ['-rss_limit_mb=2048', '-timeout=5', '-malloc_limit_mb=1024', '-print_final_stats=1', '-detect_leaks=1', '-seed=1']


def targets(build):
    with open(os.path.join(build, 'tests/fuzz/manifest.txt'), encoding='utf-8') as file:
        for line in file:
            name, kind, *patterns = line.split()
            yield name, kind, [path for pattern in patterns for path in sorted(glob.glob(pattern))]


def run(build, name, kind, seeds, options):
    """The row of one target, and whether nothing was found."""
    folder = os.path.join(build, 'fuzz', name)
    os.makedirs(os.path.join(folder, 'corpus'), exist_ok=True)
    os.makedirs(os.path.join(folder, 'seeds'), exist_ok=True)
    for number, seed in enumerate(seeds):
        shutil.copyfile(seed, os.path.join(folder, 'seeds', f'{number}-{os.path.basename(seed)}'))
    runs, seconds = (options.runs, 6 * options.seconds) if kind == 'bytes' else (-1, options.seconds)
    done = subprocess.run([os.path.abspath(os.path.join(build, 'tests/fuzz', 'fuzz_' + name)), 'corpus', 'seeds', f'-runs={runs}',
                           f'-max_total_time={seconds}', '-max_len=65536', '-artifact_prefix=./', *LIMITS],
                          cwd=folder, capture_output=True, text=True, errors='replace')
    text = done.stderr
    executions = re.search(r'stat::number_of_executed_units:\s*(\d+)', text)
    rss = re.search(r'stat::peak_rss_mb:\s*(\d+)', text)
    covered = re.findall(r'cov: (\d+) ft: (\d+)', text)
    found = lambda match: match.group(1) if match else '?'
    edges, features = covered[-1] if covered else ('?', '?')
    print(f'{name:20} {len(seeds):6} {found(executions):>12} {edges:>9} {features:>9} {found(rss):>8}  '
          f'{"ok" if done.returncode == 0 else "FOUND"}', flush=True)
    if done.returncode != 0:
        with open(os.path.join(folder, 'log.txt'), 'w', encoding='utf-8') as log:
            log.write(text)
        print('\n'.join(text.splitlines()[-40:]))
        print(f'    all of it, and the input, in {folder}')
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--seconds', type=int, default=600)
    parser.add_argument('--runs', type=int, default=10_000_000)
    parser.add_argument('--only', nargs='*')
    options = parser.parse_args()
    print(f'{"target":20} {"seeds":>6} {"executions":>12} {"edges":>9} {"features":>9} {"peak MB":>8}')
    results = [run(options.build, name, kind, seeds, options) for name, kind, seeds in targets(options.build)
               if not options.only or name in options.only]
    sys.exit(0 if results and all(results) else 1)


if __name__ == '__main__':
    main()
