"""The include rule on a small tree: it passes when clean, and each kind of fault is found and named.

usage: include_rule_test.py
"""
import os
import subprocess
import sys
import tempfile
import unittest

import include_rule

CLEAN = {
    'master/main.cpp': '#include "master/verbs/run.hpp"\n',
    'master/base/error.hpp': '#include <string>\n',
    'master/core/unit.hpp': '#include "master/base/error.hpp"\n',
    'master/core/unit.cpp': '#include "master/core/unit.hpp"\n#include <Eigen/Dense>\n',
    'master/fmi/unit/calls.hpp': '#include "interfaces/fmi/fmi2.h"\n',
    'master/fmi/unit/fmi2_unit.cpp': '#include "master/fmi/unit/calls.hpp"\n#include "master/core/unit.hpp"\n',
    'master/verbs/run.hpp': '#pragma once\n',
    'master/verbs/run.cpp': '#include "master/verbs/run.hpp"\n#include "master/fmi/unit/calls.hpp"\n'
                            '#include <CLI/CLI.hpp>\n',
    'master/probe/main.cpp': '#include "master/fmi/unit/calls.hpp"\n#include <dlfcn.h>\n',
    'interfaces/fmi/fmi2.h': '#include <stddef.h>\n',
    'interfaces/machine_file/machine_file.hpp': '#include <vector>\n',
    'models/site/wall/wall.hpp': '#include <vector>\n',
    'models/site/wall/wall.cpp': '#include "models/site/wall/wall.hpp"\n#include <Eigen/Dense>\n',
    'fmus/site/wall/wall_fmu.cpp': '#include "models/site/wall/wall.hpp"\n',
    'tests/core/unit.cpp': '#include "master/verbs/run.hpp"\n',
}


class Tree(tempfile.TemporaryDirectory):
    """The clean tree with some files added to, or made."""

    def __init__(self, changes):
        super().__init__()
        for path, text in {**CLEAN, **changes}.items():
            file = os.path.join(self.name, path)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, 'w', encoding='utf-8') as stream:
                stream.write(CLEAN[path] + text if path in CLEAN and path in changes else text)


def run(changes):
    """Exit code and output of the program."""
    with Tree(changes) as root:
        result = subprocess.run([sys.executable, include_rule.__file__, root], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout


class IncludeRule(unittest.TestCase):
    def refused(self, changes, *lines):
        with Tree(changes) as root:
            self.assertEqual(list(include_rule.problems(root)), list(lines))

    def test_a_clean_tree_passes(self):
        self.refused({})
        self.assertEqual(run({}), (0, 'every #include is allowed\n'))

    def test_a_fault_fails_the_program(self):
        self.assertEqual(run({'fmus/site/wall/wall_fmu.cpp': '#include "master/core/unit.hpp"  // {a remark}\n'}),
                         (1, 'fmus/site/wall/wall_fmu.cpp:2: fmus may not include "master/core/unit.hpp"\n'))

    def test_a_room_does_not_include_a_later_one(self):
        self.refused({'master/fmi/unit/calls.hpp': '#include "master/ssp/read.hpp"\n', 'master/ssp/read.hpp': ''},
                     'master/fmi/unit/calls.hpp:2: fmi may not include "master/ssp/read.hpp": '
                     'fmi knows base, core')
        self.refused({'master/base/error.hpp': '#include "master/ssp/read.hpp"\n', 'master/ssp/read.hpp': ''},
                     'master/base/error.hpp:2: base may not include "master/ssp/read.hpp": base knows no other room')

    def test_rooms_that_need_each_other_are_a_circle(self):
        self.refused({'master/core/unit.cpp': '#include "master/fmi/unit/calls.hpp"\n'},
                     'master/core/unit.cpp:3: core may not include "master/fmi/unit/calls.hpp": core knows base',
                     'rooms include each other in a circle: master/core -> master/fmi -> master/core '
                     '(master/core/unit.cpp:3, master/fmi/unit/fmi2_unit.cpp:2)')

    def test_a_room_is_one_of_the_list_and_programs_are_not_included(self):
        rooms = ('base, core, fmi, isolation, ssp, results, build, contracts, report, runs, analysis, view, study, '
                 'verbs')
        self.refused({'master/cellar/wine.cpp': ''},
                     f'master/cellar/wine.cpp: master has no room cellar; known: {rooms}, main.cpp, probe')
        self.refused({'master/verbs/run.cpp': '#include "master/probe/main.cpp"\n'},
                     'master/verbs/run.cpp:4: verbs may not include "master/probe/main.cpp": '
                     f'verbs knows {rooms.removesuffix(", verbs")}')

    def test_files_do_not_include_each_other_in_a_circle(self):
        self.refused({'master/core/system.hpp': '#include "master/core/events.hpp"\n',
                      'master/core/events.cpp': '#include "master/core/setup/initialization.hpp"\n',
                      'master/core/events.hpp': '#pragma once\n',
                      'master/core/setup/initialization.hpp': '#include "master/core/system.hpp"\n'},
                     'files include each other in a circle: master/core/events -> '
                     'master/core/setup/initialization -> master/core/system -> master/core/events (master/core/events.cpp:1, '
                     'master/core/setup/initialization.hpp:1, master/core/system.hpp:1)')

    def test_models_count_as_well(self):
        self.refused({'models/site/wall/mesh.hpp': '#include "models/site/wall/wall.hpp"\n',
                      'models/site/wall/wall.cpp': '#include "models/site/wall/mesh.hpp"\n'},
                     'files include each other in a circle: models/site/wall/mesh -> models/site/wall/wall -> '
                     'models/site/wall/mesh (models/site/wall/mesh.hpp:1, models/site/wall/wall.cpp:3)')

    def test_master_uses_no_model(self):
        self.refused({'master/core/unit.cpp': '#include "models/site/wall/wall.hpp"\n'},
                     'master/core/unit.cpp:3: master may not include "models/site/wall/wall.hpp"',
                     'master/core/unit.cpp: master uses a model: master/core/unit.cpp -> models/site/wall/wall.hpp')

    def test_master_uses_no_model_through_an_interface(self):
        self.refused({'interfaces/machine_file/machine_file.hpp': '#include "models/site/wall/wall.hpp"\n',
                      'master/verbs/run.cpp': '#include "interfaces/machine_file/machine_file.hpp"\n'},
                     'interfaces/machine_file/machine_file.hpp:2: interfaces may not include "models/site/wall/wall.hpp"',
                     'master/verbs/run.cpp: master uses a model: master/verbs/run.cpp -> '
                     'interfaces/machine_file/machine_file.hpp -> models/site/wall/wall.hpp')

    def test_heavy_headers_stand_in_sources_only(self):
        for header in ('CLI/CLI.hpp', 'Eigen/Dense', 'nlohmann/json.hpp', 'hdf5.h'):
            self.refused({'master/core/unit.hpp': f'#include <{header}>\n'},
                         f'master/core/unit.hpp:2: <{header}> is heavy; include it in sources only')

    def test_libraries_are_those_of_the_table(self):
        self.refused({'fmus/site/wall/wall_fmu.cpp': '#include <zip.h>\n'},
                     'fmus/site/wall/wall_fmu.cpp:2: fmus may not include <zip.h>')
        self.refused({'models/site/wall/wall.cpp': '#include <thread>\n'},
                     'models/site/wall/wall.cpp:3: a model does no input, output or threads: <thread>')

    def test_folders_and_files_stay_small(self):
        self.refused({**{f'tests/core/case_{i}.cpp': '' for i in range(30)}, 'tests/core/README.md': ''},
                     'tests/core: has 31 files; at most 30')
        self.refused({'models/site/wall/wall.hpp': '\n' * 500},
                     'models/site/wall/wall.hpp: has 501 lines; at most 500')


if __name__ == '__main__':
    unittest.main()
