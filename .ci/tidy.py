"""clang-tidy over the sources; a file that passed is looked at again only when it, a project header that it includes, or
.clang-tidy changes.

usage: tidy.py BUILD_FOLDER SOURCE...      (from the root of the repository)
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def reached(path, found):
    """The file and all project files that it includes: includes are paths from the root."""
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
    done = subprocess.run(['clang-tidy', '--quiet', '-p', build, path], capture_output=True, text=True)
    if done.returncode == 0:
        stamp.touch()
        return True
    print(done.stdout, flush=True)
    return False


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1])
    (build / 'tidy').mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(lambda name: check(build, pathlib.Path(name)), sys.argv[2:]))
    sys.exit(0 if all(passed) else 1)


if __name__ == '__main__':
    main()
