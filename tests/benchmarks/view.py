"""What a view costs the run that it shows: CPU time of the thread that simulates, of the excavator with wall, LiDAR and edge, without a
view and with a client that takes 30 states and 10 clouds a second. The run is paced, so that both take as long and the client is served
all the while. CPU time is the difference of a long and a short run, so that set-up drops out; several of each kind in turn, and the least
of each is compared: what else the machine does only adds.

usage: view.py TANDEM REPOSITORY
"""
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'master' / 'view'))
from view_client import CLOUD, STATE, Page, Run  # noqa: E402

MOST = 0.05       # of the CPU time of the run without a view
SHORT, LONG = 1, 5  # s, simulated, and by the clock
ROUNDS = 2
LEAST_STATES, LEAST_CLOUDS = 20, 6  # a second, on a machine that does other things too


def thread_that_simulates(process):
    """The main thread of the child."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        children = pathlib.Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text().split()
        if children:
            return pathlib.Path(f'/proc/{children[0]}/task/{children[0]}/schedstat')
        time.sleep(0.01)
    sys.exit('the run has no process')


class Meter(threading.Thread):
    """CPU time at the last look before the end."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.place, self.seconds = thread_that_simulates(process), 0.0

    def run(self):
        try:
            while True:
                self.seconds = int(self.place.read_text().split()[0]) / 1e9
                time.sleep(0.005)
        except (OSError, IndexError):  # it has ended
            pass


def measure(tandem, system, stop, seen):
    """CPU time of a run; `seen` is None for no view, else a list that takes what a client saw."""
    arguments = [system, f'--stop={stop}', '--realtime', '--record=none', '--threads=1', '--quiet']
    if seen is None:
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([tandem, 'run', *arguments, f'--out={folder}/out', '--shadow=off'],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            meter = Meter(process)
            meter.start()
            process.wait()
            meter.join()
        return meter.seconds
    arguments.remove('--quiet')  # says where the page is
    with Run(tandem, *arguments, '--view-exit') as run:
        meter = Meter(run.process)
        meter.start()
        page = Page(run.address)
        try:
            while True:
                page.receive()
        except Exception:  # the view has ended
            pass
        run.wait()
        meter.join()
        seen.append(page.seen)
    return meter.seconds


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tandem, system = sys.argv[1], pathlib.Path(sys.argv[2]) / 'config' / 'excavator' / 'SystemStructure.ssd'
    seen, times = [], {(stop, view): [] for stop in (SHORT, LONG) for view in (False, True)}
    for _ in range(ROUNDS):
        for stop, view in times:
            times[stop, view].append(measure(tandem, system, stop, [] if stop == SHORT else seen) if view
                                     else measure(tandem, system, stop, None))
    alone, watched = (min(times[LONG, view]) - min(times[SHORT, view]) for view in (False, True))
    more = watched / alone - 1
    states = max(sum(frame.kind == STATE for frame in each) for each in seen) / LONG
    clouds = max(sum(frame.kind == CLOUD for frame in each) for each in seen) / LONG
    print(f'CPU time of {LONG - SHORT} s: {alone:.3f} s without a view, {watched:.3f} s with one: {100 * more:+.1f} %; '
          f'{states:.1f} states and {clouds:.1f} clouds a second')
    failures = [text for failed, text in (
        (more > MOST, f'the view costs more than {100 * MOST:.0f} %'),
        (states < LEAST_STATES, f'less than {LEAST_STATES} states a second'),
        (clouds < LEAST_CLOUDS, f'less than {LEAST_CLOUDS} clouds a second')) if failed]
    sys.exit('\n'.join(failures) if failures else 0)


if __name__ == '__main__':
    main()
