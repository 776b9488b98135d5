"""Videos of recordings, read back with ffmpeg: as many pictures as asked for, each of the time that the results have there, which stands in
it as blocks that a program can read (master/view/README.md, "Videos"); and what must leave no file.

usage: video_test.py TANDEM REPOSITORY; TANDEM_LONG=1 also draws a minute, and two results at once
"""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right

from view_client import run_tests

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix='tandem_video_test_'))
PATIENCE = 900  # s
MARKS, BITS, CHECKS = 4, 64, 8
SIZE = (320, 180)  # every point is paid for where no graphics card is
SMALL = f'--video-size={SIZE[0]}x{SIZE[1]}'


def recorded(name, system, *options):
    out = FOLDER / name
    if not out.exists():
        subprocess.run([TANDEM, 'run', ROOT / system, '--shadow=off', '--quiet', f'--out={out}', *options], check=True)
    return out


def times_of(out):
    with open(out / 'results.csv') as file:
        next(file)
        return [float(line.partition(',')[0]) for line in file]


def video(out, file, *options, environment=None):
    size = [] if any(option.startswith('--video-size') for option in options) else [SMALL]
    return subprocess.run([TANDEM, 'view', out, f'--video={file}', *size, *options], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **(environment or {})})


def stream_of(file):
    answer = subprocess.run(['ffprobe', '-v', 'error', '-count_frames', '-select_streams', 'v', '-of', 'json', '-show_entries',
                             'stream=codec_name,pix_fmt,width,height,r_frame_rate,nb_read_frames,duration', file],
                            capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)['streams'][0]


def pictures(file, width, height):
    """Each picture as grey bytes, row by row."""
    process = subprocess.Popen(['ffmpeg', '-v', 'error', '-i', file, '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1'], stdout=subprocess.PIPE)
    while picture := process.stdout.read(width * height):
        assert len(picture) == width * height
        yield picture
    assert process.wait() == 0


def time_in(picture, width, height):
    """What the blocks along the lower edge say."""
    block = max(2, 4 * height // 720)
    row = (height - block) * width
    bits = [picture[row + i * block + block // 2] > 127 for i in range(MARKS + BITS + CHECKS)]
    assert bits[:MARKS] == [True, False, True, False], bits[:MARKS]
    number = sum(bit << (BITS + CHECKS - 1 - i) for i, bit in enumerate(bits[MARKS:]))
    data, check = divmod(number, 1 << CHECKS)
    data = data.to_bytes(8, 'big')
    assert sum(data) % 256 == check, 'the blocks cannot be read'
    return struct.unpack('>d', data)[0]


def check_times(out, file, rate, size, count):
    """Every picture has the time of the last row at its own time or before."""
    width, height = size
    rows = times_of(out)
    wanted = [rows[bisect_right(rows, rows[0] + i / rate + 1e-9) - 1] for i in range(count)]
    scenes = []
    found = []
    for picture in pictures(file, width, height):
        found.append(time_in(picture, width, height))
        if len(found) in (1, count):
            scenes.append(picture[width * height // 4:width * height * 3 // 4])
    assert len(found) == count, len(found)
    assert found == wanted, [(i, a, b) for i, (a, b) in enumerate(zip(found, wanted)) if a != b][:5]
    assert all(len(set(scene)) > 40 for scene in scenes), 'the pictures are empty'
    changed = sum(abs(a - b) > 12 for a, b in zip(*scenes))
    assert changed > len(scenes[0]) / 1000, f'only {changed} points change between the first picture and the last'


def test_every_picture_has_the_time_of_its_row():
    out = recorded('drive', 'config/excavator/manual.ssd', '--stop=1', '--set=boom.command=0.6', '--set=slew.command=0.5')
    file = FOLDER / 'drive.mp4'
    answer = video(out, file, '--video-rate=12')
    assert answer.returncode == 0, answer.stderr
    stream = stream_of(file)
    assert (stream['codec_name'], stream['pix_fmt']) == ('h264', 'yuv420p'), stream
    assert (stream['width'], stream['height'], stream['r_frame_rate'], stream['nb_read_frames']) == (*SIZE, '12/1', '12'), stream
    check_times(out, file, 12, SIZE, 12)
    assert list(FOLDER.glob('.drive.mp4*')) == [], 'the draft is gone'
    before = file.read_bytes()
    answer = video(out, file)
    assert answer.returncode == 2 and 'error[overwrite]' in answer.stderr and file.read_bytes() == before, answer.stderr


def test_a_minute_has_1800_pictures():
    if not os.environ.get('TANDEM_LONG'):
        return
    out = recorded('minute', 'config/excavator/kinematic.ssd', '--stop=60', '--record-interval=0.02')
    file = FOLDER / 'minute.mp4'
    answer = video(out, file)
    assert answer.returncode == 0, answer.stderr
    assert stream_of(file)['nb_read_frames'] == '1800' and abs(float(stream_of(file)['duration']) - 60) < 1e-3, stream_of(file)
    check_times(out, file, 30, SIZE, 1800)


def test_two_results_and_four_cameras_at_another_rate():
    if not os.environ.get('TANDEM_LONG'):
        return
    first = recorded('drive', 'config/excavator/manual.ssd', '--stop=1', '--set=boom.command=0.6', '--set=slew.command=0.5')
    second = recorded('back', 'config/excavator/manual.ssd', '--stop=0.5', '--set=boom.command=-0.6')
    file = FOLDER / 'two.mp4'
    answer = subprocess.run([TANDEM, 'view', first, second, f'--video={file}', '--video-rate=7', '--video-camera=orbit,tool,bird,side',
                             SMALL], capture_output=True, text=True, timeout=PATIENCE)
    assert answer.returncode == 0, answer.stderr
    check_times(first, file, 7, SIZE, 7)


def test_a_result_without_a_scene_is_its_plots():
    alone = FOLDER / 'alone'
    alone.mkdir()
    with open(alone / 'results.csv', 'w') as file:
        file.write('time,a.x [m],a.y\n' + ''.join(f'{i / 100!r},{(i % 37) / 37!r},{-i!r}\n' for i in range(101)))
    file = FOLDER / 'alone.mp4'
    answer = video(alone / 'results.csv', file, '--video-rate=5')
    assert answer.returncode == 0, answer.stderr
    check_times(alone, file, 5, SIZE, 5)
    answer = video(alone / 'results.csv', FOLDER / 'no.mp4', '--video-camera=tool')
    assert answer.returncode == 2 and 'no cameras' in answer.stderr and not (FOLDER / 'no.mp4').exists(), answer.stderr


def test_what_cannot_be_done_is_said():
    out = recorded('drive', 'config/excavator/manual.ssd', '--stop=1', '--set=boom.command=0.6', '--set=slew.command=0.5')
    link = FOLDER / 'link.mp4'
    link.symlink_to(out / 'results.csv')
    before = (out / 'results.csv').read_bytes()
    for options, code, text in (((FOLDER / 'x.avi',), 2, '.mp4'), ((FOLDER / 'x.mp4', '--video-size=641x360'), 2, '641x360'),
                                ((FOLDER / 'x.mp4', '--video-camera=attic'), 2, "no camera 'attic', there are: orbit, operator"),
                                ((link, '--overwrite'), 2, 'error[overwrite]'), ((FOLDER / 'none' / 'x.mp4',), 2, 'error[missing-file]')):
        answer = video(out, *options)
        assert answer.returncode == code and text in answer.stderr, (options, answer.returncode, answer.stderr)
    assert (out / 'results.csv').read_bytes() == before
    for name, other in (('chromium', 'ffmpeg'), ('ffmpeg', 'chromium')):
        path = FOLDER / f'only_{other}'
        path.mkdir()
        (path / other).symlink_to(shutil.which(other))
        answer = video(out, FOLDER / 'x.mp4', environment={'PATH': str(path)})
        assert answer.returncode == 1 and f'error[missing-program]: {name}' in answer.stderr, answer.stderr
    broken = FOLDER / 'broken'
    broken.mkdir()
    (broken / 'chromium').symlink_to(shutil.which('chromium'))
    (broken / 'ffmpeg').write_text('#!/bin/sh\necho this disk is full >&2\nexit 1\n')
    (broken / 'ffmpeg').chmod(0o755)
    answer = video(out, FOLDER / 'x.mp4', environment={'PATH': f'{broken}:/usr/bin:/bin'})
    assert answer.returncode == 1 and 'this disk is full' in answer.stderr, answer.stderr
    assert not (FOLDER / 'x.mp4').exists() and list(FOLDER.glob('.x.mp4*')) == []


def processes(text):
    found = []
    for each in pathlib.Path('/proc').glob('[0-9]*/cmdline'):
        try:
            if text.encode() in each.read_bytes():
                found.append(each.parent.name)
        except OSError:  # it has just ended
            pass
    return found


def test_an_interrupt_ends_everything_and_leaves_nothing():
    out = recorded('drive', 'config/excavator/manual.ssd', '--stop=1', '--set=boom.command=0.6', '--set=slew.command=0.5')
    place = pathlib.Path(tempfile.mkdtemp(prefix='tv_'))  # short: names of sockets are
    for sign in (signal.SIGINT, signal.SIGKILL):
        file = FOLDER / f'cut{sign.value}.mp4'
        process = subprocess.Popen([TANDEM, 'view', out, f'--video={file}', '--video-rate=60', SMALL],
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, 'TMPDIR': str(place)})
        said = ''
        while 'video: 10 %' not in said:
            line = process.stderr.readline()
            assert line, f'it ended by itself: {said}'
            said += line
        assert processes(str(place)) and len(processes(file.name)) > 1, 'both programs work'
        process.send_signal(sign)
        said = process.stderr.read()
        code = process.wait(PATIENCE)
        assert code == (130 if sign == signal.SIGINT else -9), (code, said)
        end = time.monotonic() + 60
        while (processes(str(place)) or processes(file.name)) and time.monotonic() < end:
            time.sleep(0.05)
        assert processes(str(place)) + processes(file.name) == [], sign
        assert not file.exists()
        if sign == signal.SIGINT:
            assert list(FOLDER.glob(f'.{file.name}*')) == [] and list(place.iterdir()) == [], sign
    shutil.rmtree(place)


if __name__ == '__main__':
    code = run_tests(sys.modules[__name__])
    shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(code)
