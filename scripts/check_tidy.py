#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy with the checks of .clang-tidy over the product's sources, with the flags of a clang build.

Tests are left out: they come last in value and first in time. Files that are compiled as one (SYNCLINE_UNITY) are looked at
as one text, which takes half the time: their headers are read once. What stands as clean in build/tidy-cache (same text, same
headers, same flags, same checks) is not looked at again.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import checklib

ROOMS = ("inject/", "collectors/", "base/", "symbols/", "model/", "writers/", "analysis/", "report/", "contract/", "offline/", "launcher/")
LEFT_OUT = re.compile(r"_(test|fuzzer|bench)\.cc$|/test_\w+\.cc$|/testing/")


# Of a function, where clang's own limit is 225,000: a few functions with many branches took two thirds of the time.
MOST_STATES = 20000
PRECOMPILED = re.compile(r"( -Winvalid-pch)?( -Xclang -include(-pch)? -Xclang \S*cmake_pch\.\S+)+")
UNITED = re.compile(r'^#include "(.+)"$', re.M)


def find_tidy():
    return shutil.which("clang-tidy-14") or shutil.which("clang-tidy")


def entries_of(path):
    """What compile_commands.json says, without the precompiled headers: they may be of an older build, or not built."""
    entries = json.loads(path.read_text())
    for entry in entries:
        if "command" in entry:
            entry["command"] = PRECOMPILED.sub("", entry["command"])
    return entries


def files_of(entry):
    """The sources of an entry: several where they are compiled as one."""
    file = pathlib.Path(entry["file"])
    return [pathlib.Path(name) for name in UNITED.findall(file.read_text())] if file.parent.name == "Unity" else [file]


def is_looked_at(file, root):
    try:
        name = file.resolve().relative_to(root).as_posix()
    except ValueError:
        return False
    return name.startswith(ROOMS) and not LEFT_OUT.search(name) and file.exists()


class Text:
    """One or several sources as one text, for clang-tidy looks only at the file that is named to it, not at what that includes."""

    def __init__(self, entry, files, folder):
        self.files, self.begins = files, []
        self.entry = entry
        lines, seen = [], set()
        for file in files:
            self.begins.append(len(lines))
            included = set()
            for line in file.read_text().splitlines():
                is_include = line.startswith("#include")
                # An earlier source's header is there already; one that this source itself names twice stays to be found.
                lines.append("" if is_include and line in seen - included else line)
                included |= {line} if is_include else set()
            seen |= included
        self.text = "\n".join(lines) + "\n"
        if files != [pathlib.Path(entry["file"])]:
            self.path = folder / f"{hashlib.sha256(entry['file'].encode() + self.text.encode()).hexdigest()[:16]}.cc"
            self.entry = {**entry, "file": str(self.path), "command": entry["command"].replace(entry["file"], str(self.path))}
        else:
            self.path = None

    def key(self, headers):
        """What the verdict depends on."""
        command = self.entry.get("command", " ".join(self.entry.get("arguments", [])))
        digest = hashlib.sha256(headers + command.encode() + self.text.encode() + str(MOST_STATES).encode())
        return digest.hexdigest()

    def as_in_sources(self, said):
        """What clang-tidy said of the text, with the sources' names and lines."""
        if self.path is None:
            return said

        def place(match):
            line = int(match.group(1))
            index = max(index for index, begin in enumerate(self.begins) if begin < line)
            return f"{self.files[index]}:{line - self.begins[index]}:"
        return re.sub(re.escape(str(self.path)) + r":(\d+):", place, said)


def look_at(tidy, text, database):
    if text.path:
        text.path.write_text(text.text)
    flags = ["-Wno-unknown-warning-option", "-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={MOST_STATES}"]
    done = subprocess.run(
        [tidy, "--quiet", "-p", str(database), *(f"--extra-arg={flag}" for flag in flags), text.entry["file"]],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    said = done.stdout + (done.stderr if done.returncode and not done.stdout.strip() else "")
    return done.returncode, text.as_in_sources(said)


def texts_of(entries, root, only, folder):
    """What is looked at, once each; with `only`, each of these sources by itself."""
    texts, seen = [], set()
    for entry in entries:
        files = [file for file in files_of(entry) if is_looked_at(file, root) and file not in seen]
        seen |= set(files)
        if only:
            texts += [Text(entry, [file], folder) for file in files if file.resolve().relative_to(root).as_posix() in only]
        elif files:
            texts.append(Text(entry, files, folder))
    return texts


def check_database(root, database, only):
    tidy = find_tidy()
    if tidy is None:
        return ["clang-tidy is not installed: apt-get install clang-tidy"]
    path = database / "compile_commands.json"
    if not path.exists():
        return [f"{path} is missing: run scripts/build tsan (clang's flags are needed)"]
    cache = root / "build/tidy-cache"
    (cache / "texts").mkdir(parents=True, exist_ok=True)
    headers = b"".join(
        file.read_bytes() for file in checklib.files(root, {".h", ".def"})) + (root / ".clang-tidy").read_bytes()
    texts = texts_of(entries_of(path), root, only, cache / "texts")
    (cache / path.name).write_text(json.dumps([text.entry for text in texts]))
    jobs = [(text, cache / text.key(headers)) for text in texts if not (cache / text.key(headers)).exists()]
    problems = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (text, mark), (status, said) in zip(jobs, pool.map(lambda job: look_at(tidy, job[0], cache), jobs)):
            if status == 0:
                mark.touch()
                continue
            if root == checklib.ROOT:
                print(said.strip(), flush=True)  # at once: the whole takes minutes
            names = ", ".join(file.resolve().relative_to(root).as_posix() for file in text.files)
            problems.append(f"{names}: not clean, see above" if root == checklib.ROOT else said)
    if not texts:
        problems.append(f"{path} names no source of {', '.join(ROOMS)}")
    return problems


def check(root, arguments):
    return check_database(root, pathlib.Path(arguments.database), set(arguments.file))


def self_test():
    checks = checklib.text(checklib.ROOT / ".clang-tidy")
    good = '#include <cstdlib>\nnamespace syncline {\nint Half(int number) { return number / 2; }\n}  // namespace syncline\n'
    bad = ('#include <cstdlib>\nnamespace syncline {\nint* Bad_name(int Number) {\n  return Number != 0 ? nullptr : nullptr;\n}\n'
           '}  // namespace syncline\n')
    null = 'namespace syncline {\nint Least(int number) {\n  int* place = number > 3 ? nullptr : &number;\n  return *place;\n}\n}  // namespace syncline\n'
    sources = {"writers/good.cc": good, "writers/bad.cc": bad, "writers/null.cc": null, "writers/again.cc": '#include <cstdlib>\n' + good.replace("Half", "Third")}
    said = {"good": [], "bad": ["writers/bad.cc:3:19"], "again": ["writers/again.cc:2:1"], "null": ["writers/null.cc:4:10"]}
    for names in (["good"], ["bad"], ["null"], ["again"], ["good", "bad"], ["bad", "again", "good"]):
        with checklib.FakeTree({".clang-tidy": checks, **sources}) as tree:
            root = tree.root.resolve()
            files = [root / f"writers/{name}.cc" for name in names]
            united = root / "Unity/unity_0_cxx.cxx"
            united.parent.mkdir()
            united.write_text("".join(f'#include "{file}"\n' for file in files))
            file = str(united if len(names) > 1 else files[0])
            (root / "compile_commands.json").write_text(json.dumps(
                [{"directory": str(root), "file": file, "command": f"clang++ -std=c++20 -Winvalid-pch -Xclang -include-pch "
                  f"-Xclang /gone/cmake_pch.hxx.pch -Xclang -include -Xclang /gone/cmake_pch.hxx -c {file}"}]))
            found = "\n".join(check_database(root, root, set()))
            for place in [place for name in names for place in said[name]]:
                checklib.expect(f"{root}/{place}: error:" in found, f"{names}: {place} is not in {found}")
            checklib.expect(found.count(" error:") == sum(len(said[name]) for name in names), f"{names}: {found}")


def add_arguments(parser):
    parser.add_argument("--database", default=str(checklib.ROOT / "build/tsan"), help="folder of compile_commands.json")
    parser.add_argument("file", nargs="*", help="only these sources")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test, add_arguments)
