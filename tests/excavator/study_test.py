"""The coupling study of examples/boom_coupling gives the published errors and verdicts.

usage: study_test.py TANDEM FMUS REPOSITORY
"""
import re
import subprocess
import sys

from support import StagedTest, REPOSITORY, TANDEM, main, readme

# MPa, published with one to three digits. Below 5 ms the sequential error is that of the solvers rather.
SEQUENTIAL = {'5': 0.007, '10': 0.029, '20': 0.126}
PARALLEL = {'0.5': 0.042, '1': 0.088, '2': 0.204, '5': 1.03}
DIGITS = 0.05
SEQUENTIAL_AT_1_MS = 0.0006


class Study(StagedTest):
    def test_the_published_figures(self):
        script = self.folder / 'examples/boom_coupling/study.py'
        (self.folder / 'examples/runs.py').write_text((REPOSITORY / 'examples/runs.py').read_text())
        done = subprocess.run([sys.executable, script, TANDEM], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        print(done.stdout)
        rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[2:4]}
        steps = done.stdout.splitlines()[1].split()[3:]
        sequential, parallel = (dict(zip(steps, rows[name])) for name in ('sequential', 'parallel'))
        for step, value in SEQUENTIAL.items():
            self.assertLess(abs(float(sequential[step]) / value - 1), DIGITS, f'sequential, {step} ms')
        self.assertLess(float(sequential['1']), SEQUENTIAL_AT_1_MS)
        for step, value in PARALLEL.items():
            self.assertLess(abs(float(parallel[step]) / value - 1), DIGITS, f'parallel, {step} ms')
        for step in ('10', '20'):
            self.assertEqual(parallel[step], 'diverges')

        text = (REPOSITORY / 'examples/boom_coupling/README.md').read_text()
        for name, *cells in readme.table(text, '| step in ms |'):
            for step, cell in zip(steps, cells):
                if cell == 'diverges':
                    self.assertEqual(rows[name][steps.index(step)], cell)
                else:
                    self.assertLessEqual(abs(float(rows[name][steps.index(step)]) - float(cell)),
                                         readme.last_digit(cell), f'{name}, {step} ms')
        for name, step, growth, verdict in readme.table(text, '| step | growth |'):
            line = re.search(rf'{name} +{step} +(\S+) +(\w+)', done.stdout)
            self.assertEqual(line.group(2), verdict)
            if not growth.startswith('>'):
                self.assertLess(abs(float(line.group(1)) / float(growth) - 1), DIGITS, f'{name}, {step}')

        verdicts = {(name, step): verdict for name, step, verdict in
                    re.findall(r'(sequential|parallel) +([\d.]+) ms +\S+ +(stable|diverges)', done.stdout)}
        self.assertEqual(verdicts['parallel', '1'], 'diverges')
        for step in ('1', '2', '5'):
            self.assertEqual(verdicts['sequential', step], 'stable')
        self.assertEqual(verdicts['sequential', '10'], 'diverges')


if __name__ == '__main__':
    main()
