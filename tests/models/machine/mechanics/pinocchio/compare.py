"""Mass matrix, bias and gravity of our machines against Pinocchio, at random states of the same URDF.

usage: compare.py MECHANICS_TERMS MACHINE.urdf...
"""
import subprocess
import sys

import numpy as np
import pinocchio

STATES = 1000
LARGEST_DIFFERENCE = 1e-9  # of the largest entry at that state


def compare(program, urdf):
    model = pinocchio.buildModelFromUrdf(urdf)
    model.gravity.linear = np.array([0, 0, -9.81])
    data = model.createData()
    names = list(model.names)[1:]
    random = np.random.default_rng(5)
    size = model.nq
    q = random.uniform(np.maximum(model.lowerPositionLimit, -3), np.minimum(model.upperPositionLimit, 3), (STATES, size))
    v = random.uniform(-2, 2, (STATES, size))
    ours_first = subprocess.run([program, urdf], input='', capture_output=True, text=True, check=True).stdout.split()
    if sorted(ours_first) != sorted(names):
        sys.exit(f'{urdf}: our joints are {ours_first}, those of Pinocchio {names}')
    order = [names.index(name) for name in ours_first]
    lines = '\n'.join(' '.join(repr(float(x)) for x in (*q[k][order], *v[k][order])) for k in range(STATES))
    printed = subprocess.run([program, urdf], input=lines, capture_output=True, text=True, check=True).stdout
    rows = [np.array(line.split(), float) for line in printed.splitlines()[1:]]
    if len(rows) != STATES:
        sys.exit(f'{urdf}: {len(rows)} states printed, {STATES} given')
    worst = {'mass matrix': 0.0, 'bias': 0.0, 'gravity': 0.0}
    for k, row in enumerate(rows):
        mass = pinocchio.crba(model, data, q[k])
        mass = np.triu(mass) + np.triu(mass, 1).T
        theirs = {'mass matrix': mass[np.ix_(order, order)],
                  'bias': pinocchio.nonLinearEffects(model, data, q[k], v[k])[order],
                  'gravity': pinocchio.computeGeneralizedGravity(model, data, q[k])[order]}
        ours = {'mass matrix': row[:size * size].reshape(size, size), 'bias': row[size * size:size * size + size],
                'gravity': row[size * size + size:]}
        for name, expected in theirs.items():
            worst[name] = max(worst[name], np.abs(ours[name] - expected).max() / np.abs(expected).max())
    for name, difference in worst.items():
        print(f'{urdf.split("/")[-1]}: {name}: {difference:.2e} of the largest entry')
    return all(difference < LARGEST_DIFFERENCE for difference in worst.values())


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if not all([compare(sys.argv[1], urdf) for urdf in sys.argv[2:]]):
        sys.exit(f'more than {LARGEST_DIFFERENCE} of the largest entry')


main()
