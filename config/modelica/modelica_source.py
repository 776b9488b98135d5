"""A Modelica text: which line a place in it is, and what the user wrote there."""
import re


class BuildError(Exception):
    pass


class Source:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text()
        # What the compiler reads: it folds a parameter that is computed from whole numbers into a number, and then
        # no longer follows what it is computed from. Lines stay what they are.
        self.compiled = re.sub(r"(\bparameter\s+Real\s+\w+\s*=\s*[-+]?\d+)(?=\s*(?:;|\"))", r"\1.0", self.text)

    def where(self, span):
        """file:line of a span of the compiler, which counts bytes."""
        before = self.compiled.encode()[:span["start"]].decode(errors="replace")
        return f"{self.path}:{before.count(chr(10)) + 1}"

    def words(self, span):
        return self.compiled.encode()[span["start"]:span["end"]].decode(errors="replace")

    def find(self, word):
        """file:line of the first place outside comments where a word stands; the file where it does not."""
        code = re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"", lambda m: re.sub(r"[^\n]", " ", m.group()), self.text,
                      flags=re.S)
        found = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", code)
        return f"{self.path}:{code.count(chr(10), 0, found.start()) + 1}" if found else str(self.path)
