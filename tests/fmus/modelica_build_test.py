"""config/modelica/build.py: what it makes of small models, what it refuses and where, and how it calls OpenModelica.

usage: modelica_build_test.py TANDEM BUILD_SCRIPT
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, SCRIPT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])

# The output stands before what it is computed from; parameters pass through modifications, forwards and backwards.
CHAMBERS = """package Chambers
  model Chamber
    parameter Real twice = 2*area;
    parameter Real area = 1;
    input Real u;
    Real p(start = start_pressure);
    parameter Real start_pressure = 3;
    Real q;
  equation
    der(p) = q - p*twice;
    q = area*u;
  end Chamber;
  model Pair
    Chamber A(area = area_a);
    Chamber B(area = 2*area_a, start_pressure = 7);
    parameter Real area_a = 1 "Of the first";
    input Real u;
    output Real y;
    Real z;
    Real w;
  equation
    y = z + w;
    A.u = w;
    B.u = y;
    w = 2*z;
    z = 3*A.p + u;
  end Pair;
end Chambers;
"""
BALL = """model Ball
  parameter Real e = 0.8;
  parameter Real h0 = 1;
  Real h(start = h0);
  Real v(start = 0, fixed = true);
  Boolean low(start = true);
  discrete Real bounces(start = 0);
  output Real y;
equation
  der(h) = v;
  der(v) = -9.81;
  y = if h > 0.5 then 1 else 2;
  when h < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
  end when;
  when h > 10 then
    low = false;
  end when;
end Ball;
"""
STATES = """model States
  output Real x(start = 1);
  output Real v(start = v0);
  parameter Real v0 = 2;
  output Boolean low(start = false);
  Part part;
equation
  der(x) = -x;
  der(v) = part.y;
  when x < 0.5 then
    low = true;
  end when;
end States;
model Part
  output Real y(start = 3);
equation
  der(y) = 0;
end Part;
"""


def model(body, declarations="Real x(start = 1);"):
    return f"model M\n  output Real y;\n  {declarations}\nequation\n{body}\nend M;\n"


# What the text is, the line that is to blame, words of the message. Line 5 is the first of the body.
REFUSED = {
    "an initial equation": ("model M\n  output Real y;\n  Real x;\ninitial equation\n  x = 3;\nequation\n  der(x) = -x;\n"
                            "  y = x;\nend M;\n", 5, "initial equation"),
    "an equation inside if": (model("  der(x) = 1;\n  if x > 2 then\n    y = x;\n  else\n    y = 0;\n  end if;"), 2, "'y'"),
    "a time event": (model("  der(x) = 1;\n  y = s;\n  when sample(0, 0.1) then\n    s = x;\n  end when;",
                           "Real x(start = 1); discrete Real s(start = 0);"), 7, "'sample'"),
    "an algebraic loop": (model("  der(x) = -x;\n  a = x - b*b*b;\n  b = a + 1;\n  y = a;", "Real x(start = 1);\n  Real a;\n  Real b;"),
                          4, "'a'"),
    "a String": (model("  der(x) = 1;\n  y = x;", 'Real x(start = 1); parameter String name = "n";'), 3, "'name'"),
    "an unknown name": (model("  der(x) = 1;\n  y = x + unknown;"), 6, "'unknown'"),
    "what is folded": ("model M\n  output Real y;\n  Real x(start = 1);\n  Part part(area = 2);\nequation\n  der(x) = part.twice;\n"
                       "  y = x;\nend M;\nmodel Part\n  parameter Real area = 1;\n  parameter Real twice = 2*area;\nend Part;\n",
                       11, "'part.twice'"),
}


class Build(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="tandem-modelica-")
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def build(self, text, name, *options, path=None):
        source, unit = self.folder / "Model.mo", self.folder / "model.fmu"
        source.write_text(text)
        environment = os.environ | ({"PATH": path} if path else {})
        done = subprocess.run([sys.executable, SCRIPT, "--source", source, "--model", name, "--output", unit, *options],
                              capture_output=True, text=True, env=environment)
        return done, source, unit

    def run_unit(self, text, name, stop, *settings, record=("--record", "*")):
        done, _, unit = self.build(text, name, "--compiler", "rumoca")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.folder / "out"
        ran = subprocess.run([TANDEM, "run", unit, "--stop", str(stop), "--step", "0.01", "--out", out, *record,
                              *(f"--set={setting}" for setting in settings)], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(out / "results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        return [{name: float(value) for name, value in row.items()} for row in rows]

    def test_order_and_parameters_through_modifications(self):
        for area, settings in ((1, ()), (0.5, ("area_a=0.5",))):
            first = self.run_unit(CHAMBERS, "Chambers.Pair", 0.01, *settings, "u=1")[0]
            z = 3 * 3 + 1
            expected = {"A.area": area, "B.area": 2 * area, "A.twice": 2 * area, "B.twice": 4 * area, "A.p": 3, "B.p": 7,
                        "z": z, "w": 2 * z, "y": 3 * z, "A.q": area * 2 * z, "B.q": 2 * area * 3 * z,
                        "der(A.p)": area * 2 * z - 3 * 2 * area, "der(B.p)": 2 * area * 3 * z - 7 * 4 * area}
            for name, value in expected.items():
                self.assertAlmostEqual(first[name], value, msg=name)

    def test_if_and_when(self):
        rows = self.run_unit(BALL, "Ball", 1, "h0=2")
        self.assertEqual([row["y"] for row in (rows[0], rows[-1])], [1, 1])
        self.assertEqual(rows[0]["low"], 1)
        fall = (2 * 2 / 9.81) ** 0.5
        after = rows[-1]["time"] - fall
        speed = 0.8 * 9.81 * fall
        self.assertEqual(rows[-1]["bounces"], 1)
        self.assertAlmostEqual(rows[-1]["h"], speed * after - 9.81 / 2 * after ** 2, places=4)
        self.assertAlmostEqual(rows[-1]["v"], speed - 9.81 * after, places=4)
        # What holds from the beginning is no event.
        self.assertEqual(self.run_unit(BALL, "Ball", 0.01, "h0=-1")[0]["bounces"], 0)

    def test_outputs_that_are_states_or_discrete(self):
        for discrete in (True, False):
            text = STATES if discrete else re.sub(r"  output Boolean.*\n|  when(.|\n)*end when;\n", "", STATES)
            rows = self.run_unit(text, "States", 1, "v0=5", record=())  # by default outputs are recorded
            self.assertEqual(set(rows[0]), {"time", "x", "v"} | ({"low"} if discrete else set()))
            self.assertEqual([rows[0][name] for name in ("x", "v")], [1, 5])
            self.assertAlmostEqual(rows[-1]["x"], 0.3678794, places=4)
            self.assertAlmostEqual(rows[-1]["v"], 8, places=4)
            if discrete:
                self.assertEqual([row["low"] for row in (rows[0], rows[-1])], [0, 1])

    def test_what_is_not_translated_is_refused_at_its_line(self):
        for what, (text, line, words) in REFUSED.items():
            with self.subTest(what):
                done, source, unit = self.build(text, "M", "--compiler", "rumoca")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertTrue(done.stderr.startswith(f"error: {source}:{line}: "), done.stderr)
                self.assertIn(words, done.stderr)
                self.assertNotRegex(done.stderr, r"__|Traceback|\bc\[\d|\.c:")
                self.assertFalse(unit.exists())

    def omc(self, body):
        """A folder for the path with a program that stands in for OpenModelica."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / "omc"
        program.write_text(f"#!{sys.executable}\n{body}")
        program.chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def test_openmodelica_is_used_where_it_is_on_the_path(self):
        prepared = self.folder / "prepared.fmu"
        prepared.write_bytes(b"a unit")
        path = self.omc("import pathlib, shutil, sys\n"
                        "text = pathlib.Path(sys.argv[1]).read_text()\n"
                        f"pathlib.Path({str(self.folder / 'script')!r}).write_text(text)\n"
                        f"shutil.copy({str(prepared)!r}, 'Chambers_Pair.fmu')\n")
        done, source, unit = self.build(CHAMBERS, "Chambers.Pair", path=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(unit.read_bytes(), prepared.read_bytes())
        self.assertEqual(done.stdout.strip(), str(unit))
        script = (self.folder / "script").read_text()
        self.assertIn(f'loadFile("{source}");', script)
        self.assertRegex(script, r'buildModelFMU\(Chambers\.Pair, version="2\.0", fmuType="me", fileNamePrefix="Chambers_Pair"\);')
        # Asked for by name, the other compiler is taken.
        done, *_ = self.build(CHAMBERS, "Chambers.Pair", "--compiler", "rumoca", path=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(unit.read_bytes(), prepared.read_bytes())

    def test_what_openmodelica_says_is_passed_on(self):
        path = self.omc("print('\"Model.mo:3: Error: no such class\"')\n")
        done, *_ = self.build(CHAMBERS, "Chambers.Pair", path=path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Model.mo:3: Error: no such class", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_a_missing_file(self):
        done = subprocess.run([sys.executable, SCRIPT, "--source", self.folder / "none.mo", "--output", self.folder / "none.fmu"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, re.escape(str(self.folder / "none.mo")) + ": no such file")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
