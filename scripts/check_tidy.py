#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy with the checks of .clang-tidy over the product's sources, with the flags of a clang build.

Tests are left out: they come last in value and first in time. A file that stands as clean in build/tidy-cache (same
text, same headers, same flags, same checks) is not looked at again.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import checklib

ROOMS = ("inject/", "collectors/", "base/", "symbols/", "model/", "writers/", "analysis/", "report/", "offline/", "launcher/")
LEFT_OUT = re.compile(r"_(test|fuzzer|bench)\.cc$|/test_\w+\.cc$|/testing/")


def find_tidy():
    return shutil.which("clang-tidy-14") or shutil.which("clang-tidy")


PRECOMPILED = re.compile(r"( -Winvalid-pch)?( -Xclang -include(-pch)? -Xclang \S*cmake_pch\.\S+)+")


UNITED = re.compile(r'^#include "(.+)"$', re.M)


def entries_of(path):
    """What compile_commands.json says, a file each where several are compiled as one, and without the precompiled headers:
    they may be of an older build, or not built."""
    entries = []
    for entry in json.loads(path.read_text()):
        if "command" in entry:
            entry["command"] = PRECOMPILED.sub("", entry["command"])
        united = pathlib.Path(entry["file"])
        if united.parent.name == "Unity":
            entries += [{**entry, "file": file, "command": entry["command"].replace(str(united), file)}
                        for file in UNITED.findall(united.read_text())]
        else:
            entries.append(entry)
    return entries


def key_of(entry, headers):
    """What the verdict on a file depends on."""
    digest = hashlib.sha256(headers)
    digest.update(entry.get("command", " ".join(entry.get("arguments", []))).encode())
    digest.update(pathlib.Path(entry["file"]).read_bytes())
    return digest.hexdigest()


def run_one(tidy, entry, database):
    done = subprocess.run(
        [tidy, "--quiet", "-p", str(database), "--extra-arg=-Wno-unknown-warning-option", entry["file"]],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + (done.stderr if done.returncode and not done.stdout.strip() else "")


def parse_one(entry):
    """Compiles a file by itself, without what is precompiled, and throws the result away: does it include what it needs?"""
    done = subprocess.run(shlex.split(entry["command"]) + ["-fsyntax-only"], cwd=entry["directory"], capture_output=True,
                          text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stderr


def check_database(root, database, only, parsed=()):
    tidy = find_tidy()
    if tidy is None:
        return ["clang-tidy is not installed: apt-get install clang-tidy"]
    path = database / "compile_commands.json"
    if not path.exists():
        return [f"{path} is missing: run scripts/build tsan (clang's flags are needed)"]
    cache = root / "build/tidy-cache"
    cache.mkdir(parents=True, exist_ok=True)
    headers = b"".join(
        file.read_bytes() for file in checklib.files(root, {".h", ".def"})) + (root / ".clang-tidy").read_bytes()
    jobs, seen = [], set()
    entries = entries_of(path)
    (cache / path.name).write_text(json.dumps(entries))
    for entry in entries:
        try:
            name = pathlib.Path(entry["file"]).resolve().relative_to(root).as_posix()
        except ValueError:
            continue
        if not name.startswith(ROOMS) or LEFT_OUT.search(name) or name in seen or not os.path.exists(entry["file"]):
            continue
        if only and name not in only:
            continue
        seen.add(name)
        mark = cache / key_of(entry, headers)
        if not mark.exists():
            jobs.append((name, entry, mark))
    problems = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: parse_one(job[1]) if job[0].startswith(parsed) else run_one(tidy, job[1], cache), jobs)
        for (name, _, mark), (status, said) in zip(jobs, results):
            if status == 0:
                if not name.startswith(parsed):
                    mark.touch()
                continue
            if root == checklib.ROOT:
                print(said.strip(), flush=True)  # at once: the whole takes minutes
            problems.append(f"{name}: not clean, see above")
    if not seen:
        problems.append(f"{path} names no source of {', '.join(ROOMS)}")
    return problems


def check(root, arguments):
    parsed = ("launcher/",) if arguments.parse_launcher else ()
    return check_database(root, pathlib.Path(arguments.database), set(arguments.file), parsed)


def self_test():
    checks = checklib.text(checklib.ROOT / ".clang-tidy")
    sources = {
        "writers/good.cc": "namespace syncline {\nint Half(int number) { return number / 2; }\n}  // namespace syncline\n",
        "writers/bad.cc": "namespace syncline {\nint* Bad_name(int Number) {\n  return Number != 0 ? nullptr : nullptr;\n}\n}  // namespace syncline\n",
        "writers/missing.cc": "namespace syncline {\nstd::string Empty() { return {}; }\n}  // namespace syncline\n",
    }
    faults_of = {"writers/good.cc": (0, 0), "writers/bad.cc": (1, 0), "writers/missing.cc": (1, 1)}  # looked at, only parsed
    for name, faults in faults_of.items():
        with checklib.FakeTree({".clang-tidy": checks, **sources}) as tree:
            root = tree.root.resolve()
            file = str(root / name)
            (root / "compile_commands.json").write_text(json.dumps(
                [{"directory": str(root), "file": file, "command": f"clang++ -std=c++20 -Winvalid-pch -Xclang -include-pch "
                  f"-Xclang /gone/cmake_pch.hxx.pch -Xclang -include -Xclang /gone/cmake_pch.hxx -c {file}"}]))
            for parsed, wanted in zip(((), ("writers/",)), faults):
                found = check_database(root, root, set(), parsed)
                checklib.expect(len(found) == wanted, f"{name}: {found}")


def add_arguments(parser):
    parser.add_argument("--database", default=str(checklib.ROOT / "build/tsan"), help="folder of compile_commands.json")
    parser.add_argument("--parse-launcher", action="store_true",
                        help="only compile launcher/, whose command line library takes most of the time")
    parser.add_argument("file", nargs="*", help="only these sources")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test, add_arguments)
