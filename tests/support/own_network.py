"""A network of its own for a script: nothing but the loopback interface, with a route for multicast. No frame leaves it."""
import ctypes
import os
import subprocess
import sys

INSIDE = 'TANDEM_IN_NAMESPACE'
CLONE_NEWNET = 0x40000000  # linux/sched.h


def enter():
    """Starts the script again inside; returns only there."""
    if not os.environ.get(INSIDE):
        os.environ[INSIDE] = '1'
        # Whoever is root stays it: in a user namespace nobody may ask for real-time scheduling.
        as_root = [] if os.geteuid() == 0 else ['--map-root-user']
        os.execvp('unshare', ['unshare', *as_root, '--net', sys.executable, *sys.argv])
    bring_up()


def leave_for_another():
    """Another such network for this process and what it starts; it is inside of one already."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), 'no network of its own')
    bring_up()


def bring_up():
    for command in ('ip link set lo up', 'ip route add 224.0.0.0/4 dev lo'):
        subprocess.run(command.split(), check=True)


def narrow():
    """The loopback interface carries 1 kB/s, so that datagrams wait in the buffers of who sent them; whether this kernel can."""
    return subprocess.run('tc qdisc add dev lo root tbf rate 8kbit burst 4kb limit 100000000'.split(),
                          capture_output=True).returncode == 0


def widen():
    """What waited is lost."""
    subprocess.run('tc qdisc del dev lo root'.split(), capture_output=True)
