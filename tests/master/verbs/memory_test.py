"""Memory does not grow with the length of a run, its report included: the peak of all processes of a long run against that of one a
tenth as long, in every format.

usage: memory_test.py TANDEM FMUS TEST_FMUS EXAMPLES [-k PART ...] [--list] [--keep]; TANDEM_LONG=1: 2e6 rows
"""
import sys

from bad_conditions import LONG, main

ROWS = 2_000_000 if LONG else 600_000
MOST_GROWTH = 6 * 1024  # kB from a tenth of the rows to all; the rows alone are 18 MB more (64 MB with 2e6)


# A process begins with the peak of the one that started it, so that a small one must: not this one, which reads results.
STARTER = """import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)"""


def peak(place, form, rows):
    """Kilobytes of the largest of its processes."""
    place.system(stop=rows / 1000)
    note = place.folder / 'peak'
    done = place.wait(place.start([sys.executable, '-I', '-S', '-c', STARTER, note, *place.run_command(form=form)]),
                      timeout=300)
    place.check(done.code == 0, f'{rows} rows: {done}')
    return int(note.read_text())


def flat(form):
    def work(place):
        short, long = (peak(place, form, rows) for rows in (ROWS // 10, ROWS))
        print(f'     {form}: {short / 1024:.1f} MB for {ROWS // 10} rows, {long / 1024:.1f} MB for {ROWS}', flush=True)
        place.check(long - short < MOST_GROWTH, f'{short} kB for {ROWS // 10} rows, {long} kB for {ROWS}')
        place.check_rows(form, exactly=ROWS + 1)
        place.check((place.out / 'report.html').exists(), 'no report')
        place.check_record(complete=True, code=0)
        place.check_clean()
    return work


if __name__ == '__main__':
    main([(form, flat(form)) for form in ('csv', 'hdf5', 'mat')])
