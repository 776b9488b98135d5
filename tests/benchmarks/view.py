"""What a view costs the run that it shows, within one run: CPU time of the thread that simulates, of the excavator with wall, LiDAR and
edge, in stretches in which a client takes 30 states and 10 clouds a second and in stretches in which nobody looks. The run is paced below
what it can hold, so that all stretches simulate the same time; they alternate (none, client, client, none), so that what changes slowly,
in the run or in the machine, drops out of each round. The median of the rounds counts: what else the machine does strikes single ones.

usage: view.py TANDEM REPOSITORY
"""
import pathlib
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'master' / 'view'))
from view_client import CLOUD, STATE, Page, Run  # noqa: E402

MOST = 0.05  # of the CPU time without a client
PACE = 0.5   # simulated per real second
STRETCH, SETTLE = 1.0, 0.3  # s
ROUNDS = 9
LEAST_STATES, LEAST_CLOUDS = 25, 8  # a second, on a machine that does other things too
LATE = 16    # flag of a state: the pace is not held


def thread_that_simulates(process):
    """The main thread of the child."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        children = pathlib.Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text().split()
        if children:
            return pathlib.Path(f'/proc/{children[0]}/task/{children[0]}/schedstat')
        time.sleep(0.01)
    sys.exit('the run has no process')


class Client(threading.Thread):
    """Takes everything that is sent, until it is told to end."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.page, self.over = Page(address), False

    def run(self):
        try:
            while not self.over:
                self.page.receive()
        except Exception:  # the view has ended
            self.over = True

    def end(self):
        self.over = True
        self.join()
        self.page.close()


def stretch(place, address, seen):
    """CPU time per second; what a client saw is put into `seen`, which is None for no client."""
    client = None
    if seen is not None:
        client = Client(address)
        client.start()
    time.sleep(SETTLE)
    if client:
        client.page.seen.clear()
    begin, before = time.monotonic(), int(place.read_text().split()[0])
    time.sleep(STRETCH)
    cost = (int(place.read_text().split()[0]) - before) * 1e-9 / (time.monotonic() - begin)
    if client:
        seen += client.page.seen
        client.end()
    return cost


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    system = pathlib.Path(sys.argv[2]) / 'config' / 'excavator' / 'SystemStructure.ssd'
    costs, rounds, seen = {False: [], True: []}, [], []
    with Run(sys.argv[1], system, '--stop=1000', f'--realtime={PACE}', '--record=none', '--threads=1') as run:
        run.system()
        place = thread_that_simulates(run.process)
        time.sleep(1)
        for _ in range(ROUNDS):
            for watched in (False, True, True, False):
                costs[watched].append(stretch(place, run.address, seen if watched else None))
            rounds.append(sum(costs[True][-2:]) / sum(costs[False][-2:]) - 1)
        run.end()
    alone, watched = (statistics.median(costs[each]) for each in (False, True))
    more = statistics.median(rounds)
    time_seen = STRETCH * len(costs[True])
    states, clouds = (sum(frame.kind == kind for frame in seen) / time_seen for kind in (STATE, CLOUD))
    late = sum(frame.kind == STATE and frame.flags & LATE != 0 for frame in seen)
    print(f'CPU time per second: {1e3 * alone:.1f} ms without a client, {1e3 * watched:.1f} ms with one: {100 * more:+.1f} % '
          f'(rounds {100 * min(rounds):+.1f} to {100 * max(rounds):+.1f} %); '
          f'{states:.1f} states and {clouds:.1f} clouds a second; {late} states were late')
    failures = [text for failed, text in (
        (more > MOST, f'the view costs more than {100 * MOST:.0f} %'),
        (states < LEAST_STATES, f'less than {LEAST_STATES} states a second'),
        (clouds < LEAST_CLOUDS, f'less than {LEAST_CLOUDS} clouds a second')) if failed]
    sys.exit('\n'.join(failures) if failures else 0)


if __name__ == '__main__':
    main()
