"""A network of its own for a script: nothing but the loopback interface, with a route for multicast. No frame leaves it."""
import os
import subprocess
import sys

INSIDE = 'TANDEM_IN_NAMESPACE'


def enter():
    """Starts the script again inside; returns only there."""
    if not os.environ.get(INSIDE):
        os.environ[INSIDE] = '1'
        # Whoever is root stays it: in a user namespace nobody may ask for real-time scheduling.
        as_root = [] if os.geteuid() == 0 else ['--map-root-user']
        os.execvp('unshare', ['unshare', *as_root, '--net', sys.executable, *sys.argv])
    for command in ('ip link set lo up', 'ip route add 224.0.0.0/4 dev lo'):
        subprocess.run(command.split(), check=True)
