"""What the view of a run shows of its system: machines, wall, point cloud, buses, topics; and which files it serves for that.

usage: scene_test.py TANDEM REPOSITORY
"""
import pathlib
import shutil
import sys
import tempfile

from view_client import ARRAY, CLOUD, ENDED, Page, Run, index_of, run_tests_side_by_side

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
TWO_MASS = ROOT / 'examples' / 'two_mass'
MANUAL = ROOT / 'config' / 'excavator' / 'manual_kinematic.ssd'


def system_with_view(folder, view, files=()):
    """Two masses with a view file, and files from the folder of the system on."""
    system = pathlib.Path(folder) / 'system'
    shutil.copytree(TWO_MASS, system)
    extra = system / 'extra' / 'io.tandem.cosim'
    extra.mkdir(parents=True, exist_ok=True)
    (extra / 'view.xml').write_text(f'<View xmlns="urn:tandem:view:1">{view}</View>')
    for name, text in files:
        (system / name).write_text(text)
    return system


def test_frames_of_buses_are_counted():
    """As the log of the same run has them."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / 'bus.log'
        with Run(TANDEM, ROOT / 'examples' / 'can_bus', '--stop=0.05', f'--can-log={log}') as run:
            assert run.system()['buses'] == ['bus']
            with Page(run.address) as page:
                word = page.told('bus', lambda word: word['frames'] >= 6)
                page.state(lambda frame: frame.flags & ENDED)
            assert run.end() == 0
        frames = [line.split()[2].split('#') for line in log.read_text().splitlines()]
    ids = [number for number, _ in frames]
    seen = {f"{each['id']:0{8 if each['extended'] else 3}X}": each for each in word['messages']}
    assert word['frames'] == len(ids) and word['beyond'] == 0, (word, frames)
    assert {number: each['count'] for number, each in seen.items()} == {number: ids.count(number) for number in ids}, (word, frames)
    last = {number: '' if data.startswith('R') else data.lower() for number, data in frames}
    assert {number: each['data'] for number, each in seen.items()} == last, (word, frames)


def test_what_a_run_publishes_is_listed():
    with Run(TANDEM, ROOT / 'examples' / 'water_tank', '--stop=1000', '--realtime', '--publish=tank.level') as run:
        with Page(run.address) as page:
            topics = page.told('topics', lambda word: word['topics'] and 'rate' in word['topics'][0])['topics']
            assert [each['name'] for each in topics] == ['tank.level'] and topics[0]['rate'] > 1, topics
        run.end()


def test_the_machine_is_described_and_shown():
    with Run(TANDEM, MANUAL, '--stop=1000', '--realtime') as run:
        system = run.system()
        view = system['view']
        machine = view['machines'][0]
        assert machine['links'][0] == 'ring' and 'boom' in machine['joints']
        status, headers, urdf = run.get('/' + machine['urdf'])
        assert status == 200 and b'<robot name="demolition_excavator"' in urdf
        assert 'wall' not in view and 'cloud' not in view
        assert {axis['name'] for axis in view['operator']['axes']} >= {'boom', 'arm', 'slew'}
        with Page(run.address) as page:
            poses = page.next(lambda frame: frame.kind == ARRAY and frame.index == machine['poses'])
            assert len(poses.values) == 7 * len(machine['links'])
            page.take()
            boom = index_of(system, 'boom.command')
            angle = machine['joints']['boom']['signal']
            before = page.state().values[angle]
            page.do('set', signal=boom, value=0.8)
            page.told('set', lambda told: told['signal'] == boom)
            page.state(lambda frame: abs(frame.values[angle] - before) > 1e-3)
            page.do('set', signal=angle, value=0.8)
            assert page.told('refused')['do'] == 'set'
        assert run.end() == 130


def test_the_excavator_shows_wall_cloud_and_edge():
    with Run(TANDEM, ROOT / 'config' / 'excavator' / 'kinematic.ssd', '--stop=3', '--realtime') as run:
        system = run.system()
        view = system['view']
        assert abs(view['wall']['radius'] - 29.91) < 1e-9 and view['wall']['span'] > 0.1
        with Page(run.address) as page:
            page.do('budget', points=500)
            cloud = page.next(lambda frame: frame.kind == CLOUD and frame.count == 500)
            assert cloud.total > 500 and set(cloud.objects) <= {0, 1, 2}
            assert any(cloud.objects) and abs(sum(q * q for q in cloud.pose[3:]) - 1) < 1e-5
            page.told('end')
            shown = {frame.index for frame in page.seen if frame.kind == ARRAY}
            assert {view['wall']['heights'], view['edge']['heights']} <= shown, shown
        assert run.end() == 0


def test_a_machine_whose_mesh_is_missing_is_shown_without_it():
    with tempfile.TemporaryDirectory() as folder:
        urdf = ('<robot name="m"><link name="a"><visual><geometry><mesh filename="gone.stl"/></geometry></visual></link>'
                '<link name="b"><visual><geometry><mesh filename="../../../../../etc/passwd"/></geometry></visual></link></robot>')
        system = system_with_view(folder, '<Machine name="m" file="m.urdf"/>', [('extra/io.tandem.cosim/m.urdf', urdf)])
        with Run(TANDEM, system, '--stop=1000', '--realtime') as run:
            assert run.system()['view']['files'] == ['m.urdf']
            assert run.get('/files/m.urdf')[0] == 200
            for name in ('gone.stl', '../../../../../etc/passwd', 'view.xml'):
                assert run.get(f'/files/{name}')[0] in (400, 404), name
            assert run.end() == 130
        assert any("mesh 'gone.stl'" in line and 'is not there' in line for line in run.lines), run.lines
        assert any('only files beside the URDF are' in line for line in run.lines), run.lines


def test_only_files_of_the_system_are_served():
    urdf = '<robot name="m"><link name="a"/></robot>'
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / 'secret.txt').write_text(urdf)
        view = ''.join(f'<Machine name="m{i}" file="{file}"/>' for i, file in enumerate(
            ('../../../secret.txt', f'{folder}/secret.txt', '../../linked.urdf', '../../own.urdf')))
        system = system_with_view(folder, view, [('own.urdf', urdf)])
        (system / 'linked.urdf').symlink_to('../secret.txt')
        with Run(TANDEM, system, '--stop=1000', '--realtime') as run:
            assert run.system()['view']['files'] == ['own.urdf']
            assert run.get('/files/secret.urdf')[0] == run.get('/files/linked.urdf')[0] == 404
            assert run.end() == 130
        assert sum('lies outside of the system; the machine is not shown' in line for line in run.lines) == 3, run.lines


def test_wrong_names_of_a_view_are_said():
    urdf = ('<robot name="m"><link name="base"/><link name="slide"/><joint name="rail" type="prismatic"><parent link="base"/>'
            '<child link="slide"/><axis xyz="1 0 0"/></joint></robot>')
    with tempfile.TemporaryDirectory() as folder:
        view = ('<Machine name="m" file="../../m.urdf"><Joint name="rail" signal="left.x"/><Joint name="rial" signal="left.xx"/>'
                '<Joint name="rail" signal="elsewhere.x"/></Machine><Camera name="c" machine="m" link="slid" from="1 0 0" to="0 0 0"/>'
                '<Camera name="d" machine="mm" from="1 0 0" to="0 0 0"/><Plot title="p" signals="left.x left.xxx elsewhere.x"/>')
        with Run(TANDEM, system_with_view(folder, view, [('m.urdf', urdf)]), '--stop=1000', '--realtime') as run:
            assert run.system()['view']['machines'][0]['joints'].keys() == {'rail'}
            assert run.end() == 130
        warned = [line for line in run.lines if line.startswith('warning')]
        assert len(warned) == 5, warned  # not of the component that another system may have, nor of what only a simulation needs
        for text in ("has no joint 'rial', closest match 'rail'", "has no link 'slid', closest match 'slide'", "component 'left' has no variable 'xx'",
                     "camera 'd': there is no machine 'mm', closest match 'm'", "plot 'p': 'left.xxx' matches no signal"):
            assert any(text in line for line in warned), (text, warned)


if __name__ == '__main__':
    sys.exit(run_tests_side_by_side(sys.modules[__name__]))
