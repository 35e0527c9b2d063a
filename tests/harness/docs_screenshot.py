#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records two ranks of PyTorch training and takes the picture of rank 0 in the Perfetto UI that
stands in docs/.

docs_screenshot.py [--build DIR] [OUT.png]      default: build/release, docs/perfetto.png
"""

import argparse
import os
import subprocess
import sys
import tempfile

import processes
from syncline_test import ROOT, Test


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("out", nargs="?", default=os.path.join(ROOT, "docs", "perfetto.png"))
    options = parser.parse_args()
    processes.become_reaper()
    with tempfile.TemporaryDirectory(prefix="sy", dir="/tmp") as folder:
        t = Test("launcher", os.path.abspath(options.build), folder)
        command = [
            t.venv("torch"),
            "-m",
            "torch.distributed.run",
            "--redirects",
            "1",
            "--tee",
            "1",
            "--nproc_per_node",
            "2",
            t.victim("torch_gloo.py"),
        ]
        recording = t.record(command, env={"OMP_NUM_THREADS": "1"}, timeout=120)
        print("\n".join(recording.said))
        trace = recording.trace(0).path
        shot = os.path.join(ROOT, "tests", "harness", "shot_perfetto.py")
        return subprocess.run(
            [t.venv("viewers"), shot, trace, "--check", "--picture", options.out]
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
