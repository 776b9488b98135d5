"""One set of error codes: those that the sources use are those that the README lists.

usage: error_codes.py REPOSITORY
"""
import pathlib
import re
import sys

# Where a code stands first among the arguments: errors, remarks of readers, failures of units.
USE = re.compile(r'(?:\bError(?: \w+)?|\bfail_with|\berror|\bnote|\bwarn(?:_told)?|\bignored|\bdeviation|\bremark|\breport)[({]\s*'
                 r'(?:[^"(){};,]+\?\s*"([a-z0-9-]+)"\s*:\s*)?"([a-z0-9-]+)"\s*,'
                 r'|return \{\s*"([a-z]+-[a-z-]+)"\s*,')


def used(root):
    codes = {}
    for path in sorted(root.glob('master/**/*.[ch]pp')):
        text = path.read_text()
        for found in USE.finditer(text):
            line = text.count('\n', 0, found.start()) + 1
            for code in filter(None, found.groups()):
                codes.setdefault(code, f'{path.relative_to(root)}:{line}')
    return codes


def listed(root):
    text = (root / 'README.md').read_text()
    table = text.partition('| codes | about |')[2].partition('\n\n')[0]
    return set(re.findall(r'`([a-z0-9-]+)`', '\n'.join(row.split('|')[1] for row in table.splitlines() if row.count('|') > 2)))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    codes, known = used(root), listed(root)
    problems = [f'{codes[code]}: the code {code} is not in the list of the README' for code in sorted(codes.keys() - known)]
    problems += [f'README.md: nothing uses the code {code}' for code in sorted(known - codes.keys())]
    print('\n'.join(problems) or f'{len(known)} error codes, all in the README')
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
