#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs build/portable into dist/: make.py KIND..., with KIND wheel, deb or tarball. Called by scripts/package."""

import hashlib
import os
import shutil
import subprocess
import sys

import deb
import stage
import tarball
import wheel_file

KINDS = {"wheel": wheel_file.make, "deb": deb.make, "tarball": tarball.make}


def commit_time():
    """Seconds of the commit: the time of all that is packed. Where git knows none: of LICENSE, which hardly changes."""
    asked = subprocess.run(["git", "-C", stage.ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
    return int(asked.stdout) if asked.returncode == 0 and asked.stdout.strip() else int((stage.ROOT / "LICENSE").stat().st_mtime)


def write_sums(dist):
    rows = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
            for path in sorted(dist.iterdir()) if path.name != "SHA256SUMS"]
    (dist / "SHA256SUMS").write_text("".join(rows))


def main():
    os.umask(0o022)
    os.environ["SOURCE_DATE_EPOCH"] = str(commit_time())
    dist, work = stage.ROOT / "dist", stage.ROOT / "build/package"
    for folder in (dist, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    tree = stage.make(work)
    for kind in dict.fromkeys(sys.argv[1:]):
        KINDS[kind](tree, work, dist)
    tarball.pack(work / "debug", dist / f"syncline-{stage.version()}-debug.tar.zst")
    write_sums(dist)
    for path in sorted(dist.iterdir()):
        print(f"{path.stat().st_size:10,} bytes  {path.relative_to(stage.ROOT)}")


if __name__ == "__main__":
    main()
