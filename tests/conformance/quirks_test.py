"""What foreign units and files do beside the rules, each shown by the smallest unit that does it. Needs only Python.

usage: quirks_test.py TANDEM FMUS TEST_FMUS
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM = os.path.abspath(sys.argv[1])
FMUS, TEST_FMUS = (pathlib.Path(argument).resolve() for argument in sys.argv[2:4])


class Quirks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tandem-quirks-"))
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def tandem(self, *arguments):
        return subprocess.run([TANDEM, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              env=self.environment, timeout=60)

    def rows(self, fmu, *options):
        done = self.tandem("run", fmu, "--out", self.folder / "out", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out" / "results.csv", newline="") as file:
            return list(csv.DictReader(file)), done.stderr

    def inspect(self, fmu, *options):
        done = self.tandem("inspect", fmu, "--json", *options)
        return json.loads(done.stdout), done

    def changed(self, fmu, change):
        """A copy of an FMU whose files `change(name, data)` replaces."""
        file = self.folder / "changed.fmu"
        with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(file, "w") as new:
            for name in old.namelist():
                new.writestr(name, change(name, old.read(name)))
        return file

    def test_a_unit_with_a_solver_of_our_names_finds_its_own(self):
        rows, _ = self.rows(TEST_FMUS / "own_solver.fmu", "--stop", "0.1", "--step", "0.1")
        self.assertEqual(float(rows[0]["y"]), 42)
        self.assertIn("solvers of its own", " ".join(self.inspect(TEST_FMUS / "own_solver.fmu")[0]["quirks"]))

    def test_a_library_that_kills_its_loader_ends_in_an_error_of_ours(self):
        done = self.tandem("run", TEST_FMUS / "dies_on_load.fmu")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("error[bad-library]", done.stderr)
        self.assertIn("the process died of Bus error in dlopen", done.stderr)

    def test_a_truncated_library_ends_in_an_error_of_ours(self):
        cut = self.changed(FMUS / "dahlquist_fmi2.fmu", lambda name, data: data[:5000] if name.endswith(".so") else data)
        done = self.tandem("run", cut)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("error[bad-library]", done.stderr)

    def test_a_library_is_opened_in_the_helper_once(self):
        for _ in range(2):
            self.rows(FMUS / "dahlquist_fmi2.fmu", "--stop", "0.1")
        self.assertEqual(len(list((self.folder / "cache/tandem/libraries").iterdir())), 1)

    def test_a_cache_that_cannot_be_written_does_no_harm(self):
        (self.folder / "cache").write_text("a file where the folder should be")
        self.rows(FMUS / "dahlquist_fmi2.fmu", "--stop", "0.1")

    def test_inspect_names_the_library_that_is_missing(self):
        found, done = self.inspect(TEST_FMUS / "missing_library.fmu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(found["runs"])
        self.assertEqual(found["trials"][0]["missingLibraries"], ["libtandem_absent.so"])
        self.assertIn("it needs the tool that made it", found["trials"][0]["why"])

    def test_inspect_says_that_a_platform_is_missing(self):
        found, _ = self.inspect(TEST_FMUS / "windows_only.fmu")
        self.assertIn("no binary for this platform", found["trials"][0]["why"])

    def test_inspect_gives_the_reason_of_a_unit_that_cannot_be_instantiated(self):
        found, _ = self.inspect(TEST_FMUS / "instantiate_fails.fmu", "--try")
        self.assertIn("the licence for", found["trials"][0]["why"])
        self.assertIn("a licence is missing", found["trials"][0]["why"])

    def test_inspect_tries_abilities_out(self):
        found, _ = self.inspect(FMUS / "mass_left_fmi2.fmu", "--try")
        for trial in found["trials"]:
            self.assertTrue(trial["runs"], trial)
            self.assertEqual(trial["abilities"]["save and restore the state"], "works")
            self.assertEqual(trial["abilities"]["serialise the state"], "works")
        found, _ = self.inspect(TEST_FMUS / "promises_state.fmu", "--try")
        self.assertTrue(found["trials"][0]["abilities"]["save and restore the state"].startswith("fails"))
        self.assertIn("not in the binary: fmi2GetFMUstate", " ".join(found["quirks"]))

    def test_inspect_of_fmi_1_is_a_clear_refusal(self):
        old = self.changed(FMUS / "dahlquist_fmi2.fmu", lambda name, data: data.replace(b'fmiVersion="2.0"', b'fmiVersion="1.0"'))
        found, done = self.inspect(old)
        self.assertEqual(done.returncode, 2)
        self.assertFalse(found["runs"])
        self.assertIn("FMI 1.0", found["why"])

    def test_whole_numbers_and_booleans_written_as_reals_drive_such_inputs(self):
        (self.folder / "in.csv").write_text("time,Int32_input,Boolean_input,Int8_input\n0,1.0,0.0,-7.000\n0.1,2,1,5.0\n")
        rows, _ = self.rows(TEST_FMUS / "types_fmi3.fmu", "--input", self.folder / "in.csv", "--stop", "0.2", "--step",
                            "0.1", "--record", "Int32_output", "--record", "Int8_output")
        self.assertEqual([row["Int32_output"] for row in rows][1:], ["1", "2"])
        self.assertEqual([row["Int8_output"] for row in rows][1:], ["-7", "5"])

    def test_a_discrete_input_and_a_parameter_keep_their_value_between_the_rows_of_a_table(self):
        (self.folder / "in.csv").write_text("time,Float64_continuous_input,Float64_discrete_input,Float64_tunable_parameter\n"
                                            "0,0,0,0\n1,1,1,10\n2,2,0,10\n")
        for unit in ("feedthrough.fmu", "feedthrough_fmi2.fmu"):
            with self.subTest(unit):
                rows, _ = self.rows(FMUS / unit, "--input", self.folder / "in.csv", "--stop", "2", "--step", "0.25",
                                    "--record", "Float64_*", "--event-rows", "off")
                inputs = {name: [float(row[name]) for row in rows] for name in rows[0]}
                self.assertEqual(len(set(inputs["Float64_continuous_input"][1:])), 8)  # linear
                # At the rows themselves a unit with event mode has the new value, another one the old.
                self.assertEqual(inputs["Float64_discrete_input"][:4] + inputs["Float64_discrete_input"][5:8], [0] * 4 + [1] * 3)
                self.assertEqual(inputs["Float64_tunable_parameter"][:4] + inputs["Float64_tunable_parameter"][5:], [0] * 4 + [10] * 4)

    def test_a_model_description_in_utf_16_is_read(self):
        def encoded(name, data):
            if name != "modelDescription.xml":
                return data
            return data.decode().replace("UTF-8", "UTF-16").encode("utf-16")
        rows, _ = self.rows(self.changed(FMUS / "dahlquist_fmi2.fmu", encoded), "--stop", "0.1")
        self.assertGreater(len(rows), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
