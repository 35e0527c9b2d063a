#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C++ files are as clang-format 14 writes them (another version writes other things). --fix rewrites them."""

import re
import shutil
import subprocess

import checklib

VERSION = "14"


def find_formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
            if re.search(rf"version {VERSION}\.", said):
                return path
    return None


def check(root, arguments):
    formatter = find_formatter()
    if formatter is None:
        return [f"clang-format {VERSION} is not installed: apt-get install clang-format-{VERSION}"]
    sources = [str(path) for path in checklib.files(root, {".cc", ".h", ".c", ".cpp"})]
    if not sources:
        return []
    if getattr(arguments, "fix", False):
        subprocess.run([formatter, "-i", *sources], check=True)
        return []
    done = subprocess.run([formatter, "--dry-run", "--Werror", *sources], capture_output=True, text=True, check=False)
    faulty = sorted(set(re.findall(r"^(.+?):\d+:\d+: error: code should be clang-formatted", done.stderr, re.M)))
    if done.returncode and not faulty:
        return [done.stderr.strip()[:500]]
    return [f"{name.removeprefix(str(root) + '/')}: not formatted; run scripts/check_format.py --fix" for name in faulty]


def self_test():
    style = checklib.text(checklib.ROOT / ".clang-format")
    with checklib.FakeTree({".clang-format": style, "a.cc": "int F(int* a) { return *a; }\n"}) as tree:
        checklib.expect(check(tree.root, None) == [], "a formatted file is reported")
    with checklib.FakeTree({".clang-format": style, "a.cc": "int  F(int *a){return *a;}\n"}) as tree:
        checklib.expect(len(check(tree.root, None)) == 1, "an unformatted file passes")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test,
                  lambda parser: parser.add_argument("--fix", action="store_true", help="rewrite the files"))
