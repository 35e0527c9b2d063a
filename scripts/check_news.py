#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each file of changes/ is a news fragment that towncrier finds: named +NAME.TYPE.md, one to three sentences."""

import re

import checklib

NAME = re.compile(r"^\+[a-z0-9-]+\.(feature|change|fix)\.md$")
LONGEST = 600


def check(root, unused_arguments):
    problems = []
    folder = root / "changes"
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.name == "README.md":
            continue
        text = checklib.text(path)
        if not NAME.match(path.name):
            problems.append(f"changes/{path.name}: the name must be +NAME.feature.md, +NAME.change.md or +NAME.fix.md")
        if not text.strip().endswith(".") or not text.endswith("\n") or len(text) > LONGEST or text.startswith("*"):
            problems.append(f"changes/{path.name}: one to three sentences, at most {LONGEST} characters, no list")
    return problems


def self_test():
    good = {"changes/+a-b.fix.md": "A fault is gone.\n", "changes/README.md": "x"}
    with checklib.FakeTree(good) as tree:
        checklib.expect(check(tree.root, None) == [], "a clean tree is reported as faulty")
    for name, content in {"changes/a.fix.md": "A.\n", "changes/+a.bug.md": "A.\n", "changes/+a.fix.md": "\n",
                          "changes/+b.fix.md": "* A.\n", "changes/+c.fix.md": "A" * LONGEST + ".\n"}.items():
        with checklib.FakeTree({**good, name: content}) as tree:
            checklib.expect(len(check(tree.root, None)) == 1, f"{name} passes")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test)
