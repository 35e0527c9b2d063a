#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs build/portable into dist/: make.py KIND..., with KIND wheel, deb or tarball; or, beside them, build/simulated-gpu: make.py
simulated-gpu. Called by scripts/package."""

import hashlib
import os
import shutil
import subprocess
import sys

import deb
import simulated_gpu
import stage
import tarball
import wheel_file

SIMULATED_GPU = "simulated-gpu"
KINDS = {"wheel": wheel_file.make, "deb": deb.make, "tarball": tarball.make}


def commit_time():
    """Seconds of the commit: the time of all that is packed. Where git knows none: of LICENSE, which hardly changes."""
    asked = subprocess.run(["git", "-C", stage.ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
    return int(asked.stdout) if asked.returncode == 0 and asked.stdout.strip() else int((stage.ROOT / "LICENSE").stat().st_mtime)


def write_sums(dist):
    rows = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
            for path in sorted(dist.iterdir()) if path.name != "SHA256SUMS"]
    (dist / "SHA256SUMS").write_text("".join(rows))


def make_product(dist, work):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    dist.mkdir(exist_ok=True)
    for old in dist.iterdir():
        if not old.name.startswith("syncline_simulated_gpu-"):
            old.unlink()
    tree = stage.make(work)
    for kind in dict.fromkeys(sys.argv[1:]):
        KINDS[kind](tree, work, dist)
    tarball.pack(work / "debug", dist / f"syncline-{stage.version()}-debug.tar.zst")


def main():
    os.umask(0o022)
    os.environ["SOURCE_DATE_EPOCH"] = str(commit_time())
    dist, work = stage.ROOT / "dist", stage.ROOT / "build/package"
    if sys.argv[1:] == [SIMULATED_GPU]:
        dist.mkdir(exist_ok=True)
        simulated_gpu.make(stage.ROOT / "build/package-simulated-gpu", dist)
    else:
        make_product(dist, work)
    write_sums(dist)
    for path in sorted(dist.iterdir()):
        print(f"{path.stat().st_size:10,} bytes  {path.relative_to(stage.ROOT)}")


if __name__ == "__main__":
    main()
