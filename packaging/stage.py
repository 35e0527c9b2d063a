# SPDX-License-Identifier: Apache-2.0
"""The tree that all packages hold: what `cmake --install` copies, stripped, with the licences of what is linked in."""

import os
import pathlib
import re
import subprocess
import time

import licenses

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/portable"
BINARIES = ("bin/syncline", "lib/libsyncline.so")


def version():
    """Of project() in CMakeLists.txt, the one place for it."""
    return re.search(r"^project\(syncline VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)


def run(*command, stdin=subprocess.DEVNULL, **more):
    subprocess.run([str(word) for word in command], check=True, stdin=stdin, **more)


def build_id(binary):
    notes = subprocess.run(["readelf", "-n", str(binary)], capture_output=True, text=True, check=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


def split(binary, debug):
    """Moves the debug information to DEBUG/.build-id/XX/YYYY.debug, where debuggers look for it."""
    number = build_id(binary)
    target = debug / ".build-id" / number[:2] / f"{number[2:]}.debug"
    target.parent.mkdir(parents=True, exist_ok=True)
    run("objcopy", "--only-keep-debug", binary, target)
    target.chmod(0o644)
    run("strip", "--strip-all", binary)


def write_news(changelog):
    """CHANGELOG.md with what came since the last release, under the date of the commit."""
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    told = subprocess.run([str(ROOT / "build/deps/venv/bin/towncrier"), "build", "--draft", "--version", version(), "--date", date],
                          cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    changelog.write_text("# Changes\n\n" + told.stdout.strip() + "\n" + (ROOT / "CHANGELOG.md").read_text().split("-->\n", 1)[1])


def make(work):
    """Makes WORK/tree and WORK/debug; returns the tree."""
    tree = work / "tree"
    run("cmake", "--install", BUILD, "--prefix", tree, stdout=subprocess.DEVNULL)
    for name in BINARIES:
        split(tree / name, work / "debug")
    write_news(tree / "share/doc/syncline/CHANGELOG.md")
    licenses.collect(tree / "share/doc/syncline/licenses", ROOT)
    return tree
