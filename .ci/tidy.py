"""clang-tidy over the sources of a build folder as it compiles them: what is compiled together is looked at together, since the headers
that its files share take most of the time. What passed is looked at again only when one of its files, a project header that they
include, or .clang-tidy changes.

usage: tidy.py BUILD_FOLDER      (from the root of the repository)
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path.cwd()
FOLDERS = ('master', 'models', 'fmus', 'interfaces')
# What is said only because sources are included in one: they are meant to be, declare again what they use of each other, and see each
# other's names.
TOGETHER = ('--checks=-bugprone-suspicious-include,-readability-redundant-declaration', '--extra-arg=-Wno-shadow')
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def sources(build):
    """What is compiled, the largest first: the folder of a source or of several together says whose it is."""
    with open(build / 'compile_commands.json', encoding='utf-8') as file:
        compiled = {pathlib.Path(entry['file']) for entry in json.load(file)}
    found = [path for path in compiled for base in (build, ROOT)
             if path.is_relative_to(base) and path.relative_to(base).parts[0] in FOLDERS]
    return sorted(found, key=lambda path: -sum(file.stat().st_size for file in reached(path, set())))


def reached(path, found):
    """The file and all project files that it includes: includes are paths from the root."""
    path = ROOT / path
    if path in found or not path.is_file():
        return found
    found.add(path)
    for name in INCLUDE.findall(path.read_text()):
        reached(pathlib.Path(name), found)
    return found


def key(path):
    digest = hashlib.sha256(pathlib.Path('.clang-tidy').read_bytes())
    for file in sorted(reached(path, set())):
        digest.update(str(file).encode() + b'\0' + file.read_bytes())
    return digest.hexdigest()


def check(build, path):
    stamp = build / 'tidy' / key(path)
    if stamp.exists():
        return True
    done = subprocess.run(['clang-tidy-16', '--quiet', *TOGETHER, '-p', build, path], capture_output=True, text=True)
    if done.returncode == 0:
        stamp.touch()
        return True
    print(done.stdout or done.stderr, flush=True)
    return False


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    (build / 'tidy').mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(lambda path: check(build, path), sources(build)))
    print(f'clang-tidy: {len(passed)} compilations, {passed.count(False)} with findings')
    sys.exit(0 if passed and all(passed) else 1)


if __name__ == '__main__':
    main()
