"""The axes under closed-loop control: a step in every target and in the load is told, and gains can be tuned.

usage: axes_test.py TANDEM FMUS REPOSITORY
"""
import json
import re
import subprocess

from support import FMUS, StagedTest, TANDEM, main, run

CONTROLLED = ('boom', 'adjust', 'arm', 'coupler', 'slew', 'rotate', 'travel')
GAINS = ('proportional_gain', 'integral_gain', 'lag', 'acceleration', 'speed_extend', 'speed_retract', 'tolerance')
LINE = re.compile(r'^  (\w+) +(target|load) (\S+) to (\S+)(?: \w+)? at (\S+) s: (.*)$', re.M)
NUMBERS = re.compile(r'(rise|overshoot|deviation|settled|steady error|IAE|peak) (never|[-+\d.e]+)')


def told(result):
    """Per axis and cause the numbers of the summary."""
    return {(axis, cause): {'from': float(begin), 'to': float(end), 'at': float(t), **dict(NUMBERS.findall(text))}
            for axis, cause, begin, end, t, text in LINE.findall(result.text)}


def rise_time(time, values, begin, end, before, after):
    def passing(share):
        level = before + share * (after - before)
        for t0, t1, y0, y1 in zip(time, time[1:], values, values[1:]):
            if begin <= t0 < end and (y1 - level) * (after - before) >= 0:
                return t0 + (level - y0) / (y1 - y0) * (t1 - t0)
    return passing(0.9) - passing(0.1)


class Axes(StagedTest):
    def steps(self, *options):
        return run(TANDEM, self.systems / 'axes.ssd', '--scenario', self.systems / 'axis_steps.xml', '--record-interval',
                   '0.01', *options)

    def test_every_step_is_told_as_it_was_recorded(self):
        result = self.steps()
        steps = told(result)
        self.assertEqual(set(steps), {(axis, cause) for axis in CONTROLLED for cause in ('target', 'load')}, result.text)
        for axis in CONTROLLED:
            step = steps[axis, 'target']
            time, target = result.time, result[f'control.{axis}.target']
            measured, reference = result[f'control.{axis}.measured'], result[f'control.{axis}.reference']
            after = step['to'] / 1e3
            self.assertAlmostEqual(target[-1], after, places=6, msg=axis)
            self.assertAlmostEqual(reference[-1], after, places=6, msg=axis)
            window = [i for i, t in enumerate(time) if step['at'] <= t < step['at'] + 5]
            before = measured[window[0]]
            expected = rise_time(time, measured, step['at'], step['at'] + 5, before, after)
            self.assertAlmostEqual(float(step['rise']), expected, delta=0.01 * expected, msg=axis)
            overshoot = max(0, *((measured[i] - after) / (after - before) for i in window))
            self.assertAlmostEqual(float(step['overshoot']), 100 * overshoot, delta=0.1, msg=axis)
            pressures = max(result[f'hydraulics.{axis}.pressure_{side}'][i] for i in window for side in 'ab')
            self.assertAlmostEqual(float(step['peak']), pressures / 1e6, delta=2e-3 * pressures / 1e6, msg=axis)
            self.assertAlmostEqual(float(step['IAE']), 1e3 * sum(
                abs(after - measured[i]) * 0.01 for i in window), delta=0.02 * float(step['IAE']) + 0.5, msg=axis)
        self.assertGreater(float(steps['boom', 'load']['deviation']), 0.01)
        self.assertEqual(steps['boom', 'load']['to'], -2000)

    def test_a_gain_changes_what_is_told(self):
        error = [float(told(self.steps('--stop', '5', '--set', f'control.boom.proportional_gain={gain}'))['boom', 'target']['IAE'])
                 for gain in (1, 4)]
        self.assertLess(error[1], error[0])

    def test_gains_are_tunable_and_may_change_in_a_run(self):
        text = subprocess.run([TANDEM, 'inspect', FMUS / 'ecu.fmu', '--json'], capture_output=True, text=True, check=True)
        variables = {v['name']: v for v in json.loads(text.stdout)['variables']}
        for axis in CONTROLLED:
            for gain in GAINS:
                self.assertEqual(variables[f'{axis}.{gain}']['variability'], 'tunable', f'{axis}.{gain}')
        scenario = self.folder / 'gain.xml'
        scenario.write_text('<Scenario xmlns="urn:tandem:scenario:1"><Signal name="boom.target" hold="constant"><At t="0" value="0.25"/>'
                            '<At t="0.5" value="0.29"/></Signal><Signal name="control.boom.proportional_gain" hold="constant">'
                            '<At t="0" value="2"/><At t="0.6" value="6"/></Signal></Scenario>')
        ways = [run(TANDEM, self.systems / 'axes.ssd', '--stop', '2', '--scenario', file, '--record',
                    'control.boom.command')['control.boom.command'] for file in (scenario, self.without_gain(scenario))]
        self.assertEqual(ways[0][:600], ways[1][:600])
        self.assertNotEqual(ways[0], ways[1])

    def without_gain(self, scenario):
        plain = self.folder / 'plain.xml'
        plain.write_text(re.sub(r'<Signal name="control.*?</Signal>', '', scenario.read_text()))
        return plain

    def test_it_stands_still_without_a_step(self):
        result = run(TANDEM, self.systems / 'axes.ssd', '--stop', '2', '--record', 'control.*.measured')
        for axis in CONTROLLED:
            values = result[f'control.{axis}.measured'][1:]  # at the start nothing was measured yet
            self.assertLess(max(values) - min(values), 2e-3, axis)
        self.assertFalse(LINE.findall(result.text))


if __name__ == '__main__':
    main()
