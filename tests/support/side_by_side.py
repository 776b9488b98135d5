"""Cases that mostly wait, side by side: each in a process of its own."""
import os
import sys
import tempfile
import time
import traceback
import unittest

AT_ONCE = 4


def alone(case):
    """Marks a case whose peer takes silence for an answer: it runs when no other does."""
    case.alone = True
    return case


def main(prepare=None):
    """As unittest.main() for the script that was started: all of its cases, or those named on the command line. Classes are set up
    once per case; `prepare` is called in the process of each."""
    loader = unittest.defaultTestLoader
    script = sys.modules['__main__']
    suite = loader.loadTestsFromNames(sys.argv[1:], script) if sys.argv[1:] else loader.loadTestsFromModule(script)
    sys.exit(run(list(cases(suite)), prepare))


def run(waiting, prepare=None):
    """Runs the cases and says what each said when it has ended; 0 where none failed."""
    running, failed = {}, []
    if not waiting:
        sys.exit('no case')
    count, begin = len(waiting), time.monotonic()
    waiting = sorted(waiting, key=is_alone)
    try:
        while waiting or running:
            while waiting and len(running) < (1 if is_alone(waiting[0]) else AT_ONCE):
                case = waiting.pop(0)
                said = tempfile.TemporaryFile('w+')
                running[start(case, said, prepare)] = case, said
            process, status = os.wait()
            case, said = running.pop(process)
            said.seek(0)
            print(said.read(), end='', flush=True)
            if status != 0:
                failed.append(f'FAILED: {case.id()}, status {os.waitstatus_to_exitcode(status)}')
    finally:
        for process in running:  # after Ctrl-C; each has its own way to end what it started
            os.waitpid(process, 0)
    print(f'{count} cases in {time.monotonic() - begin:.1f} s', *failed, sep='\n')
    return 1 if failed else 0


def is_alone(case):
    return hasattr(getattr(case, getattr(case, '_testMethodName', ''), None), 'alone')


def cases(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from cases(each)
        else:
            yield each


def start(case, said, prepare):
    """The process that runs the case and writes into the file what it says."""
    def work():
        if prepare:
            prepare()
        return 0 if unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite([case])).wasSuccessful() else 1
    return process_of(work, said)


def process_of(work, said):
    """A process that writes into the file what `work` says, and ends with what it returns."""
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        for stream in (1, 2):
            os.dup2(said.fileno(), stream)
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
