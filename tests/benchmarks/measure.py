"""What the benchmarks of the excavator share: a copy of its systems with the units of a build, and runs of them that are
timed or counted. Instructions are counted by valgrind, within the master's loop: units, coupling, recording. Set-up
before it and the summary, hash and report after it are left out, but part of every time."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

LOOP = 'master::core::run(*'
# Valgrind counts every byte that a `rep movsb` copies, a processor one instruction: let the C library copy large blocks
# as it copies small ones, by vector instructions, which both count alike.
COPY_IN_LOOPS = {'GLIBC_TUNABLES': 'glibc.cpu.x86_rep_movsb_threshold=1000000000:'
                                   'glibc.cpu.x86_rep_stosb_threshold=1000000000'}

# A shadow would write its counts into the same file.
ONE_PROCESS = {'TANDEM_SHADOW': 'off'}


def staged(repository, fmus, folder):
    """config/excavator with its machines and the units of this build; returns the folder of the systems."""
    systems = folder / 'config' / 'excavator'
    shutil.copytree(repository / 'config' / 'excavator', systems, ignore=shutil.ignore_patterns('*.fmu'))
    shutil.copytree(repository / 'config' / 'machines', folder / 'config' / 'machines')
    for system in systems.glob('*.ssd'):
        for unit in re.findall(r'source="resources/(\w+\.fmu)"', system.read_text()):
            if (fmus / unit).exists():
                shutil.copy(fmus / unit, systems / 'resources')
    return systems


class Bench:
    """Runs of the systems in a folder, on one thread, with options that all of them have."""

    def __init__(self, tandem, systems, folder, *options):
        self.tandem, self.systems, self.folder, self.options = tandem, systems, folder, options

    def command(self, system, stop, *options):
        return [self.tandem, 'run', self.systems / f'{system}.ssd', '--stop', str(stop), '--quiet', '--threads', '1',
                '--out', self.folder / 'out', *self.options, *options]

    def run(self, system, stop, *options):
        """What the run printed, and its CPU time in seconds."""
        begin = os.times()
        done = subprocess.run(self.command(system, stop, *options), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f'{system}: {done.stderr}')
        end = os.times()
        return done.stdout, end.children_user - begin.children_user + end.children_system - begin.children_system

    def shares(self, system, stop, *options):
        """Wall time per step and share of each unit."""
        text, _ = self.run(system, stop, '--stats', *options)
        return re.findall(r'^(\w+) .*?([\d.]+ [mun]?s) +([\d.]+) %$', text, re.M)

    def instructions(self, system, stop, *options):
        """Of the loop, by the object (program or library) that they belong to."""
        profile = self.folder / 'callgrind.out'
        done = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={profile}', '--dump-line=no',
                               f'--toggle-collect={LOOP}', *self.command(system, stop, *options), '--in-process'],
                              capture_output=True, text=True, env=os.environ | COPY_IN_LOOPS | ONE_PROCESS)
        if done.returncode != 0 or not profile.exists():
            sys.exit(f'{system}: {done.stderr}')
        counts = read_objects(profile)
        collected = re.search(r'Collected : (\d+)', done.stderr)
        if not collected or sum(counts.values()) != int(collected.group(1)):
            sys.exit(f'{system}: the objects of {profile} do not add up to what callgrind collected')
        return counts

    def per_step(self, system, span, *options):
        """Instructions per step of 1 ms within a span of simulated time, by object; from the beginning one run tells them."""
        long = self.instructions(system, span[1], *options)
        if span[0] > 0:
            long.subtract(self.instructions(system, span[0], *options))
        return {name: count / ((span[1] - span[0]) * 1000) for name, count in long.items()}


def read_objects(profile):
    """The cost of each object in a file of callgrind (its manual, 'Callgrind format'): a line of cost belongs to the
    last `ob=`, unless it follows `calls=`, which makes it the cost of what was called."""
    counts, names, current, called = collections.Counter(), {}, '', False
    with open(profile) as file:
        for line in file:
            if line.startswith('ob='):
                number, name = re.fullmatch(r'ob=(\(\d+\))(?: (.*))?', line.rstrip()).groups()
                current = remember(names, number, name)
            elif line.startswith('cob='):
                remember(names, *re.fullmatch(r'cob=(\(\d+\))(?: (.*))?', line.rstrip()).groups())
            elif line.startswith('calls='):
                called = True
            elif line[0].isdigit() or line[0] in '+-*':
                if not called:
                    counts[current] += int(line.split()[1])
                called = False
    return counts


def remember(names, number, name):
    """Names are written once and then called by their number."""
    if name is not None:
        names[number] = pathlib.Path(name).name
    return names[number]
