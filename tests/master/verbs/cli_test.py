"""What a user meets on the command line: runs and the files they leave, and every other verb.

usage: cli_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import zipfile

from command_line import CommandLine, FMUS, TANDEM, TEST_FMUS, component, connector, main, system


class Verbs(CommandLine):
    def test_a_single_fmu(self):
        self.fmu('dahlquist.fmu')
        done = self.tandem('run', 'resources/dahlquist.fmu', '--out', 'out')
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows('out/results.csv')
        self.assertEqual(list(rows[0])[0], 'time')
        self.assertAlmostEqual(float(rows[-1]['x']), 2.718281828 ** -float(rows[-1]['time']), delta=0.02)
        for name in ('results.csv', 'run.json', 'report.html'):
            self.assertTrue(os.path.exists(os.path.join(self.folder, 'out', name)), name)

    def test_two_runs_give_the_same_bits(self):
        for out in ('one', 'two', 'three'):
            threads = '1' if out != 'three' else '2'
            done = self.tandem('run', self.two_mass(), '--out', out, '--quiet', '--threads', threads)
            self.assertEqual(done.returncode, 0, done.stderr)
        contents = []
        for out in ('one', 'two', 'three'):
            with open(os.path.join(self.folder, out, 'results.csv'), 'rb') as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        self.assertEqual(contents[0], contents[2])

    def test_threads_give_the_same_bits(self):
        names = ['a', 'b', 'c', 'd']
        components = ''.join(
            f'<ssd:Component name="{name}" source="{TEST_FMUS}/costly_fmi2.fmu"><ssd:Connectors>'
            '<ssd:Connector name="u" kind="input"><ssc:Real/></ssd:Connector>'
            '<ssd:Connector name="y" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors></ssd:Component>'
            for name in names)
        connections = ''.join(
            f'<ssd:Connection startElement="{a}" startConnector="y" endElement="{b}" endConnector="u"/>'
            for a, b in zip(names, names[1:] + names[:1]))
        self.write('costly.ssd', '<ssd:SystemStructureDescription version="1.0" name="costly" '
                   'xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
                   'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"><ssd:System name="costly">'
                   f'<ssd:Elements>{components}</ssd:Elements><ssd:Connections>{connections}</ssd:Connections>'
                   '</ssd:System></ssd:SystemStructureDescription>')
        contents = []
        for threads in ('1', '2'):
            done = self.tandem('run', 'costly.ssd', '--step', '0.001', '--stop', '0.4', '--out', threads, '--stats',
                               '--threads', threads)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(self.folder, threads, 'results.csv'), 'rb') as file:
                contents.append(file.read())
        self.assertRegex(done.stdout + done.stderr, r'on several threads +\d+')
        self.assertEqual(contents[0], contents[1])

    def test_repeat(self):
        system_folder = self.two_mass()
        self.assertEqual(self.tandem('run', system_folder, '--out', 'one', '--quiet', '--step', '0.01').returncode, 0)
        done = self.tandem('run', '--repeat', 'one/run.json', '--out', 'two')
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertRegex(done.stdout + done.stderr, 'same bits')
        with open(os.path.join(self.folder, 'one/results.csv'), 'a') as file:
            file.write('99,1,1\n')
        done = self.tandem('run', '--repeat', 'one/run.json', '--out', 'three')
        self.assertEqual(done.returncode, 3, done.stderr + done.stdout)

    def test_archive_of_a_system_is_called_by_its_own_name(self):
        self.assertEqual(self.tandem('pack', self.two_mass(), '-o', 'two.ssp').returncode, 0)
        self.assertEqual(self.tandem('run', 'two.ssp', '--out', 'one', '--quiet').returncode, 0)
        with open(os.path.join(self.folder, 'one/run.json')) as file:
            self.assertNotIn(tempfile.gettempdir() + '/tandem-', file.read().replace(self.folder, ''))
        done = self.tandem('run', '--repeat', 'one/run.json', '--out', 'two')
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertNotIn('no longer there', done.stderr)
        with zipfile.ZipFile(os.path.join(self.folder, 'two.ssp')) as whole, \
                zipfile.ZipFile(os.path.join(self.folder, 'broken.ssp'), 'w') as broken:
            for name in whole.namelist():
                broken.writestr(name, b'PK' if name.endswith('.fmu') else whole.read(name))
        self.refused(r"error\[bad-archive\]: broken\.ssp/resources/\w+\.fmu: .*; component '\w+' at "
                     r'broken\.ssp/SystemStructure\.ssd:\d+', 'run', 'broken.ssp')

    def test_fmu_without_model_description(self):
        with zipfile.ZipFile(os.path.join(self.folder, 'resources', 'a.fmu'), 'w') as archive:
            archive.writestr('binaries/readme', 'nothing')
        self.refused_system(r'resources/a\.fmu/modelDescription\.xml: there is no such file.*'
                            r"component 'a' at \S*SystemStructure\.ssd:\d+", system(component('a', 'a.fmu')))

    def test_unknown_algorithm_of_a_system(self):
        path = os.path.join(self.two_mass(), 'SystemStructure.ssd')
        with open(path, encoding='utf-8') as file:
            text = file.read()
        annotations = ('<ssd:Annotations><ssc:Annotation type="io.tandem.cosim"><t:Master xmlns:t="urn:tandem:cosim:1" '
                       'algorithm="jacoby"/></ssc:Annotation></ssd:Annotations>')
        text = text.replace('</ssd:System>', annotations + '</ssd:System>')
        self.write('two_mass/SystemStructure.ssd', text)
        self.refused(r"SystemStructure\.ssd:\d+: unknown algorithm 'jacoby'.*closest match 'jacobi'", 'run', 'two_mass')

    def test_rounding_changed_late_is_put_back(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        done = self.tandem('run', 'resources/misbehaving_fmi2.fmu', '--step', '0.1', '--stop', '1', '--set',
                           'behaviour=8', '--set', 'when=0.5', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r'warning: .*changed the floating-point environment before t = 0\.6')
        self.assertIn('step 0.1 s', done.stdout)

    def test_only_what_a_format_holds_is_counted(self):
        self.fmu('feedthrough.fmu')
        done = self.tandem('run', 'resources/feedthrough.fmu', '--record', '*', '--out', 'o')
        self.assertIn(f'recorded     {len(self.rows("o/results.csv")[0]) - 1} signals', done.stdout)

    def test_record_patterns(self):
        folder = self.two_mass()
        self.assertEqual(self.tandem('run', folder, '--out', 'o', '--quiet', '--record', 'left.*').returncode, 0)
        self.assertTrue(all(name == 'time' or name.startswith('left.') for name in self.rows('o/results.csv')[0]))
        self.refused("closest match 'left", 'run', folder, '--out', 'o2', '--record', 'leftt.x')
        self.assertEqual(self.tandem('run', folder, '--out', 'o3', '--quiet', '--record', 'none').returncode, 0)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'o3/results.csv')))

    def test_input_table(self):
        self.fmu('dahlquist_coupled.fmu')
        self.write('u.csv', 'time,"u"\n0,0\n1,0\n1,1\n3,1\n')
        done = self.tandem('run', 'resources/dahlquist_coupled.fmu', '--input', 'u.csv', '--stop', '3', '--step',
                           '0.01', '--out', 'o', '--set', 'x0=0', '--set', 'g=1')
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows('o/results.csv')
        last = rows[-1]
        self.assertAlmostEqual(float(last['x']), 1 - 2.718281828459045 ** -2, delta=1e-6)
        self.write('u.csv', 'time,v\n0,0\n1,0\n')
        self.refused(r"u\.csv:1.*'v'", 'run', 'resources/dahlquist_coupled.fmu', '--input', 'u.csv')
        self.write('u.csv', 'time,u\n0,0\n1,nan\n')
        self.refused(r"u\.csv:3: column 'u' is not a number", 'run', 'resources/dahlquist_coupled.fmu', '--input',
                     'u.csv')

    def test_input_table_of_a_system_with_an_order(self):
        folder = self.example('boom_coupling')
        with open(os.path.join(folder, 'SystemStructure.ssd'), encoding='utf-8') as file:
            self.assertIn('order="', file.read())
        self.write('u.csv', 'time,boom.command\n0,0\n1,0.1\n')
        done = self.tandem('run', folder, '--input', 'u.csv', '--stop', '0.1', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_scenario(self):
        self.fmu('dahlquist_coupled.fmu')
        scenario = ('<Scenario xmlns="urn:tandem:scenario:1"><Signal name="dahlquist_coupled.u" hold="constant">'
                    '<At t="0" value="0"/><At t="1" value="1"/></Signal>'
                    '<Limit name="dahlquist_coupled.x" max="{}" action="stop"/></Scenario>')
        self.write('s.xml', scenario.format(2))
        common = ['run', 'resources/dahlquist_coupled.fmu', '--scenario', 's.xml', '--stop', '3', '--step', '0.01',
                  '--set', 'x0=0', '--set', 'g=1']
        done = self.tandem(*common, '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(float(self.rows('o/results.csv')[-1]['x']), 1 - 2.718281828459045 ** -2, delta=1e-6)
        self.write('s.xml', scenario.format(0.5))
        done = self.tandem(*common, '--out', 'o2')
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r'error\[limit\]: s\.xml:\d+.*t = 1\.7,')
        rows = self.rows('o2/results.csv')
        self.assertGreater(len(rows), 160)
        self.assertGreater(float(rows[-1]['x']), 0.5, 'what broke the limit is recorded')
        self.write('s.xml', scenario.format(0.5).replace('"stop"', '"warn"'))
        done = self.tandem(*common, '--out', 'o3')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^warning: s\.xml:1: 'dahlquist_coupled\.x' is .* at t = 1\.7,")
        for right, wrong in (('coupled.u"', 'coupled.uu"'), ('coupled.x"', 'coupled.xx"')):
            self.write('s.xml', scenario.format(2).replace(right, wrong))
            self.refused(r'error\[unknown-name\]: s\.xml:1: .*closest match', *common)

    def test_interrupted_runs_keep_their_results(self):
        for way in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(way=way.name):
                self.interrupted_by(way)

    def interrupted_by(self, way):
        process = subprocess.Popen([TANDEM, 'run', self.two_mass(), '--stop', '100000', '--out', 'o'],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(200):
            time.sleep(0.05)
            if os.path.exists(os.path.join(self.folder, 'o/results.partial.csv')):
                break
        time.sleep(0.5)
        process.send_signal(way)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        rows = self.rows('o/results.csv')
        self.assertGreater(len(rows), 10)
        self.assertNotIn(None, rows[-1].values())
        self.assertTrue(os.path.exists(os.path.join(self.folder, 'o/run.json')))
        if way == signal.SIGINT:  # a repeat ends where the run was stopped, not where it would have ended
            again = self.tandem('run', '--repeat', 'o/run.json', '--out', 'again')
            self.assertEqual(again.returncode, 0, again.stderr + again.stdout)
            self.assertIn('same bits', again.stdout)
            self.assertEqual(self.rows('again/results.csv'), rows)
        shutil.rmtree(os.path.join(self.folder, 'o'))

    def test_formats_agree(self):
        folder = self.two_mass()
        for form in ('csv', 'hdf5', 'mat', 'mcap'):
            done = self.tandem('run', folder, '--out', form, '--format', form, '--quiet', '--stop', '1')
            self.assertEqual(done.returncode, 0, done.stderr)
        for other in ('hdf5/results.h5', 'mat/results.mat', 'mcap/results.mcap'):
            done = self.tandem('compare', other, 'csv/results.csv', '--tol', '0', '--absolute', '0')
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_compare(self):
        self.write('a.csv', 'time,x\n0,0\n1,1\n')
        self.write('b.csv', 'time,x\n0,0\n1,1.1\n')
        self.assertEqual(self.tandem('compare', 'a.csv', 'a.csv').returncode, 0)
        self.assertEqual(self.tandem('compare', 'a.csv', 'b.csv', '--tol', '0.01').returncode, 3)
        self.assertEqual(self.tandem('compare', 'a.csv', 'b.csv', '--tol', '0.2').returncode, 0)

    def test_marks_of_direction_in_names_are_spelt_out_in_pages(self):
        self.write('a.csv', 'time,boom\u202e12\n0,0\n1,1\n')
        self.assertEqual(self.tandem('compare', 'a.csv', 'a.csv', '--html', 'page.html').returncode, 0)
        with open(os.path.join(self.folder, 'page.html'), encoding='utf-8') as file:
            page = file.read()
        self.assertNotIn('\u202e', page)
        self.assertIn(r'boom\u202e12', page)

    def test_set_reaches_connectors_of_the_system(self):
        self.fmu('dahlquist.fmu')
        text = system(component('unit', 'dahlquist.fmu'))
        text = text.replace('<ssd:Elements>', '<ssd:Connectors>' + connector('boom.rate', 'parameter', '<ssc:Real/>') +
                            '</ssd:Connectors><ssd:Elements>', 1)
        text = text.replace('</ssd:Connections>', '<ssd:Connection startConnector="boom.rate" endElement="unit" '
                            'endConnector="k"/></ssd:Connections>')
        self.refused_system(r"--set boom\.rat=0: 'boom\.rat' is neither .* closest match 'boom\.rate'", text, '--set',
                            'boom.rat=0')
        self.refused_system(r"closest match 'unit\.k'", text, '--set', 'unt.k=0')
        done = self.tandem('run', '.', '--step', '0.1', '--set', 'boom.rate=0', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({row['unit.x'] for row in self.rows('o/results.csv')}, {'1'})

    def test_converge_shows_the_order(self):
        folder = self.two_mass()
        for hold, order in (('constant', 1), ('compensated', 2)):
            done = self.tandem('converge', folder, '--stop', '1', '--step', '0.005', '--hold', hold)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = float(re.search(r'observed order ([\d.]+)', done.stdout).group(1))
            self.assertAlmostEqual(found, order, delta=0.15)

    def test_converge_takes_no_solver_noise_for_an_order(self):
        done = self.tandem('converge', self.example('bouncing_ball'))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no order: differences are at the level of the solver's tolerance", done.stdout)
        self.assertNotIn('observed order', done.stdout)
        done = self.tandem('converge', self.example('thermostat'))
        self.assertIn('no order: differences do not shrink regularly', done.stdout)

    def test_check_and_graph_and_inspect(self):
        folder = self.two_mass()
        self.assertRegex(self.tandem('check', folder).stdout, 'ok, 2 components, 2 connections')
        self.assertRegex(self.tandem('graph', folder).stdout, 'digraph')
        done = self.tandem('inspect', os.path.join(FMUS, 'dahlquist.fmu'), '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads(done.stdout)
        self.assertEqual(self.tandem('inspect', os.path.join(FMUS, 'dahlquist_fmi2.fmu')).returncode, 0)
        self.assertEqual(self.tandem('inspect', folder).returncode, 0)

    def test_inspect_shows_what_components_exchange(self):
        folder = self.two_mass()
        text = self.tandem('inspect', folder).stdout
        self.assertRegex(text, r'(?m)^    output +\w+ +Float64 +m$')
        self.assertRegex(text, r'(?m)^    \d+ parameters?: tandem inspect .*oscillator\.fmu$')
        document = json.loads(self.tandem('inspect', folder, '--json').stdout)
        left = document['components'][0]
        self.assertIn({'type': 'Float64', 'causality': 'output', 'unit': 'm'},
                      [{key: value for key, value in v.items() if key != 'name'} for v in left['variables']])
        self.assertEqual({v['causality'] for v in left['variables']}, {'input', 'output'})
        self.assertGreater(left['parameters'], 0)

    def test_inspect_and_graph_take_a_variant(self):
        self.fmu('dahlquist.fmu')
        self.write('SystemStructure.ssd', system(component('first', 'dahlquist.fmu')))
        self.write('other.ssd', system(component('second', 'dahlquist.fmu')))
        for verb in ('inspect', 'graph'):
            done = self.tandem(verb, '.', '--variant', 'other.ssd')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('second', done.stdout)
            self.assertNotIn('first', done.stdout)

    def test_graph_writes_what_is_named_and_nothing_beside_it(self):
        folder = self.two_mass()
        mine = self.write('g.svg.dot', 'mine')
        done = self.tandem('graph', folder, '-o', 'g.svg')
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, 'g.svg'), encoding='utf-8') as file:
            self.assertRegex(file.read(), r'(?s)<svg.*</svg>')
        nowhere = os.environ | {'PATH': self.folder}
        done = self.tandem('graph', folder, '-o', 'other.svg', env=nowhere)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r'error\[missing-program\]: other\.svg: .*graphviz.*-o FILE\.dot')
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'other.svg')))
        self.assertEqual(self.tandem('graph', folder, '-o', 'g.dot', env=nowhere).returncode, 0)
        with open(mine, encoding='utf-8') as file:
            self.assertEqual(file.read(), 'mine')

    def test_new_fmu_takes_no_name_that_another_unit_has(self):
        os.makedirs(os.path.join(self.folder, 'fmus/site/wall'))
        units = self.write('fmus/CMakeLists.txt', '')
        self.refused('fmus/site/wall: is there already', 'new', 'fmu', 'wall')
        self.refused("a part of the kit is called 'machine'", 'new', 'fmu', 'machine')
        self.assertEqual(os.path.getsize(units), 0)
        self.assertEqual(self.tandem('new', 'fmu', 'low_pass').returncode, 0)
        with open(units, encoding='utf-8') as file:
            self.assertEqual(file.read(), 'add_fmu(low_pass MODEL models::low_pass FMI 2 3 ME)\n')

    def test_pack_and_run_the_archive(self):
        done = self.tandem('pack', self.two_mass(), '-o', 't.ssp')
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.tandem('run', 't.ssp', '--quiet', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_new_system_can_be_checked(self):
        self.assertEqual(self.tandem('new', 'system', 'crane').returncode, 0)
        done = self.tandem('check', 'crane')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('crane: ok, 1 component', done.stdout)
        done = self.tandem('run', 'crane', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('recorded     1 signal in', done.stdout)
        self.assertEqual(float(self.rows('o/results.csv')[-1]['drive.command']), 1)
        self.refused('exists|already', 'new', 'system', 'crane')

    def test_the_summary_prints_the_hyperperiod_of_several_rates(self):
        self.fmu('dahlquist.fmu')
        rate = ('<ssd:Annotations><ssc:Annotation type="io.tandem.cosim">'
                '<t:Component xmlns:t="urn:tandem:cosim:1"><t:Rate step="{}"/></t:Component>'
                '</ssc:Annotation></ssd:Annotations>')
        self.write('a.ssd', system(component('a', 'dahlquist.fmu', rate.format('0.02')) +
                                   component('b', 'dahlquist.fmu', rate.format('0.05'))))
        done = self.tandem('run', 'a.ssd', '--stop', '0.2', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'algorithm .*, hyperperiod 0\.1 s')

    def test_stats_and_trace(self):
        done = self.tandem('run', self.two_mass(), '--out', 'o', '--stats', '--trace', 'trace.json')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout + done.stderr, r'left')
        with open(os.path.join(self.folder, 'trace.json')) as file:
            json.load(file)

    def test_help_has_an_example_for_every_verb(self):
        for verb in ('run', 'inspect', 'check', 'graph', 'converge', 'compare', 'new', 'new system', 'new fmu', 'pack'):
            done = self.tandem(*verb.split(), '--help')
            self.assertEqual(done.returncode, 0)
            self.assertIn('Example', done.stdout, verb)


if __name__ == '__main__':
    main()
