"""Who may include whom: every #include of the project against the table of the architecture.

usage: include_rule.py REPOSITORY
"""
import os
import re
import sys

# What each room may include beside the C and C++ standard library: own folders, and libraries by their first path part.
ROOMS = {
    'models': (['models/'], ['Eigen', 'embree3', 'sundials', 'cvode', 'nvector', 'sunmatrix', 'sunlinsol', 'fcl', 'kdl',
                             'mujoco', 'dart']),
    'interfaces': (['interfaces/'], ['boost', 'pugixml.hpp', 'urdf_parser', 'urdf_model', 'openssl', 'sys', 'arpa',
                                     'netinet', 'linux', 'unistd.h', 'fcntl.h', 'poll.h']),
    'fmus': (['fmus/', 'models/', 'interfaces/'], []),
    'master': (['master/', 'interfaces/'],
               ['pugixml.hpp', 'zip.h', 'sundials', 'cvode', 'nvector', 'sunmatrix', 'sunlinsol', 'Eigen', 'hdf5.h',
                'matio.h', 'openssl', 'boost', 'mpi.h', 'CLI', 'fmt', 'nlohmann', 'iconv.h', 'sys', 'unistd.h', 'fcntl.h',
                'dlfcn.h', 'elf.h', 'link.h', 'xmmintrin.h', 'gnu', 'fts.h', 'ftw.h', 'poll.h', 'spawn.h']),
}
# A machine file becomes plain data, checked by the linkages it describes: the data and the check are a model's.
ALSO = {os.path.join('interfaces', 'machine_file'): 'models/machine/kinematics/'}
# Input and output, threads, processes: not for models.
FORBIDDEN_IN_MODELS = {'fstream', 'iostream', 'cstdio', 'thread', 'mutex', 'filesystem', 'future', 'unistd.h'}
STANDARD = re.compile(r'^[a-z_0-9]+$')
C_HEADERS = {'stddef.h', 'stdint.h', 'stdbool.h', 'math.h', 'string.h', 'stdlib.h', 'stdio.h', 'fenv.h', 'locale.h',
             'xlocale.h', 'float.h'}


def problems(root):
    for room, (folders, libraries) in ROOMS.items():
        for base, _, files in os.walk(os.path.join(root, room)):
            for name in files:
                if not name.endswith(('.cpp', '.hpp', '.h', '.c')):
                    continue
                path = os.path.join(base, name)
                with open(path, encoding='utf-8') as file:
                    for number, line in enumerate(file, 1):
                        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
                        if not found or '{' in line:  # a text that is written, not an include
                            continue
                        quote, target = found.groups()
                        where = f'{os.path.relpath(path, root)}:{number}'
                        if quote == '"':
                            also = ALSO.get(os.path.relpath(base, root), '-')
                            if not target.startswith((*folders, also)):
                                yield f'{where}: {room} may not include "{target}"'
                            continue
                        first = target.split('/')[0]
                        standard = STANDARD.match(target) or target in C_HEADERS
                        if room == 'models' and first in FORBIDDEN_IN_MODELS:
                            yield f'{where}: a model does no input, output or threads: <{target}>'
                        elif not standard and first not in libraries:
                            yield f'{where}: {room} may not include <{target}>'


def main():
    found = list(problems(sys.argv[1]))
    print('\n'.join(found) or 'every #include is allowed')
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main()
