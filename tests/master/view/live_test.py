"""The view of a run that goes on: what it serves, whom it serves, and how it is steered.

usage: live_test.py TANDEM REPOSITORY TEST_FMUS
"""
import csv
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

from view_client import CATCHING_UP, ENDED, FAILED, JSON, PACED, PAUSED, STATE, Page, Run, index_of, run_tests_side_by_side

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FEEDTHROUGH = pathlib.Path(TANDEM).parent / 'fmus' / 'feedthrough.fmu'
TWO_MASS = ROOT / 'examples' / 'two_mass'
CRASHING = pathlib.Path(sys.argv[3]) / 'misbehaving_fmi2.fmu'
MANUAL = ROOT / 'config' / 'excavator' / 'manual_kinematic.ssd'


def rows_of(run):
    with open(run.out / 'results.csv', newline='') as file:
        return list(csv.DictReader(file))


def test_states_are_what_is_recorded():
    with Run(TANDEM, TWO_MASS, '--stop=4', '--realtime=2') as run:
        system = run.system()
        assert system['protocol'] == 1 and system['mode'] == 'live' and system['stop'] == 4
        with Page(run.address) as page:
            ended = page.state(lambda frame: frame.flags & ENDED)
            page.told('end')
        assert abs(ended.time - 4) < 1e-9, ended.time
        states = [frame for frame in page.seen if frame.kind == STATE]
        assert run.end() == 0
        assert any('stays until Ctrl-C' in line for line in run.lines), run.lines
        rows = {float(row['time']): row for row in rows_of(run)}
        compared = 0
        for state in states:
            row = rows[state.time]
            for signal, value in zip(system['signals'], state.values):
                if signal['name'] in row:
                    assert float(row[signal['name']]) == value, (state.time, signal['name'])
                    compared += 1
        assert compared > 100, compared
        between = [b.time - a.time for a, b in zip(states, states[1:])]
        # 30 a second at twice the speed of the clock, on a machine that is never idle.
        assert 1 / 30 < sum(between) / len(between) < 0.2, between


def test_what_an_input_cannot_be_is_refused():
    with Run(TANDEM, FEEDTHROUGH, '--step=0.01', '--stop=1000', '--realtime') as run:
        with Page(run.address) as page:
            page.take()
            system = run.system()
            def set_to(name, value):
                index = index_of(system, name)
                page.do('set', signal=index, value=value)
                told = page.next(lambda frame: frame.kind == JSON and frame.type in ('set', 'refused')).json
                return told['type'], index, told
            for name, value in (('Int8_input', 300), ('Int8_input', -129), ('UInt8_input', -1), ('UInt16_input', 65536),
                                ('UInt64_input', -1), ('Boolean_input', 0.5), ('Int64_input', 1e17), ('Int32_input', 1e300), ('Float32_continuous_input', 1e39)):
                kind, _, told = set_to(name, value)
                assert kind == 'refused' and name in told['text'] and name.split('_')[0] in told['text'], (name, value, told)
            for name, value in (('Int8_input', -128), ('UInt8_input', 255), ('Int64_input', -2.0**53), ('UInt64_input', 2.0**53),
                                ('Float32_continuous_input', 3e38), ('Boolean_input', 1)):
                kind, index, told = set_to(name, value)
                assert kind == 'set', (name, value, told)
                page.state(lambda frame, index=index, value=value: abs(frame.values[index] - value) <= 1e-7 * abs(value))


def test_pause_step_speed():
    with Run(TANDEM, TWO_MASS, '--stop=100000') as run:
        step = run.system()['step']
        with Page(run.address) as page:
            page.do('pause')
            assert page.told('refused')['do'] == 'control'
            page.take()
            page.do('pause')
            paused = page.state(lambda frame: frame.flags & PAUSED)
            time.sleep(0.2)
            page.do('step', n=3)
            stepped = page.state(lambda frame: frame.time > paused.time)
            while stepped.time < paused.time + 2.5 * step:
                stepped = page.state()
            assert abs(stepped.time - paused.time - 3 * step) < 1e-9, (paused.time, stepped.time, step)
            page.do('speed', factor=2)
            page.told('run', lambda run: run['speed'] == 2)
            page.do('go')
            first = page.state(lambda frame: frame.flags & PACED and not frame.flags & PAUSED)
            begin = time.monotonic()
            last = page.state(lambda frame: frame.time > first.time + 3)
            assert 1.5 < (last.time - first.time) / (time.monotonic() - begin) < 2.5
            page.do('end')
            page.told('end', lambda end: end['code'] == 130)
        assert run.end() == 130
        ended = json.loads((run.out / 'run.json').read_text())['outcome']['ended']
        assert ended.startswith('stopped by the view (End or Reset)'), ended


def test_what_was_set_is_repeated():
    with Run(TANDEM, MANUAL, '--stop=2', '--realtime') as run:
        system = run.system()
        boom = index_of(system, 'boom.command')
        with Page(run.address) as page:
            page.take()
            for value in (0.7, -0.4, 0.1):
                page.do('set', signal=boom, value=value)
                page.told('set', lambda told: told['value'] == value)
                time.sleep(0.1)
            page.told('end')
        assert run.end() == 0
        journal = (run.out / 'settings.journal').read_text().splitlines()
        assert len(journal) == 4 and journal[1].endswith(' 0.7 boom.command'), journal
        assert any(file['role'] == 'journal' for file in json.loads((run.out / 'run.json').read_text())['results'])
        again = subprocess.run([TANDEM, 'run', '--repeat', run.out / 'run.json'], capture_output=True, text=True)
        assert again.returncode == 0 and 'same bits' in again.stdout, again.stdout + again.stderr
        (run.out / 'settings.journal').write_text('\n'.join(journal[:1] + journal[2:]) + '\n')
        again = subprocess.run([TANDEM, 'run', '--repeat', run.out / 'run.json'], capture_output=True, text=True)
        assert again.returncode == 2 and 'bad-record' in again.stderr, again.stderr


def test_a_view_changes_no_bit():
    with tempfile.TemporaryDirectory() as plain, Run(TANDEM, MANUAL, '--stop=1', '--view-exit') as run:
        assert run.wait() == 0
        subprocess.run([TANDEM, 'run', MANUAL, '--stop=1', '--shadow=off', f'--out={plain}/out', '--quiet'], check=True)
        assert (run.out / 'results.csv').read_bytes() == (pathlib.Path(plain) / 'out' / 'results.csv').read_bytes()


def test_control_is_handed_over():
    with Run(TANDEM, TWO_MASS, '--stop=1000', '--realtime') as run:
        run.system()
        with Page(run.address) as first, Page(run.address) as second:
            first.take()
            second.do('take')
            first.told('control', lambda control: control['asked'] == [second.id])
            second.do('pause')
            assert second.told('refused')
            first.do('give', to=second.id)
            second.told('control', lambda control: control['holder'] == second.id)
            second.do('pause')
            first.state(lambda frame: frame.flags & PAUSED)
            second.close()
            first.told('control', lambda control: control['holder'] == 0)
            first.take()
            first.do('go')
            first.state(lambda frame: not frame.flags & PAUSED)
        assert run.end() == 130


def test_the_dead_man_stops_all_axes():
    with Run(TANDEM, MANUAL, '--stop=1000', '--realtime') as run:
        system = run.system()
        axes = system['view']['operator']['axes']
        boom = axes[0]['input']
        still = [0] * len(axes)
        pushed = [0.6] + still[1:]
        with Page(run.address) as page:
            page.take()
            page.do('levers', alive=True, values=pushed)
            assert page.told('neutral')['axes'] == [0]
            page.do('levers', alive=True, values=still)
            page.do('levers', alive=True, values=pushed)
            assert page.told('set', lambda told: told['signal'] == boom)['value'] == 0.6
            # Nothing more comes: within 300 ms and a tick it stands.
            assert page.told('set', lambda told: told['signal'] == boom)['value'] == 0
            page.do('levers', alive=True, values=still)
            page.do('levers', alive=True, values=pushed)
            assert page.told('set', lambda told: told['signal'] == boom)['value'] == 0.6
        with Page(run.address) as page:  # the operator is gone
            page.state(lambda frame: frame.values[boom] == 0)
        assert run.end() == 130


def test_reset_begins_again():
    with Run(TANDEM, TWO_MASS, '--stop=1000', '--realtime') as run:
        run.system()
        with Page(run.address) as page:
            page.take()
            page.state(lambda frame: frame.time > 0.3)
            page.do('reset')
            said = page.told('log', lambda told: told['text'].startswith('reset:'))
            assert f'its results replace those in {run.out}' in said['text'], said
            again = page.state(lambda frame: frame.run == 2)
            assert again.time < 0.3, again.time
            assert run.system()['run'] == 2
            page.do('reset')
            page.state(lambda frame: frame.run == 3)
        assert run.end() == 130
        assert sum('its results replace those in' in line for line in run.lines) == 2, run.lines
        ended = json.loads((run.out / 'run.json').read_text())['outcome']['ended']
        assert ended.startswith('stopped by Ctrl-C'), ended  # the last run, not those before it
        assert rows_of(run)


def test_the_end_of_a_reset_run_is_its_own():
    """And no failure; that of the next run is told as one."""
    with Run(TANDEM, CRASHING, '--set=behaviour=13', '--set=when=1', '--step=0.01', '--stop=5', '--realtime') as run:
        run.system()
        with Page(run.address) as page:
            page.take()
            page.state(lambda frame: frame.time > 0.1)
            page.do('reset')
            page.next(lambda frame: frame.run == 2 and frame.kind == STATE and frame.time > 0.3)
            words = [(frame.run, frame.json) for frame in page.seen if frame.kind == JSON]
            phases = [(number, word['phase']) for number, word in words if word['type'] == 'run']
            assert phases[-3:] == [(1, 'ended'), (2, 'preparing'), (2, 'running')], phases
            ends = [(number, word['code'], word['text']) for number, word in words if word['type'] == 'end']
            assert ends == [(1, 130, 'reset')], ends
            for frame in page.seen:
                if frame.kind == STATE:
                    assert not frame.flags & FAILED, (frame.run, frame.time, frame.flags)
                    assert frame.run == 1 or frame.flags & ~CATCHING_UP == PACED, (frame.time, frame.flags)
            end = page.next(lambda frame: frame.kind == JSON and frame.type == 'end')
            assert end.run == 2 and end.json['code'] == 1 and end.json['text'], (end.run, end.json)
            last = page.state(lambda frame: frame.flags & ENDED)
            assert last.run == 2 and last.flags & FAILED, (last.run, last.flags)
        with Page(run.address) as late:
            assert late.told('end')['code'] == 1
        assert run.end() == 1


def test_a_crashed_unit_leaves_the_view():
    with Run(TANDEM, CRASHING, '--set=behaviour=13', '--set=when=0.5', '--step=0.01', '--stop=5', '--realtime') as run:
        with Page(run.address) as page:
            end = page.told('end')
            assert end['code'] == 1 and end['text'], end
        with Page(run.address) as page:
            assert page.told('end')['code'] == 1
        assert run.end() == 1


def test_whom_it_serves():
    with Run(TANDEM, TWO_MASS, '--stop=1000', '--realtime') as run:
        run.system()
        host = run.address.split('/')[2]
        assert run.get('/')[0] == 200
        assert run.get('/', {'Origin': f'http://{host}'})[0] == 200
        assert run.get('/', {'Origin': 'http://evil.example'})[0] == 403
        assert run.get('/', {'Host': 'evil.example'})[0] == 403
        assert run.get('/system.json', method='POST')[0] == 405
        for path in ('/../../etc/passwd', '/%2e%2e/x', '/files/%2e%2e/x', '/files/nothing', '/nothing', '/a%zz'):
            assert run.get(path)[0] in (400, 404), path
        assert run.get('/system.json', {'X': 'y' * 9000})[0] == 431
        headers = run.get('/')[1]
        assert "default-src 'self'" in headers['Content-Security-Policy']
        for options in ({'origin': 'http://evil.example'}, {'subprotocols': ['other']}):
            try:
                Page(run.address, **options)
            except Exception:
                continue
            raise AssertionError(options)
        assert run.end() == 130


def test_elsewhere_it_needs_the_token():
    with Run(TANDEM, TWO_MASS, '--stop=1000', '--realtime', '--view-host=0.0.0.0') as run:
        bare, _, token = run.address.partition('/?token=')
        assert len(token) == 32, run.address
        run.address = bare.replace('0.0.0.0', '127.0.0.1')
        assert run.get('/')[0] == 403
        assert run.get('/?token=0' + token[1:])[0] == 403 or token[0] == '0'
        status, headers, _ = run.get(f'/?token={token}')
        cookie = headers['Set-Cookie'].split(';')[0]
        assert status == 200 and 'HttpOnly' in headers['Set-Cookie']
        assert run.get('/nothing', {'Cookie': cookie})[0] == 404
        with Page(f'{run.address}/?token={token}') as page:
            page.state()
        assert run.end() == 130


def test_any_address_of_this_machine_alone_is_served_as_it_is_printed():
    with Run(TANDEM, TWO_MASS, '--stop=1000', '--realtime', '--view-host=127.0.0.5') as run:
        assert '//127.0.0.5:' in run.address and 'token' not in run.address, run.address
        assert run.get('/')[0] == 200
        assert run.get('/', {'Host': '127.0.0.5.evil.example'})[0] == 403
        with Page(run.address, origin=run.address.rstrip('/')) as page:
            page.state()
        assert run.end() == 130


def test_a_port_in_use_is_said():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        answer = subprocess.run([TANDEM, 'run', TWO_MASS, f'--view={port}'], capture_output=True, text=True)
        assert answer.returncode == 2 and f'port {port} of 127.0.0.1 is in use' in answer.stderr, answer.stderr
    answer = subprocess.run([TANDEM, 'run', TWO_MASS, '--view=70000'], capture_output=True, text=True)
    assert answer.returncode == 2 and 'no port' in answer.stderr, answer.stderr


def test_bad_clients_harm_nobody():
    with Run(TANDEM, TWO_MASS, '--stop=1000', '--realtime') as run:
        run.system()
        host, port = run.address.split('/')[2].split(':')
        silent = [socket.create_connection((host, int(port))) for _ in range(10)]
        for rubbish in (b'\0' * 100, b'GET\r\n\r\n', b'\x16\x03\x01' + b'x' * 5000, b'GET / HTTP/1.1\r\n' * 2000):
            with socket.create_connection((host, int(port))) as bad:
                bad.settimeout(5)
                bad.sendall(rubbish)
                try:
                    bad.shutdown(socket.SHUT_WR)
                    while bad.recv(4096):
                        pass
                except OSError:
                    pass
        for message in ('', 'x', '[]', '{"do":1}', '{"do":"set","signal":-1,"value":0}', '{"do":"speed","factor":1e9}',
                        '[' * 4000, 'y' * 5000, b'\1\2\3'):
            page = Page(run.address)
            page.socket.send(message)
            try:
                while True:
                    page.receive()
            except Exception as error:
                assert 'close' in repr(error).lower(), error
                assert page.socket.close_code in (1003, 1007, 1008, 1009), page.socket.close_code
        with Page(run.address) as page:
            vanished = [Page(run.address) for _ in range(15)]
            try:
                Page(run.address)
                raise AssertionError('a seventeenth client')
            except Exception as error:
                assert '503' in str(error), error
            for each in vanished:
                each.socket.socket.close()
            before = page.state().time
            page.state(lambda frame: frame.time > before + 0.3)
        for each in silent:
            each.close()
        assert run.end() == 130


def test_connections_without_a_request_shut_nobody_out():
    """More of them than the server takes, silent or in the middle of a request; whoever is served stays."""
    with Run(TANDEM, TWO_MASS, '--stop=1000', '--realtime') as run:
        run.system()
        port = int(run.address.rstrip('/').rpartition(':')[2])
        with Page(run.address) as page:
            idle = [socket.create_connection(('127.0.0.1', port), timeout=5) for _ in range(200)]
            for connection in idle[::2]:
                try:
                    connection.sendall(b'GET / HTTP/1.1\r\nHost: ')
                except OSError:
                    pass  # it made place already
            begin = time.monotonic()
            for _ in range(5):
                assert run.get('/system.json')[0] == 200
            assert time.monotonic() - begin < 5, 'an idle connection is let go after 10 s anyway'
            with Page(run.address) as second:
                second.state()
            now = page.receive().time
            page.state(lambda frame: frame.time > now)
            for connection in idle:
                connection.close()
        assert run.end() == 130


def test_the_point_that_broke_a_limit_is_shown_with_its_time():
    with tempfile.TemporaryDirectory() as folder:
        limit = pathlib.Path(folder) / 'limit.xml'
        limit.write_text('<Scenario xmlns="urn:tandem:scenario:1"><Limit name="left.x" min="-0.5" action="stop"/></Scenario>')
        with Run(TANDEM, TWO_MASS, f'--scenario={limit}', '--realtime') as run:
            index = index_of(run.system(), 'left.x')
            with Page(run.address) as page:
                end = page.told('end')
                last = page.state(lambda frame: frame.flags & ENDED)
            assert end['code'] == 3 and end['text'] == 'ended with exit code 3', end
            run.end()
            row = rows_of(run)[-1]
        assert float(row['left.x']) < -0.5
        assert (last.time, last.values[index]) == (float(row['time']), float(row['left.x'])), (last.time, last.values[index], row)


def test_what_was_set_before_a_reset_is_forgotten():
    with Run(TANDEM, MANUAL, '--stop=1000', '--realtime') as run:
        boom = index_of(run.system(), 'boom.command')
        with Page(run.address) as page:
            page.take()
            page.do('set', signal=boom, value=0.5)
            page.told('set')
            assert (run.out / 'settings.journal').exists()
            page.do('reset')
            page.state(lambda frame: frame.run == 2 and frame.time > 0.1)
        assert run.end() == 130
        assert not (run.out / 'settings.journal').exists()


def test_ctrl_c_around_the_end_of_a_run_is_heard():
    for delay in (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3):
        with Run(TANDEM, TWO_MASS, '--stop=0.1') as run:
            run.system()
            time.sleep(delay)
            code = run.end()
            assert code in (0, 130), (delay, code)  # not by the signal


if __name__ == '__main__':
    sys.exit(run_tests_side_by_side(sys.modules[__name__]))
