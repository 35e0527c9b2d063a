#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each source file names its licence in its first lines, and each C++ file says then what it is for."""

import checklib

LINE = "SPDX-License-Identifier: Apache-2.0"
CODE = {".cc", ".cpp", ".h", ".c", ".cu"}
OTHERS = {".def", ".py", ".sh", ".cmake"}


def needs_line(path, root):
    if path.suffix in CODE | OTHERS or path.name in {"CMakeLists.txt", "exports.txt"}:
        return True
    name = path.relative_to(root).as_posix()
    if name.startswith(("scripts/", ".ci/")) and not path.suffix:
        return True
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def check(root, unused_arguments):
    problems = []
    for path in checklib.files(root):
        if not needs_line(path, root):
            continue
        name = path.relative_to(root).as_posix()
        lines = checklib.text(path).splitlines()
        head = [line for line in lines[:3] if not line.startswith("#!")]
        if not any(LINE in line for line in head[:2]):
            problems.append(f"{name}: the first line must be `{LINE}` in a comment")
        elif path.suffix in {".cc", ".h"} and not (len(head) > 1 and head[1].startswith(("//", "/*"))):
            problems.append(f"{name}: the second line must say the file's single responsibility")
    return problems


def self_test():
    good = {
        "a.cc": f"// {LINE}\n// Does one thing.\nint a;\n",
        "b.py": f"#!/usr/bin/env python3\n# {LINE}\n",
        "c.json": "{}\n",
    }
    with checklib.FakeTree(good) as tree:
        checklib.expect(check(tree.root, None) == [], "a clean tree is reported as faulty")
    for name, content in {
            "x.cc": "int a;\n",
            "x.h": f"// {LINE}\n#pragma once\n",
            "scripts/x": "#!/bin/sh\necho\n",
            "CMakeLists.txt": "project(x)\n",
    }.items():
        with checklib.FakeTree({**good, name: content}) as tree:
            checklib.expect(len(check(tree.root, None)) == 1, f"{name} passes without its line")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test)
