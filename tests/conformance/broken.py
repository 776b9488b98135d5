"""Breaks real FMUs in many ways (bytes flipped or removed in XML, zip and binary header; seeded) and runs each: the
master must end with an error of its own or run, never crash or hang.

usage: broken.py TANDEM FOLDER [--count N] [--seed S] [--limit SECONDS]

A unit whose code was entered may do what it likes: where the helper of `inspect --try` dies in the same unit after loading
it, the ending is counted apart.
"""
import argparse
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import zipfile


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tandem")
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=30)
    settings = parser.parse_args()
    generator = random.Random(settings.seed)
    files = sorted(pathlib.Path(settings.folder).rglob("*.fmu"))
    ends = {}
    failures = 0
    for number in range(settings.count):
        file = generator.choice(files)
        way = generator.choice(sorted(WAYS))
        data = WAYS[way](file.read_bytes(), generator)
        ending = run(settings, data)
        ends[ending] = ends.get(ending, 0) + 1
        bad = ending.startswith(("killed", "no end"))
        failures += bad
        if bad:
            print(f"{number}: {file.name}, {way}: {ending}")
    for ending, count in sorted(ends.items()):
        print(f"{count:4} {ending}")
    sys.exit(1 if failures else 0)


def run(settings, data):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "broken.fmu"
        path.write_bytes(data)
        command = [settings.tandem, "run", str(path), "--stop", "0.1", "--step", "0.01", "--out", folder + "/out"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=settings.limit)
        except subprocess.TimeoutExpired:
            return f"no end after {settings.limit:g} s"
        if done.returncode < 0:
            stage = where_it_dies(settings, path)
            return f"the unit's own code crashed in {stage}" if stage else f"killed by signal {-done.returncode}"
    if done.returncode == 0:
        return "ran"
    code = done.stderr.partition("error[")[2].partition("]")[0]
    return f"exit {done.returncode}, error[{code}]" if code else f"killed: exit {done.returncode} without an error"


def where_it_dies(settings, path):
    """The call of the unit in which the helper dies too; empty when it survives, or dies while it loads."""
    done = subprocess.run([settings.tandem, "inspect", str(path), "--try", "--json"], capture_output=True, text=True,
                          timeout=settings.limit)
    for trial in json.loads(done.stdout or "{}").get("trials", []):
        died, _, stage = trial.get("why", "").partition(" died of ")
        if stage and not stage.endswith("in dlopen"):
            return stage.rpartition(" in ")[2]
    return ""


def flip(data, generator, begin, end, count=8):
    changed = bytearray(data)
    for _ in range(count):
        if end > begin:
            changed[generator.randrange(begin, end)] ^= 1 << generator.randrange(8)
    return bytes(changed)


def cut(data, generator):
    begin = generator.randrange(len(data))
    return data[:begin] + data[begin + generator.randrange(1, max(2, len(data) // 4)):]


def rewritten(data, change):
    """The same archive with some of its files changed."""
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return output.getvalue()


def in_xml(change):
    return lambda data, generator: rewritten(
        data, lambda name, text: change(text, generator) if name == "modelDescription.xml" else text)


def in_binary(change):
    return lambda data, generator: rewritten(
        data, lambda name, text: change(text, generator) if name.endswith(".so") else text)


WAYS = {
    "bytes flipped in the XML": in_xml(lambda text, generator: flip(text, generator, 0, len(text))),
    "a part of the XML removed": in_xml(cut),
    "the XML truncated": in_xml(lambda text, generator: text[:generator.randrange(len(text))]),
    "bytes flipped in the archive": lambda data, generator: flip(data, generator, 0, len(data), 30),
    "bytes flipped in the directory of the archive":
        lambda data, generator: flip(data, generator, max(0, len(data) - 600), len(data)),
    "a part of the archive removed": cut,
    "the archive truncated": lambda data, generator: data[:generator.randrange(len(data))],
    "bytes flipped in the header of the binary":
        in_binary(lambda text, generator: flip(text, generator, 0, min(len(text), 1024))),
    "the binary truncated": in_binary(lambda text, generator: text[:generator.randrange(len(text))]),
    "a part of the binary removed": in_binary(cut),
}


if __name__ == "__main__":
    main()
