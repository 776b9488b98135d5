"""Who may include whom, and how large folders and files may be: the tree against the tables of the architecture.

usage: include_rule.py REPOSITORY
"""
import os
import re
import sys

FOLDERS = ('master', 'models', 'fmus', 'interfaces')

# What each folder may include beside the C and C++ standard library: own folders, and libraries by their first path part.
MAY_INCLUDE = {
    'models': (['models/'], ['Eigen', 'embree3', 'sundials', 'cvode', 'nvector', 'sunmatrix', 'sunlinsol', 'fcl', 'kdl',
                             'mujoco', 'dart']),
    'interfaces': (['interfaces/'], ['boost', 'pugixml.hpp', 'urdf_parser', 'urdf_model', 'openssl', 'dds', 'sys', 'arpa',
                                     'netinet', 'net', 'linux', 'unistd.h', 'fcntl.h', 'poll.h', 'termios.h']),
    'fmus': (['fmus/', 'models/', 'interfaces/'], []),
    'master': (['master/', 'interfaces/'],
               ['pugixml.hpp', 'zip.h', 'sundials', 'arkode', 'cvode', 'nvector', 'sunmatrix', 'sunlinsol',
                'sunnonlinsol', 'Eigen', 'unsupported', 'hdf5.h',
                'matio.h', 'openssl', 'boost', 'mpi.h', 'CLI', 'fmt', 'nlohmann', 'iconv.h', 'sys', 'unistd.h', 'fcntl.h',
                'dlfcn.h', 'elf.h', 'link.h', 'xmmintrin.h', 'gnu', 'fts.h', 'ftw.h', 'poll.h', 'spawn.h', 'sched.h', 'pthread.h', 'glob.h',
                'linux', 'ucontext.h', 'stdio_ext.h']),
}
# Input and output, threads, processes: not for models.
FORBIDDEN_IN_MODELS = {'fstream', 'iostream', 'cstdio', 'thread', 'mutex', 'filesystem', 'future', 'unistd.h'}
STANDARD = re.compile(r'^[a-z_0-9]+$')
C_HEADERS = {'stddef.h', 'stdint.h', 'stdbool.h', 'math.h', 'string.h', 'stdlib.h', 'stdio.h', 'fenv.h', 'locale.h',
             'xlocale.h', 'float.h'}

# Low to high: a room of master includes itself and rooms that stand before it.
ROOMS = ('base', 'core', 'fmi', 'isolation', 'ssp', 'results', 'build', 'contracts', 'report', 'runs', 'analysis', 'view',
         'study', 'verbs')
# Programs beside the rooms, and the rooms whose headers each may use; nobody includes them.
PROGRAMS = {'main.cpp': ROOMS, 'probe': ('base', 'fmi')}

# They cost seconds in every file that sees them, so they stand in sources only.
HEAVY = {'CLI/CLI.hpp', 'Eigen/Dense', 'nlohmann/json.hpp', 'hdf5.h'}

MOST_FILES = 30   # directly in a folder, README.md and CMakeLists.txt aside
MOST_LINES = 500  # in a source

C_FAMILY = ('.cpp', '.hpp', '.h', '.c')
SOURCES = (*C_FAMILY, '.py')


class Include:
    """One #include: where it stands, what it names, and whether in quotes (ours) or brackets."""

    def __init__(self, path, number, quote, target):
        self.path, self.target, self.ours = path, target, quote == '"'
        self.where = f'{path}:{number}'


def walk(root, folders):
    """(folder, its files) below `root`, both as paths from there."""
    for top in folders:
        for base, inner, names in os.walk(os.path.join(root, top)):
            inner[:] = sorted(name for name in inner if name not in ('__pycache__', 'node_modules'))
            folder = os.path.relpath(base, root)
            yield folder, [os.path.join(folder, name) for name in sorted(names)]


def read_includes(root):
    """Every #include of our folders, by file."""
    includes = {}
    for _, paths in walk(root, FOLDERS):
        for path in paths:
            if not path.endswith(C_FAMILY):
                continue
            includes[path] = []
            with open(os.path.join(root, path), encoding='utf-8') as file:
                for number, line in enumerate(file, 1):
                    found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
                    if found and '{' not in found[2]:  # else a text that is written, not an include
                        includes[path].append(Include(path, number, *found.groups()))
    return includes


def folder_problems(includes):
    for include in all_of(includes):
        folder = include.path.split('/')[0]
        own, libraries = MAY_INCLUDE[folder]
        if include.ours:
            if not include.target.startswith(tuple(own)):
                yield f'{include.where}: {folder} may not include "{include.target}"'
            continue
        first = include.target.split('/')[0]
        standard = STANDARD.match(include.target) or include.target in C_HEADERS
        if folder == 'models' and first in FORBIDDEN_IN_MODELS:
            yield f'{include.where}: a model does no input, output or threads: <{include.target}>'
        elif not standard and first not in libraries:
            yield f'{include.where}: {folder} may not include <{include.target}>'


def room_problems(includes):
    for path in includes:
        if path.startswith('master/') and room_of(path) not in (*ROOMS, *PROGRAMS):
            yield f'{path}: master has no room {room_of(path)}; known: {", ".join((*ROOMS, *PROGRAMS))}'
    for include in all_of(includes):
        if not (include.path.startswith('master/') and include.target.startswith('master/')):
            continue
        room, other = room_of(include.path), room_of(include.target)
        if room != other and other not in may_use(room):
            yield f'{include.where}: {room} may not include "{include.target}": {room} knows {known(room)}'


def room_of(path):
    return path.split('/')[1]


def may_use(room):
    return PROGRAMS[room] if room in PROGRAMS else ROOMS[:ROOMS.index(room)] if room in ROOMS else ROOMS


def known(room):
    return ', '.join(may_use(room)) or 'no other room'


def cycle_problems(includes):
    """Circles between rooms of master, and between files, a header and its source counting as one."""
    rooms, files = {}, {}
    for include in all_of(includes):
        if not include.ours or include.target not in includes:
            continue
        connect(files, stem(include.path), stem(include.target), include.where)
        if include.path.startswith('master/') and include.target.startswith('master/'):
            connect(rooms, 'master/' + room_of(include.path), 'master/' + room_of(include.target), include.where)
    for kind, graph in (('rooms', rooms), ('files', files)):
        for circle in circles(graph):
            places = [graph[a][b] for a, b in zip(circle, circle[1:])]
            yield f'{kind} include each other in a circle: {" -> ".join(circle)} ({", ".join(places)})'


def stem(path):
    return os.path.splitext(path)[0]


def connect(graph, a, b, where):
    graph.setdefault(b, {})
    if a != b:
        graph.setdefault(a, {}).setdefault(b, where)


def circles(graph):
    """A shortest circle through the first node of every strongly connected component of more than one node."""
    reached = {node: reachable(graph, node) for node in graph}
    told = set()
    for node in sorted(graph):
        if node in told or node not in reached[node]:
            continue
        told |= {other for other in reached[node] if node in reached[other]}
        yield shortest_way(graph, node, lambda other: other == node)


def reachable(graph, start):
    found, waiting = set(), [start]
    while waiting:
        for following in graph.get(waiting.pop(), ()):
            if following not in found:
                found.add(following)
                waiting.append(following)
    return found


def shortest_way(graph, start, is_goal):
    """Nodes from `start` along at least one edge to the nearest goal; None without one."""
    came_from, waiting = {}, [start]
    while waiting:
        upcoming = []
        for node in waiting:
            for following in sorted(graph.get(node, ())):
                if is_goal(following):
                    way = [following, node]
                    while way[-1] != start:
                        way.append(came_from[way[-1]])
                    return way[::-1]
                if following not in came_from and following != start:
                    came_from[following] = node
                    upcoming.append(following)
        waiting = upcoming
    return None


def model_problems(includes):
    """No chain of includes leads from master to a model, not even through an interface."""
    graph = {path: {include.target for include in list_ if include.ours} for path, list_ in includes.items()}
    for path in sorted(includes):
        if not path.startswith('master/'):
            continue
        way = shortest_way(graph, path, lambda target: target.startswith('models/'))
        # A file that only reaches it through another one of master adds nothing: that one is told.
        if way and not any(step.startswith('master/') for step in way[1:]):
            yield f'{path}: master uses a model: {" -> ".join(way)}'


def heavy_problems(includes):
    for include in all_of(includes):
        if include.path.endswith(('.hpp', '.h')) and include.target in HEAVY:
            yield f'{include.where}: <{include.target}> is heavy; include it in sources only'


def size_problems(root):
    for folder, paths in walk(root, (*FOLDERS, 'tests')):
        counted = [path for path in paths if os.path.basename(path) not in ('README.md', 'CMakeLists.txt')]
        if len(counted) > MOST_FILES:
            yield f'{folder}: has {len(counted)} files; at most {MOST_FILES}'
        for path in paths:
            if path.endswith(SOURCES):
                with open(os.path.join(root, path), encoding='utf-8') as file:
                    lines = sum(1 for _ in file)
                if lines > MOST_LINES:
                    yield f'{path}: has {lines} lines; at most {MOST_LINES}'


def all_of(includes):
    return (include for list_ in includes.values() for include in list_)


def problems(root):
    includes = read_includes(root)
    for check in (folder_problems, room_problems, cycle_problems, model_problems, heavy_problems):
        yield from check(includes)
    yield from size_problems(root)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = list(problems(sys.argv[1]))
    print('\n'.join(found) or 'every #include is allowed')
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main()
