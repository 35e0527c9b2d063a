#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Formats kept spools with two builds and compares what they wrote: traces byte by byte, findings and manifests by their fields,
whose order means nothing.

compare_formats.py OLD NEW CORPUS: OLD and NEW are `syncline` commands, CORPUS a folder with a folder of
*.spool files for each run. Each run is recovered by both from copies of its own. Prints each run that differs, with the first
line that does, and fails if there is one. Used when the offline half is rebuilt. A corpus comes from a build that links each spool aside
where offline/job_pipeline.cc removes it, with which the suite is run; OLD must not be that build.
"""

import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def recover(command, run, folder):
    """The files that `command` makes of the run's spools: name -> bytes, unpacked."""
    spools = folder / "run/spool/host"
    spools.mkdir(parents=True)
    for spool in run.glob("*.spool"):
        shutil.copy(spool, spools / spool.name)
    host = subprocess.run(["uname", "-n"], capture_output=True, text=True, check=True).stdout.strip()
    spools.rename(spools.parent / host)
    done = subprocess.run([command, "recover", str(folder)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, "SYNCLINE_BASE_TIME": ""})
    files = {"said": "\n".join(line.replace(str(folder), "DIR") for line in done.stderr.splitlines()).encode()}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix == ".spool":
            continue
        data = path.read_bytes()
        if path.suffix in (".gz", ".findings"):
            data = gzip.decompress(data)
        if path.suffix in (".findings", ".json"):
            data = json.dumps(json.loads(data), sort_keys=True, indent=0).encode()
        files[str(path.relative_to(folder))] = data.replace(str(folder).encode(), b"DIR")
    return files


def first_difference(old, new):
    for number, (a, b) in enumerate(zip(old.split(b"\n"), new.split(b"\n")), 1):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            cut = slice(max(0, at - 60), at + 100)
            return f"line {number}:\n    old {a[cut]!r}\n    new {b[cut]!r}"
    if old.count(b"\n") != new.count(b"\n"):
        return f"{old.count(chr(10).encode())} and {new.count(chr(10).encode())} lines"
    return None


def compare(old, new, run):
    with tempfile.TemporaryDirectory() as parent:
        folder = pathlib.Path(parent) / "run"  # of the same name, which is told in several forms
        one = recover(old, run, folder)
        shutil.rmtree(folder)
        two = recover(new, run, folder)
    problems = [f"{run.name}: only one wrote {name}" for name in sorted(set(one) ^ set(two))]
    for name in sorted(set(one) & set(two)):
        difference = None if one[name] == two[name] else first_difference(one[name], two[name])
        if difference:
            problems.append(f"{run.name}: {name}: {difference}")
    return problems, sum(len(data) for name, data in one.items() if name.endswith(".gz"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("corpus", type=pathlib.Path)
    arguments = parser.parse_args()
    runs = sorted(path for path in arguments.corpus.iterdir() if path.is_dir())
    count, size, failed = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for problems, text in pool.map(lambda run: compare(arguments.old, arguments.new, run), runs):
            count, size, failed = count + 1, size + text, failed + bool(problems)
            print("\n".join(problems), end="\n" if problems else "", flush=True)
    print(f"{count} runs, {size / 1e6:.1f} MB of trace text, {failed} differ")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
