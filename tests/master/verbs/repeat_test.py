"""`run --repeat`: how the recorded run ended, whether the repeat ends so too, and which bits are compared.

usage: repeat_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os

from command_line import TEST_FMUS, CommandLine, component, main, system


class Failed(CommandLine):
    """Of a run that failed."""

    def setUp(self):
        super().setUp()
        self.fmu('faulty_fmi2.fmu', TEST_FMUS)
        self.write('faulty.ssd', system(component('a', 'faulty_fmi2.fmu')))

    def fail(self, fault, *options, what='faulty.ssd'):
        done = self.tandem('run', what, '--stop', '0.1', '--step', '0.01', '--out', 'one', *options, env=self.with_fault(fault))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def repeat(self, fault):
        return self.tandem('run', '--repeat', 'one/run.json', env=self.with_fault(fault))

    @staticmethod
    def with_fault(fault):
        return dict(os.environ, TANDEM_TEST_FAULT=fault, TANDEM_SHADOW='off')

    def test_before_its_first_step(self):
        self.fail('error initialise 0')
        done = self.repeat('error initialise 0')
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"one/run\.json: the recorded run: failed: .*'a'.*fmi2ExitInitializationMode.*; the repeat "
                                      'ends the same way\n')
        self.assertNotIn('bits', done.stdout)
        self.assertNotIn('bad-record', done.stderr)

    def test_in_a_step(self):
        self.fail('error step 0.05')
        done = self.repeat('error step 0.05')
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r'the recorded run: failed: .* \(t = 0\.05 s\); the repeat ends the same way\n')
        self.assertIn('one/run.json: same bits', done.stdout)

    def test_by_a_crash(self):
        self.fail('segfault step 0.05')
        done = self.repeat('segfault step 0.05')
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn('the repeat ends the same way', done.stdout)
        self.assertIn('one/run.json: same bits', done.stdout)

    def test_by_a_hang_that_was_not_waited_for(self):
        self.fail('sleep step 0.05', '--unit-timeout', '1')
        done = self.repeat('sleep step 0.05')
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn('the repeat ends the same way', done.stdout)

    def test_another_end_is_told(self):
        for then, now, told in (('error step 0.05', 'none step 0', r'the repeat ends otherwise: complete \(t = 0\.1 s\)'),
                                ('error initialise 0', 'error step 0.05', r'the repeat ends otherwise: failed: .* \(t = 0\.05 s\)')):
            with self.subTest(then):
                self.setUp()
                self.fail(then)
                done = self.repeat(now)
                self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                self.assertRegex(done.stdout, 'the recorded run: failed: .*; ' + told)
        self.setUp()
        done = self.tandem('run', 'faulty.ssd', '--stop', '0.1', '--step', '0.01', '--out', 'one', env=self.with_fault('none step 0'))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.repeat('error step 0.05')
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r'the recorded run: complete \(t = 0\.1 s\); the repeat ends otherwise: failed: ')

    def test_a_record_that_cannot_name_the_units_says_how_the_run_ended(self):
        self.fail('segfault initialise 0')
        done = self.repeat('segfault initialise 0')
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r'error\[bad-record\]: .*run\.json: cannot be repeated: .*used, failed: .*segmentation fault')
        self.assertNotIn('SHA-256', done.stderr)
        self.setUp()
        self.fail('segfault initialise 0', what='resources/faulty_fmi2.fmu')  # the system is the unit
        done = self.repeat('segfault initialise 0')
        self.assertIn('the repeat ends the same way', done.stdout, done.stderr)


class Unknown(CommandLine):
    """Of a record that leaves open what the repeat would be compared with."""

    def repeat(self, change, *options):
        self.setUp()
        done = self.tandem('run', self.two_mass(), '--stop', '0.1', '--out', 'one', *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, 'one/run.json')) as file:
            record = json.load(file)
        change(record)
        self.write('one/run.json', json.dumps(record))
        done = self.tandem('run', '--repeat', 'one/run.json')
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        return [line for line in done.stdout.splitlines() if line.startswith(('one/run.json: ', 'results.csv: '))]

    def test_nothing_to_compare(self):
        nothing = ['one/run.json: nothing could be compared: the record names no result with a hash']
        self.assertEqual(self.repeat(lambda record: record.update(results=[])), nothing)
        self.assertEqual(self.repeat(lambda record: None, '--record', 'none'), nothing)
        self.assertEqual(self.repeat(lambda record: record['results'][0].update(sha256='')),
                         ['results.csv: not compared, since the record has no hash of it', *nothing])

    def test_no_known_end(self):
        for change, told in ((lambda record: record.pop('outcome'), 'the record does not say how it ended'),
                             (lambda record: record['outcome'].update(exit=None), 'complete (t = 0.1 s)')):
            self.assertEqual(self.repeat(change), ['one/run.json: the recorded run has no known end: ' + told,
                                                   'one/run.json: same bits'])

    def test_equal_names_of_files_in_two_folders(self):
        self.setUp()
        for name in ('a', 'b'):
            os.mkdir(os.path.join(self.folder, name))
        done = self.tandem('run', self.two_mass(), '--stop', '0.1', '--out', 'one', '--log', 'a/x', '--trace', 'b/x')
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.tandem('run', '--repeat', 'one/run.json')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('same bits', done.stdout)


class Outside(CommandLine):
    def test_what_the_repeat_switches_is_not_compared(self):
        self.fmu('outside_fmi3.fmu', TEST_FMUS)
        self.write('outside.ssd', system(component('clock', 'outside_fmi3.fmu')))
        for form in ('csv', 'hdf5', 'mat'):
            with self.subTest(form):
                done = self.tandem('run', 'outside.ssd', '--stop', '0.2', '--step', '0.01', '--out', form, '--record', '*',
                                   '--format', form, '--realtime=5', '--set', 'clock.network=true')
                self.assertEqual(done.returncode, 0, done.stderr)
                done = self.tandem('run', '--repeat', f'{form}/run.json')
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn('same bits', done.stdout)
                if form == 'csv':
                    self.assertEqual(done.stdout.count('not compared'), 1, done.stdout)
                    self.assertRegex(done.stdout, r'results\.csv: not compared, .*: (clock\.(network|journal|replay)(, |\n)){3}')
        with open(os.path.join(self.folder, 'csv/repeat/run.json')) as file:
            origins = {value['name']: value['origin'] for value in json.load(file)['parameters']}
        self.assertEqual({name for name, origin in origins.items() if origin == '--repeat'},
                         {'clock.network', 'clock.journal', 'clock.replay'})


if __name__ == '__main__':
    main()
