"""A small virtual machine with Debian's kernel, its CAN modules, busybox and can-utils: for tests that need CAN in the
kernel where the host has none. It boots in software emulation in about ten seconds."""
import io
import lzma
import os
import pathlib
import re
import shutil
import stat
import struct
import subprocess
import tarfile
import tempfile

TOOLS = ('candump', 'cansend', 'cangen', 'canbusload')
MODULES = ('can', 'can-raw', 'can-dev', 'vcan')  # in the order in which they load
PROGRAMS = ('qemu-system-x86_64', 'busybox', *TOOLS)

INIT = """#!/bin/sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
ip link set lo up
busybox stty -F /dev/ttyS1 raw -echo
sh /job.sh </dev/null >/dev/ttyS1 2>&1
echo "exit $?" >/dev/ttyS1
sync
printf '\\001' | dd of=/dev/port bs=1 seek=1280 count=1 2>/dev/null
poweroff -f
"""


class NotHere(Exception):
    """What is missing to make the machine."""


def missing_programs():
    return [name for name in PROGRAMS if not shutil.which(name)]


class Archive:
    """The root file system of the machine, in cpio's format newc."""

    def __init__(self):
        self.bytes, self.folders, self.number = bytearray(), set(), 0

    def _add(self, name, mode, data=b''):
        self.number += 1
        encoded = name.encode() + b'\0'
        fields = (self.number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        for part in (b'070701' + b''.join(b'%08X' % field for field in fields) + encoded, data):
            self.bytes += part + bytes(-len(part) % 4)

    def folder(self, name):
        parent = os.path.dirname(name)
        if parent and parent not in self.folders:
            self.folder(parent)
        if name not in self.folders:
            self.folders.add(name)
            self._add(name, stat.S_IFDIR | 0o755)

    def file(self, name, data, mode=0o644):
        name = name.lstrip('/')
        if os.path.dirname(name):
            self.folder(os.path.dirname(name))
        self._add(name, stat.S_IFREG | mode, data)

    def link(self, name, target):
        self._add(name, stat.S_IFLNK | 0o777, target.encode())

    def program(self, path, name, packed):
        """With the libraries that it is linked to, each once."""
        self.file(name, pathlib.Path(path).read_bytes(), 0o755)
        found = subprocess.run(['ldd', path], capture_output=True, text=True).stdout
        for library in re.findall(r'(/\S+) \(0x', found):
            if library not in packed:
                packed.add(library)
                self.file(library, pathlib.Path(library).read_bytes(), 0o755)

    def finish(self):
        self._add('TRAILER!!!', 0)
        return bytes(self.bytes)


def kernel_name():
    depends = subprocess.run(['apt-cache', 'depends', 'linux-image-amd64'], capture_output=True, text=True).stdout
    found = re.search(r'Depends: (linux-image-[0-9]\S*)', depends)
    return found and found.group(1)


def kernel_package(folder):
    """The package of Debian's current kernel, downloaded and not installed."""
    name = kernel_name()
    if not name:  # the package lists may be empty
        subprocess.run(['apt-get', 'update', '-qq'], capture_output=True)
        name = kernel_name()
    if not name:
        raise NotHere('the package lists know no linux-image-amd64')
    done = subprocess.run(['apt-get', '-q', 'download', name], cwd=folder, capture_output=True, text=True)
    packages = sorted(pathlib.Path(folder).glob('linux-image-*.deb'))
    if not packages:
        raise NotHere(f'{name} cannot be downloaded: {done.stderr.strip()}')
    return packages[0]


def unpacked_kernel(image):
    """The ELF file within a bzImage, which boots without unpacking itself first: slow in emulation."""
    begin = (image[0x1F1] + 1) * 512 + struct.unpack_from('<I', image, 0x248)[0]
    size = struct.unpack_from('<I', image, 0x24C)[0]
    try:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(image[begin:begin + size])
    except lzma.LZMAError:
        return image


def prepare(cache):
    """Kernel and modules, once per cache folder."""
    if (cache / 'complete').exists():
        return
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        package = kernel_package(folder)
        content = subprocess.run(['dpkg-deb', '--fsys-tarfile', package], capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                base = os.path.basename(member.name)
                if re.match(r'\./boot/vmlinuz-', member.name):
                    (cache / 'kernel').write_bytes(unpacked_kernel(archive.extractfile(member).read()))
                elif member.isfile() and re.sub(r'\.ko(\.xz)?$', '', base) in MODULES:
                    data = archive.extractfile(member).read()
                    (cache / base.removesuffix('.xz')).write_bytes(lzma.decompress(data) if base.endswith('.xz') else data)
    (cache / 'complete').touch()


def run(cache, job, programs, seconds=120):
    """Runs a script of the shell in the machine, with these programs in /bin; returns its output and exit code."""
    prepare(cache)
    archive, packed = Archive(), set()
    for name in ('proc', 'sys', 'dev', 'tmp', 'bin'):
        archive.folder(name)
    archive.program(shutil.which('busybox'), 'bin/busybox', packed)
    archive.link('bin/sh', 'busybox')
    for path in (*map(shutil.which, TOOLS), *programs):
        archive.program(path, 'bin/' + os.path.basename(path), packed)
    for module in MODULES:
        archive.file(f'mod/{module}.ko', (cache / f'{module}.ko').read_bytes())
    archive.file('init', INIT.encode(), 0o755)
    archive.file('job.sh', job.encode(), 0o755)
    with tempfile.TemporaryDirectory() as folder:
        disk, output, console = (os.path.join(folder, name) for name in ('initrd', 'output', 'console'))
        pathlib.Path(disk).write_bytes(archive.finish())
        subprocess.run(
            ['qemu-system-x86_64', '-M', 'q35,accel=tcg', '-cpu', 'max', '-smp', '1', '-m', '256', '-nodefaults',
             '-no-user-config', '-nographic', '-no-reboot', '-kernel', cache / 'kernel', '-initrd', disk,
             '-append', 'console=ttyS0 quiet loglevel=3 panic=-1 tsc=reliable no_timer_check mitigations=off nokaslr audit=0',
             '-device', 'isa-debug-exit,iobase=0x500,iosize=1', '-serial', f'file:{console}', '-serial', f'file:{output}',
             '-monitor', 'none'], stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
        text = pathlib.Path(output).read_text(errors='replace').replace('\r', '')
        found = re.search(r'^exit (\d+)$', text, re.M)
        if not found:
            tail = pathlib.Path(console).read_text(errors='replace')[-2000:]
            raise RuntimeError(f'the machine ended without a result\n{text}\n{tail}')
        return text[:found.start()], int(found.group(1))
