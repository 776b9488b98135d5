#!/usr/bin/env python3
"""Validates SSP files against the schemas of the standard, and our own elements against ours.

Usage: validate_xsd.py REPOSITORY PATH...   (a path is a file, or a folder that is searched)
The standard's schemas come with the PyPI package pyssp_standard.
"""

import pathlib
import sys
import tempfile
import zipfile

from lxml import etree

SCHEMA_OF_SUFFIX = {
    ".ssd": "SystemStructureDescription.xsd",
    ".ssv": "SystemStructureParameterValues.xsd",
    ".ssm": "SystemStructureParameterMapping.xsd",
    ".ssb": "SystemStructureSignalDictionary.xsd",
}
VALUES = "{http://ssp-standard.org/SSP1/SystemStructureParameterValues}ParameterSet"
MAPPING = "{http://ssp-standard.org/SSP1/SystemStructureParameterMapping}ParameterMapping"
DICTIONARY = "{http://ssp-standard.org/SSP1/SystemStructureSignalDictionary}SignalDictionary"
OURS = "urn:tandem:cosim:1"
SCENARIO = "urn:tandem:scenario:1"
CAN_MAPPING = "urn:tandem:can:1"
DEVIATIONS = "urn:tandem:deviations:1"


class Schemas:
    """Schemas by file name, parsed once. A name of the standard exists for version 1.0 and 2.0."""

    def __init__(self, repository):
        import pyssp_standard

        self.standard = pathlib.Path(pyssp_standard.__file__).parent / "resources"
        self.config = pathlib.Path(repository) / "config"
        self.parsed = {}

    def of_standard(self, name, version):
        folder = self.standard / "ssp2" if version == "2.0" else self.standard
        return self._parse(folder / name)

    def of_ours(self, name):
        return self._parse(self.config / name)

    def _parse(self, path):
        if path not in self.parsed:
            self.parsed[path] = etree.XMLSchema(etree.parse(str(path)))
        return self.parsed[path]


def check(element, schema, name, problems):
    """Validates one element as a document of its own, keeping its line numbers."""
    if schema.validate(element):
        return
    problems.extend(f"{name}:{entry.line}: {entry.message}" for entry in schema.error_log)


def check_embedded(root, tag, schema_name, schemas, name, problems):
    for element in root.iter(tag):
        if element is not root:
            check(element, schemas.of_standard(schema_name, element.get("version")), name, problems)


def validate(path, name, schemas, problems):
    try:
        root = etree.parse(str(path)).getroot()
    except etree.XMLSyntaxError as error:
        problems.append(f"{name}: {error}")
        return
    if path.suffix == ".xml":
        if etree.QName(root).namespace == SCENARIO:
            check(root, schemas.of_ours("tandem-scenario.xsd"), name, problems)
        if etree.QName(root).namespace == DEVIATIONS:
            check(root, schemas.of_ours("tandem-deviations.xsd"), name, problems)
        if etree.QName(root).namespace == CAN_MAPPING:
            nodes = etree.QName(root).localname == "CanOpen"
            check(root, schemas.of_ours("tandem-canopen.xsd" if nodes else "tandem-can.xsd"), name, problems)
        return
    check(root, schemas.of_standard(SCHEMA_OF_SUFFIX[path.suffix], root.get("version")), name, problems)
    check_embedded(root, VALUES, SCHEMA_OF_SUFFIX[".ssv"], schemas, name, problems)
    check_embedded(root, MAPPING, SCHEMA_OF_SUFFIX[".ssm"], schemas, name, problems)
    check_embedded(root, DICTIONARY, SCHEMA_OF_SUFFIX[".ssb"], schemas, name, problems)
    for element in root.iter(f"{{{OURS}}}*"):
        if etree.QName(element.getparent()).namespace != OURS:
            check(element, schemas.of_ours("tandem-cosim.xsd"), name, problems)


def validate_archive(path, schemas, problems):
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            if pathlib.PurePath(entry).suffix in SCHEMA_OF_SUFFIX:
                inner = pathlib.Path(archive.extract(entry, folder))
                validate(inner, f"{path}/{entry}", schemas, problems)


def files_of(path):
    if path.is_file():
        return [path]
    wanted = set(SCHEMA_OF_SUFFIX) | {".xml", ".ssp"}
    return sorted(file for file in path.rglob("*") if file.suffix in wanted and file.is_file())


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    schemas = Schemas(sys.argv[1])
    problems = []
    files = [file for path in sys.argv[2:] for file in files_of(pathlib.Path(path))]
    for file in files:
        if file.suffix == ".ssp":
            validate_archive(file, schemas, problems)
        else:
            validate(file, str(file), schemas, problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(files)} files, {len(problems)} problems")
    # Finding nothing to check would look like success.
    sys.exit(1 if problems or not files else 0)


if __name__ == "__main__":
    main()
