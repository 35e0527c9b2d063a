# SPDX-License-Identifier: Apache-2.0
"""The tree as a tar.zst that does not depend on who packs it and when."""

import os
import shutil
import subprocess

import stage


def pack(folder, target):
    """Packs FOLDER under its own name."""
    tar = ["tar", "--format=gnu", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw",
           f"--mtime=@{os.environ['SOURCE_DATE_EPOCH']}", "-C", str(folder.parent), "-c", folder.name]
    with subprocess.Popen(tar, stdout=subprocess.PIPE) as packing:
        stage.run("zstd", "-q", "-19", "-T1", "-f", "-o", target, stdin=packing.stdout)
    if packing.returncode:
        raise subprocess.CalledProcessError(packing.returncode, tar)


def make(tree, work, dist):
    name = f"syncline-{stage.version()}"
    folder = work / name
    shutil.copytree(tree, folder, symlinks=True)
    modules = folder / "share/modulefiles/syncline"
    modules.mkdir(parents=True)
    text = (stage.ROOT / "packaging/modulefile.in").read_text()
    (modules / stage.version()).write_text(text.replace("@VERSION@", stage.version()))
    pack(folder, dist / f"{name}-linux-x86_64.tar.zst")
