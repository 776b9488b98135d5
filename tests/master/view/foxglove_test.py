"""The view as Foxglove's own client sees it: poses, numbers and clouds are those of the results.

usage: foxglove_test.py TANDEM REPOSITORY
"""
import base64
import csv
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from websockets.sync.client import connect

from view_client import Run, run_tests

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SYSTEM = ROOT / 'config' / 'excavator' / 'kinematic.ssd'
NEAR = 1e-5  # m: poses travel as 32 bit numbers, 30 m from the origin


def received(address, subprotocol, count, *topics):
    done = subprocess.run(['node', ROOT / 'tests/master/view/foxglove_client.mjs', ROOT / 'build/npm/node_modules',
                           address.replace('http://', 'ws://'), subprotocol, str(count), *topics],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_poses_and_numbers_are_those_of_the_results():
    with Run(TANDEM, SYSTEM, '--stop=1000', '--realtime', '--record', 'kinematics.links.poses',
             'kinematics.joint.*') as run:
        links = run.system()['view']['machines'][0]['links']
        messages = [message for protocol in ('foxglove.sdk.v1', 'foxglove.websocket.v1')
                    for message in received(run.address, protocol, 20, '/tf', '/kinematics')]
        run.end()
        with open(run.out / 'results.csv', newline='') as file:
            rows = {round(float(row['time']), 9): row for row in csv.DictReader(file)}
    compared = {'/tf': 0, '/kinematics': 0}
    for message in messages:
        row, content = rows[round(message['time'], 9)], message['message']
        compared[message['topic']] += 1
        if message['topic'] == '/kinematics':
            assert content['time'] == float(row['time'])
            assert content['joint_boom'] == float(row['kinematics.joint.boom'])
            continue
        assert [transform['child_frame_id'] for transform in content['transforms']] == links
        for i, transform in enumerate(content['transforms'], 1):
            assert transform['parent_frame_id'] == 'world'
            found = [transform['translation'][k] for k in 'xyz'] + [transform['rotation'][k] for k in 'xyzw']
            expected = [float(row[f'kinematics.links.poses[{i},{j}]']) for j in range(1, 8)]
            assert all(abs(a - b) < NEAR for a, b in zip(found, expected)), (message['time'], links[i - 1])
    assert min(compared.values()) > 5, compared


def test_a_recording_is_shown_too():
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / 'out'
        subprocess.run([TANDEM, 'run', SYSTEM, '--stop=2', '--quiet', '--shadow=off', f'--out={out}', '--record', 'kinematics.joint.*',
                        'kinematics.links.poses'], check=True)
        with open(out / 'results.csv', newline='') as file:
            rows = {round(float(row['time']), 9): row for row in csv.DictReader(file)}
        with Run(TANDEM, out, verb='view') as run:
            messages = received(run.address, 'foxglove.sdk.v1', 6, '/tf', '/kinematics')
        for message in messages:
            row, content = rows[round(message['time'], 9)], message['message']
            if message['topic'] == '/kinematics':
                assert content['joint_boom'] == float(row['kinematics.joint.boom'])
            else:
                assert abs(content['transforms'][3]['translation']['x'] - float(row['kinematics.links.poses[4,1]'])) < NEAR


def test_clouds_have_their_points():
    with Run(TANDEM, SYSTEM, '--stop=100', '--realtime') as run:
        run.system()
        cloud = received(run.address, 'foxglove.sdk.v1', 1, '/points')[-1]['message']
        run.end()
    assert cloud['frame_id'] == 'lidar' and cloud['point_stride'] == 13
    assert [field['name'] for field in cloud['fields']] == ['x', 'y', 'z', 'object']
    data = base64.b64decode(cloud['data'])
    points = list(struct.iter_unpack('<fffB', data))
    assert len(points) > 100 and all(0.05 < (x * x + y * y + z * z) ** 0.5 < 100 for x, y, z, _ in points)


def test_rubbish_closes_the_connection():
    with Run(TANDEM, SYSTEM, '--stop=100', '--realtime') as run:
        run.system()
        for message in ('x', '{"op":1}', '{"op":"subscribe","subscriptions":[1]}', '{"op":"unsubscribe","subscriptionIds":["a"]}'):
            with connect(run.address.replace('http://', 'ws://'), subprotocols=['foxglove.sdk.v1'], max_size=None) as socket:
                assert json.loads(socket.recv())['op'] == 'serverInfo'
                socket.send(message)
                try:
                    while True:
                        socket.recv(timeout=20)
                except Exception:
                    assert socket.close_code == 1008, socket.close_code
        assert run.end() == 130


if __name__ == '__main__':
    sys.exit(run_tests(sys.modules[__name__]))
