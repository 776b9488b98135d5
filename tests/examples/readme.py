"""Reads what the texts of the repository promise: commands, tables, and numbers in a sentence."""
import re

# How a line begins that is meant to be typed.
PROGRAM = re.compile(r'(\./\w+|tandem|source|python3|(?:[\w.-]+/)+[\w.-]+)(?= |$)')
FENCE = re.compile(r'^```(\w*)\n(.*?)^```', re.M | re.S)


def commands(text):
    """The lines of all blocks that begin with a program: indented by four spaces, or fenced as sh, bash or console."""
    found = [line for language, body in FENCE.findall(text) if language in ('sh', 'bash', 'shell', 'console')
             for line in body.splitlines()]
    for block in re.findall(r'(?:\A|\n\n)((?: {4}\S.*\n?)+)', FENCE.sub('', text)):
        lines = [line.strip() for line in block.splitlines()]
        if PROGRAM.match(lines[0]):
            found += lines
    return [re.sub(r'\s+#.*', '', line.removeprefix('$ ')) for line in found if line.strip()]


def mentioned(text):
    """Commands inside a sentence or table, between backquotes."""
    spans = re.findall(r'`([^`\n]+)`', FENCE.sub('', text))
    return [span for span in spans if re.match(r'(\./\w+|tandem|source) ', span)]


def table(text, heading):
    """The rows of the table whose heading contains this text, as lists of cells without emphasis."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('|') and heading in line), None)
    assert begin is not None, f"no table with '{heading}' in its heading"
    rows = []
    for line in lines[begin + 2:]:
        if not line.startswith('|'):
            break
        rows.append([cell.strip().replace('*', '') for cell in line.strip().strip('|').split('|')])
    return rows


def quoted(text, pattern):
    """The groups of a sentence, spaces and line ends in it alike; a sentence that is gone is an error."""
    found = re.search(r'\s+'.join(pattern.split(' ')), text, re.S)
    assert found, f"the text no longer says '{pattern}'"
    return found.groups()


def last_digit(number):
    """What one more in the last digit of a number as it is written adds: 0.01 for 4.39, 1e-6 for 2.667e-3. A little more,
    since neither is a binary fraction."""
    mantissa, _, exponent = number.lower().partition('e')
    return 1.000001 * 10.0 ** (int(exponent or 0) - len(mantissa.partition('.')[2]))
