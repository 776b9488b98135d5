"""With closed valves the machine keeps its pose for a minute: with full hydraulics it creeps as fast as its leaks let it,
with the simple ones not at all.

usage: hold_test.py TANDEM FMUS REPOSITORY; TANDEM_LONG=1 adds a second pose to the full hydraulics.
"""
import json
import os
import subprocess

from support import AXES, FMUS, StagedTest, TANDEM, main, run

SECONDS = 60
INTERVAL = 0.02    # s between recorded values
INNER = 50         # steps between two of them: an anti-cavitation valve fills a chamber at 1e4 1/s
AGREES = 0.01      # of the computed drift
NO_DRIFT = 2e-5    # m or rad: what the friction at standstill lets an axis move while oscillations die out
POSES = {'working': {}, 'reaching': {'boom': 0.38, 'adjust': 0.33, 'arm': 0.15, 'coupler': 0.2, 'slew': 0.25}}


def parameters_of(unit):
    """Start values of an archive's parameters."""
    text = subprocess.run([TANDEM, 'inspect', FMUS / unit, '--json'], capture_output=True, text=True, check=True).stdout
    return {v['name']: float(v['start']) for v in json.loads(text)['variables']
            if v['causality'] == 'parameter' and v['type'] == 'Float64'}


def leak_drift(own, axis, pressures, forces, position):
    """How far an axis creeps in SECONDS by leakage alone. The force stays what the load wants, so that the oil that leaks
    from A to B and to the tank decides how both pressures change and how fast the piston must follow:
    A_A p_A' - A_B p_B' = F'."""
    area_a, area_b = own[f'{axis}.area_a'], own[f'{axis}.area_b']
    stroke, moving = own.get(f'{axis}.stroke', 0), f'{axis}.stroke' in own
    bulk, inner, outer = (own[f'oil.{name}'] for name in ('bulk_modulus', 'internal_leak', 'external_leak'))
    suction = own['oil.suction_gain']
    a, b = pressures
    x, h = position, SECONDS / (len(forces) - 1)
    for before, after in zip(forces, forces[1:]):
        volume_a = own[f'{axis}.dead_volume_a'] + (area_a * x if moving else 0)
        volume_b = own[f'{axis}.dead_volume_b'] + (area_b * (stroke - x) if moving else 0)
        for _ in range(INNER):
            flow_a = -inner * (a - b) - outer * a + suction * max(0, -a)
            flow_b = inner * (a - b) - outer * b + suction * max(0, -b)
            stiffness = bulk * (area_a ** 2 / volume_a + area_b ** 2 / volume_b)
            lost = bulk * (area_a * flow_a / volume_a - area_b * flow_b / volume_b)
            velocity = (lost - (after - before) / h) / stiffness
            a += h / INNER * bulk / volume_a * (flow_a - area_a * velocity)
            b += h / INNER * bulk / volume_b * (flow_b + area_b * velocity)
            x += h / INNER * velocity
    return x - position


class Holding(StagedTest):
    def hold(self, system, pose):
        settings = [f'--set=mechanics.{axis}.initial_position={value}' for axis, value in POSES[pose].items()]
        return run(TANDEM, self.systems / system, '--settle', '--stop', SECONDS, '--record-interval', INTERVAL,
                   '--record', 'mechanics.*.position', '--record', 'hydraulics.*.force', '--record',
                   'hydraulics.*.pressure_?', *settings)

    def check_full(self, pose):
        result, own = self.hold('manual.ssd', pose), parameters_of('hydraulics.fmu')
        for axis in AXES:
            position = result[f'mechanics.{axis}.position']
            drift = position[-1] - position[0]
            pressures = [result[f'hydraulics.{axis}.pressure_{chamber}'][0] for chamber in 'ab']
            computed = leak_drift(own, axis, pressures, result[f'hydraulics.{axis}.force'], position[0])
            print(f'{pose}, {axis}: {1e6 * drift:.1f} micrometres (or rad), computed {1e6 * computed:.1f}')
            self.assertLess(abs(drift - computed), AGREES * abs(computed) + NO_DRIFT, f'{pose}: {axis}')

    def check_simple(self, pose):
        result = self.hold('manual_simple.ssd', pose)
        for axis in AXES:
            position = result[f'mechanics.{axis}.position']
            self.assertLess(max(abs(x - position[0]) for x in position), NO_DRIFT, f'{pose}: {axis}')

    def test_full_hydraulics_creep_by_leakage_only(self):
        for pose in POSES if os.environ.get('TANDEM_LONG') else ('reaching',):
            self.check_full(pose)

    def test_simple_hydraulics_do_not_sink(self):
        for pose in POSES:
            self.check_simple(pose)


if __name__ == '__main__':
    main()
