"""The plots of a report carry the numbers of the results: each is read back from the page and compared, bit by bit.

usage: report_plots_test.py TANDEM REPOSITORY
"""
import base64
import csv
import html.parser
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, REPOSITORY = sys.argv[1], pathlib.Path(sys.argv[2])


class Plots(html.parser.HTMLParser):
    """Series of all plots as (label, all points, [(t, value)]), and the text of the scripts."""

    def __init__(self):
        super().__init__()
        self.series, self.scripts, self.in_script = [], '', False

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.in_script = tag == 'script'
        if 'data-time' in values:
            numbers = [struct.unpack(f'<{len(raw) // 8}d', raw)
                       for raw in (base64.b64decode(values[name]) for name in ('data-time', 'data-values'))]
            self.series.append((values['data-label'], int(values['data-count']), list(zip(*numbers))))

    def handle_endtag(self, tag):
        self.in_script = False

    def handle_data(self, data):
        if self.in_script:
            self.scripts += data


def run(*options):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([TANDEM, 'run', str(REPOSITORY / 'examples/two_mass'), '--out', folder, '--overwrite', '--quiet', *options],
                       check=True, capture_output=True)
        plots = Plots()
        plots.feed((pathlib.Path(folder) / 'report.html').read_text())
        with open(pathlib.Path(folder) / 'results.csv', newline='') as file:
            rows = [row for row in csv.reader(file) if row and not row[0].startswith('#')]
        table = {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
        return plots, table


class ReportPlots(unittest.TestCase):
    def check(self, plots, table):
        self.assertIn('u-legend', plots.scripts, 'the report has the script of the page; was build/page built?')
        self.assertTrue(plots.series)
        for label, count, points in plots.series:
            # Components share names: the one that has all the points is meant.
            column = next((name for name in table if (name == label or name.endswith('.' + label))
                           and set(points) <= set(zip(table['time'], table[name]))), None)
            self.assertIsNotNone(column, f"'{label}' is one of the results")
            values = [value for _, value in points]
            self.assertEqual(count, len(table[column]))
            self.assertEqual((min(values), max(values)), (min(table[column]), max(table[column])), 'no peak is lost')
            self.assertEqual((points[0][0], points[-1][0]), (table['time'][0], table['time'][-1]))
        return max(len(points) for _, _, points in plots.series)

    def test_every_point_of_a_short_run_stands_in_the_page(self):
        plots, table = run()
        self.check(plots, table)

    def test_a_long_run_is_decimated_by_least_and_greatest(self):
        plots, table = run('--step', '0.0005')
        self.assertGreater(len(table['time']), 4000)
        self.assertLessEqual(self.check(plots, table), 4 * 600 + 4)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
