"""What the excavator costs: instructions per step of 1 ms while axes move, the share of each unit, real-time factors.

Instructions are counted by valgrind as the difference of a longer and a shorter run of the working cycle; they are
repeatable and decide. Times are reported only.

usage: excavator.py TANDEM FMUS REPOSITORY [MODELICA_BUILD_SCRIPT] [--quick]

--quick counts instructions only, of one run from the beginning.
"""
import pathlib
import subprocess
import sys
import tempfile

from measure import Bench, staged

# Per step, asked of hydraulics + mechanics; kinematics and master are counted here as well.
MOST_INSTRUCTIONS = {'manual': 250_000, 'manual_simple': 150_000}
LEAST_MODELICA = 5          # x real time, reported
SPAN = (1.5, 2.5)           # s of the working cycle: boom, adjustable boom and arm move
QUICK_SPAN = (0, 1.1)       # it stands until 0.5, then the first two move
EQUAL_ACCURACY = 2e-3       # of a pressure: what the default solver may differ from CVODE


def pressures(path):
    with open(path) as file:
        names = next(file).strip().split(',')
        rows = [[float(value) for value in line.split(',')] for line in file]
    return {name: [row[i] for row in rows] for i, name in enumerate(names) if 'pressure' in name}


def compare_solvers(bench):
    """The default solver and CVODE over the working cycle: largest difference of a pressure, and cost."""
    results, seconds = {}, {}
    for solver in ('rosenbrock', 'cvode'):
        _, seconds[solver] = bench.run('manual', 8, '--set', f'hydraulics.solver={solver}', '--record',
                                       'hydraulics.*.pressure_?', '--record-interval', '0.02')
        results[solver] = pressures(bench.folder / 'out' / 'results.csv')
    worst = max(max(abs(a - b) for a, b in zip(values, results['cvode'][name])) / max(map(abs, values))
                for name, values in results['rosenbrock'].items())
    return worst, seconds


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    quick = '--quick' in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != '--quick']
    tandem, fmus, repository = (pathlib.Path(argument).resolve() for argument in arguments[:3])
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        systems = staged(repository, fmus, folder)
        bench = Bench(tandem, systems, folder, '--scenario', systems / 'working_cycle.xml')
        for system, most in MOST_INSTRUCTIONS.items():
            whole = sum(bench.per_step(system, QUICK_SPAN if quick else SPAN, '--record', 'none').values())
            if whole > most:
                failures.append(f'{system}: {whole:,.0f} instructions per step > {most:,}')
            print(f'{system}: {whole:,.0f} instructions per step of the whole system', flush=True)
        if not quick:
            for system in ('manual', 'manual_simple', 'manual_kinematic'):
                _, seconds = bench.run(system, 24, '--record', 'none')
                shares = ', '.join(f'{unit} {each} ({share} %)' for unit, each, share in bench.shares(system, 8, '--record', 'none'))
                print(f'{system}: {24 / seconds:.1f} x real time of one core; wall time per step {shares}', flush=True)
            worst, seconds = compare_solvers(bench)
            print(f'default solver against CVODE: pressures within {worst:.1e}, whole run {seconds["rosenbrock"]:.2f} s '
                  f'against {seconds["cvode"]:.2f} s of CPU time')
            if worst > EQUAL_ACCURACY:
                failures.append(f'the solvers differ by {worst:.1e} > {EQUAL_ACCURACY}')
            modelica(bench, arguments[3:])
    for failure in failures:
        print('FAILED:', failure)
    sys.exit(1 if failures else 0)


def modelica(bench, script):
    unit = bench.systems / 'resources' / 'hydraulics_modelica.fmu'
    if not script or subprocess.run([sys.executable, script[0], '--output', unit]).returncode != 0:
        print('the Modelica plant is not measured: no compiler')
        return
    _, seconds = bench.run('manual_modelica', 24, '--record', 'none')
    print(f'manual_modelica: {24 / seconds:.1f} x real time of one core (aim: {LEAST_MODELICA})')


if __name__ == '__main__':
    main()
