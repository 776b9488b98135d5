"""The view of runs that have ended: a folder with its run.json, a result alone, and two at once.

usage: replay_test.py TANDEM REPOSITORY TEST_FMUS
"""
import csv
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

from view_client import ARRAY, ENDED, STATE, Page, Run, index_of, run_tests

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
MANUAL = ROOT / 'config' / 'excavator' / 'manual_kinematic.ssd'
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix='tandem_replay_test_'))


def recorded(name, *options):
    out = FOLDER / name
    if not out.exists():
        subprocess.run([TANDEM, 'run', MANUAL, '--stop=1', '--shadow=off', '--quiet', f'--out={out}', *options], check=True)
    return out


def rows_of(out):
    with open(out / 'results.csv', newline='') as file:
        return list(csv.DictReader(file))


def test_a_recording_is_sought_and_played():
    out = recorded('a', '--set=boom.command=0.5')
    rows = rows_of(out)
    with Run(TANDEM, out, verb='view') as run:
        system = run.system()
        assert system['mode'] == 'replay' and system['streams'] == ['a'], system['streams']
        machine = system['view']['machines'][0]
        assert 'poses' not in machine and run.get('/' + machine['urdf'])[0] == 200
        angle = machine['joints']['boom']['signal']
        name = system['signals'][angle]['name']
        with Page(run.address) as page:
            for row in (rows[0], rows[len(rows) // 2], rows[-1]):
                page.do('seek', t=float(row['time']))
                state = page.state(lambda frame: frame.time == float(row['time']))
                assert state.values[angle] == float(row[name])
            page.do('seek', t=0)
            page.do('speed', factor=4)
            page.do('go')
            page.state(lambda frame: frame.flags & ENDED and frame.time > 0.9)
            page.do('set', signal=angle, value=1)
            assert page.told('refused')
        assert float(rows[0][name]) != float(rows[-1][name])
        data = run.get(f'/history?signal={angle}')[2]
        pairs = list(struct.iter_unpack('<dd', data))
        assert pairs == [(float(row['time']), float(row[name])) for row in rows]
        assert run.get('/history?signal=99999')[0] == 404
        assert run.end() == 0


def test_poses_are_shown_where_they_were_recorded():
    out = recorded('poses', '--record', 'kinematics.*', '--format=hdf5')
    with Run(TANDEM, out, verb='view') as run:
        machine = run.system()['view']['machines'][0]
        with Page(run.address) as page:
            poses = page.next(lambda frame: frame.kind == ARRAY and frame.index == machine['poses'])
            assert len(poses.values) == 7 * len(machine['links'])
            assert abs(sum(q * q for q in poses.values[3:7]) - 1) < 1e-5
        assert run.end() == 0


def test_two_results_are_two_streams():
    first, second = recorded('a', '--set=boom.command=0.5'), recorded('b', '--set=boom.command=-0.5')
    with Run(TANDEM, first, second, verb='view') as run:
        system = run.system()
        angle = system['view']['machines'][0]['joints']['boom']['signal']
        name = system['signals'][angle]['name']
        with Page(run.address) as page:
            page.do('seek', t=1)
            states = {}
            while len(states) < 2:  # in either order
                state = page.state(lambda frame: frame.time == 1)
                states[state.stream] = state
        for state, out in zip((states[0], states[1]), (first, second)):
            assert state.values[angle] == float(rows_of(out)[-1][name])
        assert states[0].values[angle] != states[1].values[angle]
        assert run.end() == 0


def test_wires_carry_the_errors_of_the_error_bar():
    out = FOLDER / 'two_mass'
    subprocess.run([TANDEM, 'run', ROOT / 'examples' / 'two_mass', '--stop=1', '--shadow=on', '--quiet', f'--out={out}'], check=True)
    bar = {each['name']: each for each in json.loads((out / 'run.json').read_text())['error_bar']['signals']}
    with Run(TANDEM, out, verb='view') as run:
        wires = [wire for wire in run.system()['wires'] if wire['from']]
        found = [(wire.get('error'), wire.get('share')) for wire in wires]
        wanted = [bar.get(wire['from'] + '.' + wire['fromName'], {}) for wire in wires]
        assert found == [(each.get('error'), each.get('share')) for each in wanted] and any(share for _, share in found), found
        assert run.end() == 0


def test_how_a_run_ended_is_said():
    out = FOLDER / 'ended'
    shutil.copytree(recorded('a', '--set=boom.command=0.5'), out)
    record = json.loads((out / 'run.json').read_text())
    record['findings'] = [{'severity': 'warning', 'code': 'x', 'where': 'unit', 'text': 'odd'}]
    for outcome, text in (({'exit': 1, 'ended': 'failed: t = 1: broken'}, 'ended: the run ended with exit code 1: failed: t = 1: broken'),
                          ({'exit': None, 'ended': ''}, 'ended: the run goes on or was killed, so its end is missing'),
                          ({'exit': 0, 'ended': 'complete'}, None)):
        (out / 'run.json').write_text(json.dumps({**record, 'outcome': outcome}))
        with Run(TANDEM, out, verb='view') as run:
            system = run.system()
            assert [remark for remark in system['remarks'] if 'run' in remark] == ([text] if text else []), system['remarks']
            assert system['findings'] == [{'level': 'warning', 'where': 'unit', 'text': 'odd'}], system['findings']
            assert run.end() == 0
        assert [line for line in run.lines if line.startswith('warning')] == ([f'warning: {text}\n'] if text else []), run.lines


def test_a_result_alone_shows_its_signals():
    alone = FOLDER / 'alone'
    alone.mkdir(exist_ok=True)
    shutil.copy(recorded('a', '--set=boom.command=0.5') / 'results.csv', alone / 'x.csv')
    with Run(TANDEM, alone / 'x.csv', verb='view') as run:
        system = run.system()
        assert system['view'] is None and len(system['signals']) > 10
        with Page(run.address) as page:
            page.next(lambda frame: frame.kind == STATE)
        assert run.end() == 0


def test_what_is_no_result_is_refused():
    empty = FOLDER / 'empty'
    empty.mkdir(exist_ok=True)
    for given, text in ((empty, 'run.json'), (FOLDER / 'nothing.csv', 'nothing.csv')):
        answer = subprocess.run([TANDEM, 'view', given, '--view=0'], capture_output=True, text=True)
        assert answer.returncode == 2 and text in answer.stderr, answer.stderr


if __name__ == '__main__':
    code = run_tests(sys.modules[__name__])
    shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(code)
