# SPDX-License-Identifier: Apache-2.0
"""What the checks share: the list of the project's files, and one way to run, report and test a check of itself.

A check is a module with `check(root, arguments) -> list of problems` and `self_test() -> None`, which asserts that the
check finds planted faults and nothing else. `--self-test` runs the latter.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".cc", ".cpp", ".h", ".c", ".cu", ".def"}
SKIPPED = {"build", ".git", "syncline-out", "__pycache__"}


def files(root, suffixes=None):
    """The project's files, sorted: tracked, or new and not ignored; without git, all but build folders."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
        paths = [root / name for name in names]
    else:
        paths = [pathlib.Path(folder) / name
                 for folder, folders, names in os.walk(root)
                 for name in names
                 if not SKIPPED & set(pathlib.Path(folder).relative_to(root).parts)]
    return sorted(path for path in set(paths)
                  if path.is_file() and (suffixes is None or path.suffix in suffixes))


def text(path):
    return path.read_text(encoding="utf-8", errors="replace")


class FakeTree:
    """A temporary source tree for self-tests: `FakeTree({"a/b.h": "text"})`, then `.root`."""

    def __init__(self, contents):
        self._folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._folder.name)
        for name, content in contents.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._folder.cleanup()


def expect(condition, what):
    if not condition:
        raise AssertionError(f"self-test: {what}")


def expect_faults(check, good, bad):
    """`check` finds nothing in the tree `good`, and one fault in each file of `bad` (name to line) that is added to it."""
    with FakeTree(good) as tree:
        expect(check(tree.root, None) == [], "a clean tree is reported as faulty")
    for name, line in bad.items():
        with FakeTree({**good, name: line + "\n"}) as tree:
            found = check(tree.root, None)
            expect(len(found) == 1 and found[0].startswith(name), f"{name}: {line}: {found}")


def main(description, check, self_test, add_arguments=None):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--self-test", action="store_true", help="show that the check can fail")
    if add_arguments:
        add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.self_test:
        try:
            self_test()
        except AssertionError as error:
            sys.exit(f"{parser.prog}: {error}")
        print(f"{parser.prog}: self-test passed")
        return
    problems = check(ROOT, arguments)
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"{parser.prog}: {len(problems)} problem(s)")
    print(f"{parser.prog}: ok")
