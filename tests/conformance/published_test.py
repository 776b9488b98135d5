"""The comparison with published values on systems of our own, whose values are known in closed form.

usage: published_test.py TANDEM FMUS REPOSITORY
"""
import csv
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
HERE = pathlib.Path(__file__).resolve().parent
VERSIONS = {"FMI 3": "", "FMI 2": "_fmi2"}


class Published(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="tandem-published-")
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def example(self, name, version=""):
        """A copy of an example with the units of one version of FMI."""
        copy = self.folder / f"{name}{version}"
        shutil.copytree(REPOSITORY / "examples" / name, copy, ignore=shutil.ignore_patterns("*.fmu", "force.ssd"))
        (copy / "resources").mkdir(exist_ok=True)
        system = copy / "SystemStructure.ssd"
        for unit in re.findall(r'source="resources/(\w+)\.fmu"', system.read_text()):
            shutil.copy(FMUS / f"{unit}{version}.fmu", copy / "resources" / f"{unit}.fmu")
        return copy

    def plain(self, system, step, stop, *options):
        result = self.folder / "plain.csv"
        done = subprocess.run([sys.executable, HERE / "plain_jacobi.py", system, step, "0", stop, result, *options],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(result, newline="") as file:
            return [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]

    def compared(self, *options):
        table = self.folder / "table.json"
        done = subprocess.run([sys.executable, HERE / "published.py", TANDEM, self.folder, "--json", table, *options],
                              capture_output=True, text=True, timeout=300)
        rows = json.loads(table.read_text()) if table.exists() else []
        return done.returncode, {row["case"].split("/")[1].split()[0]: row for row in rows}, done.stdout + done.stderr

    def test_the_plain_loop_is_the_closed_form_of_a_rotation(self):
        """x' = -x + L y, y' = -y - L x with exact units and constant hold: x+ = q x + L p y, y+ = q y - L p x, where
        q = exp(-h) and p = 1 - q."""
        for version in VERSIONS.values():
            (self.folder / "SystemStructure.ssd").write_text(
                '<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" '
                'name="rotation"><System name="rotation"><Elements>'
                f'<Component name="A" source="{FMUS}/dahlquist_coupled{version}.fmu"/>'
                f'<Component name="B" source="{FMUS}/dahlquist_coupled{version}.fmu"/></Elements><Connections>'
                '<Connection startElement="A" startConnector="x" endElement="B" endConnector="u"/>'
                '<Connection startElement="B" startConnector="x" endElement="A" endConnector="u"/>'
                '</Connections></System></SystemStructureDescription>')
            rows = self.plain(self.folder, "0.01", "1", "--set", "A.g=10", "--set", "A.x0=1", "--set", "B.g=-10", "--set",
                              "B.x0=0")
            x, y, q = 1.0, 0.0, math.exp(-0.01)
            for row in rows[1:]:
                x, y = q * x + 10 * (1 - q) * y, q * y - 10 * (1 - q) * x
                self.assertAlmostEqual(row["A.x"], x, delta=1e-9)
                self.assertAlmostEqual(row["B.x"], y, delta=1e-9)
            self.assertAlmostEqual(x, -0.504655876375, delta=1e-11)

    def test_the_plain_loop_has_the_errors_of_its_order(self):
        """Two masses with constant hold: the largest errors on [0, 1] s."""
        for version in VERSIONS.values():
            system = self.example("two_mass", version)
            for step, expected in (("0.01", 4.040e-1), ("0.005", 1.986e-1)):
                worst = 0
                for row in self.plain(system, step, "1"):
                    slow, fast = (math.cos(factor * math.pi * row["time"]) / 2 for factor in (2, 6))
                    worst = max(worst, abs(row["left.x"] - slow - fast), abs(row["right.x"] - slow + fast))
                self.assertAlmostEqual(worst / expected, 1, delta=6e-4)

    def test_systems_without_published_values_agree_with_the_plain_loop(self):
        cases = [self.example(name, version) for version in VERSIONS.values() for name in ("two_mass", "quarter_car")]
        cases += [self.example(name) for name in ("nested", "thermostat", "water_tank")]
        code, rows, text = self.compared()
        self.assertEqual(code, 0, text)
        self.assertEqual(set(rows), {case.name for case in cases})
        for name, row in rows.items():
            self.assertEqual(row["against"], "plain Jacobi loop")
            self.assertIsNotNone(row["difference"], f"{name}: {row['remark']}")
            self.assertLess(row["difference"], 1e-12, name)

    def test_a_difference_above_two_percent_is_an_error(self):
        shutil.copy(FMUS / "dahlquist_fmi2.fmu", self.folder)
        reference = self.folder / "dahlquist_fmi2_ref.csv"
        (self.folder / "dahlquist_fmi2_ref.opt").write_text("StopTime, 1\nStepSize, 0.1\n")
        exact = [(t / 10, math.exp(-t / 10)) for t in range(11)]
        for factor, expected in ((1.0, 0), (1.05, 1)):
            reference.write_text("time,x\n" + "".join(f"{t},{factor * x}\n" for t, x in exact))
            code, _, text = self.compared()
            self.assertEqual(code, expected, text)

    def test_a_system_that_does_not_run_is_an_error(self):
        system = self.example("two_mass") / "SystemStructure.ssd"
        system.write_text(system.read_text().replace('startConnector="x"', 'startConnector="nothing"', 1))
        code, rows, text = self.compared()
        self.assertEqual(code, 1, text)
        self.assertIn("error[", rows["two_mass"]["remark"])

    def test_the_list_of_stated_values_is_whole(self):
        listed = json.loads((HERE / "published.json").read_text())
        for entry in listed["cases"]:
            with self.subTest(entry["name"]):
                self.assertTrue(entry["source"])
                self.assertEqual(sum(key in entry for key in ("system", "fmu", "components")), 1)
                self.assertEqual(sum(key in entry for key in ("values", "result", "plain")), 1)
                self.assertEqual("components" in entry, "connections" in entry or "description" in entry)
        self.assertEqual(len({entry["name"] for entry in listed["cases"]}), len(listed["cases"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
