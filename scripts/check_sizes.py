#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No source file over 600 lines (a warning from 400), no function over 60."""

import re

import checklib

WARN, FAIL, FUNCTION = 400, 600, 60
SOURCES = checklib.CODE | {".py", ".sh", ".cmake"}
# A definition at namespace level, as our formatting writes it: from a line that begins in the first column to the line
# "}" in the first column, opened by a line that ends in "{".
BEGIN = re.compile(r"^[A-Za-z_~:].*")
NOT_A_FUNCTION = re.compile(r'^(namespace|struct|class|enum|union|extern "C" \{|using|typedef|static_assert|public|private|protected)\b'
                            r"|^[^(]*=|^extern \"C\" \{")


def long_functions(lines):
    start, opened = None, False
    for number, line in enumerate(lines, 1):
        if line.startswith("}"):
            if opened and number - start + 1 > FUNCTION:
                yield start, number - start + 1
            start, opened = None, False
        elif not opened and BEGIN.match(line):
            start = None if NOT_A_FUNCTION.match(line) else number
        if start is not None and not opened:
            if line.endswith("{"):
                opened = True
            elif line.endswith((";", "}")):
                start = None


def check(root, unused_arguments):
    problems = []
    sources = checklib.files(root, SOURCES) + [
        path for path in checklib.files(root / "scripts") if not path.suffix and path.is_file()]
    for path in sources:
        name = path.relative_to(root).as_posix()
        lines = checklib.text(path).splitlines()
        if len(lines) > FAIL:
            problems.append(f"{name}: {len(lines)} lines, at most {FAIL}: split it by responsibility")
        elif len(lines) > WARN:
            print(f"warning: {name}: {len(lines)} lines, aim below {WARN}")
        if path.suffix in {".cc", ".h"}:
            for start, length in long_functions(lines):
                problems.append(f"{name}:{start}: function of {length} lines, at most {FUNCTION}")
    return problems


def self_test():
    short = "int F() {\n" + "  g();\n" * 58 + "}\n"
    long = "int F() {\n" + "  g();\n" * 59 + "}\n"
    wrapped = "int F(int a,\n      int b) {\n" + "  g();\n" * 58 + "}\n"
    with checklib.FakeTree({"a.cc": "x;\n" * 600, "b.cc": short, "c.h": "struct S {\n" + "int x;\n" * 80 + "};\n"}) as tree:
        checklib.expect(check(tree.root, None) == [], "files within the limits are reported")
    with checklib.FakeTree({"a.py": "x\n" * 601}) as tree:
        checklib.expect(len(check(tree.root, None)) == 1, "a file of 601 lines passes")
    with checklib.FakeTree({"a.cc": "namespace syncline {\n" + long + "}\n"}) as tree:
        checklib.expect(len(check(tree.root, None)) == 1, "a function of 61 lines passes")
    with checklib.FakeTree({"a.cc": "const int kX[] = {\n" + "1,\n" * 70 + "};\n" + wrapped}) as tree:
        checklib.expect(len(check(tree.root, None)) == 1, "a function of 61 lines with a wrapped head passes, or a table does not")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test)
