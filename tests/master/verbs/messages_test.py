"""Binary values, texts and clocks on wires between units: what arrives is what was sent, one barrier for every type.

usage: messages_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import itertools

from command_line import FMUS, CommandLine, TEST_FMUS, component, connection, connector, main, system

CLOCKS = connector('tx_clock', 'output', '<ssc:Clock/>') + connector('tx_data', 'output', '<ssc:Binary/>')
PLAIN = (('plain', 'plain_in'), ('list', 'list_in'), ('words', 'words_in'))


def talkers(names, wires):
    return system(''.join(component(name, 'talker_fmi3.fmu') for name in names),
                  ''.join(connection(a, b) for a, b in wires))


class Messages(CommandLine):
    def setUp(self):
        super().setUp()
        self.fmu('talker_fmi3.fmu', TEST_FMUS)

    def run_talkers(self, names, wires, *arguments):
        self.write('SystemStructure.ssd', talkers(names, wires))
        done = self.tandem('run', '.', '--step', '0.05', '--stop', '1', '--out', 'out', '--event-rows', 'off', *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.rows('out/results.csv')

    def test_plain_messages_arrive_at_their_point_in_every_order(self):
        """Discrete inputs of units with Event Mode: a change is an event at the communication point itself."""
        for names, threads in itertools.product((('a', 'b'), ('b', 'a')), ('1', '2')):
            rows = self.run_talkers(names, [(f'a.{x}', f'b.{y}') for x, y in PLAIN],
                                    '--algorithm', 'jacobi', '--threads', threads, '--set', 'a.first=9', '--set', 'b.first=9')
            self.assertEqual([row['b.heard'] for row in rows[1:]], [str(n) for n in range(1, len(rows))], names)
            self.assertEqual({row['b.intact'] for row in rows}, {'1'})

    def test_a_countdown_clock_drives_a_triggered_clock(self):
        """a speaks at 0.12, 0.19, 0.26 ... between the points of the grid; b hears each message at its tick."""
        for names in (('a', 'b'), ('b', 'a')):
            rows = self.run_talkers(names, [('a.tx_clock', 'b.rx_clock'), ('a.tx_data', 'b.rx_data')],
                                    '--set', 'a.first=0.12', '--set', 'a.every=0.07', '--set', 'b.first=9')
            heard = {}
            for row in rows:
                heard.setdefault(int(row['b.last']), float(row['time']))
            self.assertEqual(list(heard), list(range(14)))
            for n in range(1, 14):
                self.assertAlmostEqual(heard[n], 0.12 + 0.07 * (n - 1), delta=1e-9)
            self.assertEqual({row['b.intact'] for row in rows}, {'1'})
            self.assertEqual(rows[-1]['b.received'], '13')

    def test_units_that_speak_at_the_same_instant_hear_each_other(self):
        for names in (('a', 'b'), ('b', 'a')):
            wires = [('a.tx_clock', 'b.rx_clock'), ('a.tx_data', 'b.rx_data'),
                     ('b.tx_clock', 'a.rx_clock'), ('b.tx_data', 'a.rx_data')]
            rows = self.run_talkers(names, wires)
            self.assertEqual((rows[-1]['a.last'], rows[-1]['b.last']), ('10', '10'))
            self.assertEqual((rows[-1]['a.received'], rows[-1]['b.received']), ('10', '10'))
            self.assertEqual({row['a.intact'] for row in rows} | {row['b.intact'] for row in rows}, {'1'})

    def test_one_that_speaks_to_many_is_asked_after_it_heard(self):
        for names in itertools.permutations('abc'):
            wires = [('a.tx_clock', 'b.rx_clock'), ('a.tx_data', 'b.rx_data'), ('a.tx_clock', 'c.rx_clock'),
                     ('a.tx_data', 'c.rx_data'), ('b.tx_clock', 'a.rx_clock'), ('b.tx_data', 'a.rx_data')]
            rows = self.run_talkers(names, wires)
            self.assertEqual({rows[-1][f'{name}.received'] for name in 'abc'}, {'10'})
            self.assertEqual((rows[-1]['a.asked_early'], rows[-1]['b.asked_early']), ('0', '1'), names)

    def test_a_clock_that_ticks_by_itself_is_an_output(self):
        declared = ''.join(component(name, 'talker_fmi3.fmu', f'<ssd:Connectors>{connectors}</ssd:Connectors>')
                           for name, connectors in (('a', CLOCKS), ('b', connector('rx_clock', 'input', '<ssc:Clock/>')
                                                                    + connector('rx_data', 'input', '<ssc:Binary/>'))))
        self.write('SystemStructure.ssd', system(declared, connection('a.tx_clock', 'b.rx_clock') + connection('a.tx_data', 'b.rx_data')))
        done = self.tandem('check', '.', '--strict')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.refused_system('interval of its own', talkers('ab', [('a.tx_clock', 'b.tx_clock')]))

    def test_values_of_a_tick_inside_a_step_are_told_as_lost(self):
        self.fmu('can_player_triggered.fmu', FMUS)
        for strict, code in (((), 0), (('--strict',), 3)):
            done = self.tandem('run', 'resources/can_player_triggered.fmu', '--step', '0.5', '--stop', '2', '--out', f'out{code}', *strict)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, r"clock 'Bus.Tx_Clock' ticked inside a step, at t = .* what 'Bus.Tx_Data' was then is lost")

    def test_types_of_one_release_connect_without_a_warning(self):
        self.write('SystemStructure.ssd', talkers('ab', [('a.tx_data', 'b.rx_data')]))
        done = self.tandem('check', '.')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('warning', done.stdout + done.stderr)


if __name__ == '__main__':
    main()
