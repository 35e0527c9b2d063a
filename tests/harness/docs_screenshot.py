# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures in docs/images, in the Perfetto UI: rank 3 of scripts/demo, and two steps of scripts/demo --torch.

    docs_screenshot.py [perfetto] [pytorch]     both without arguments

Runs the demo if its directory is not there. Needs build/venv-viewers.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Name: what is recorded, by what, the ranges that are shown (all if None), and the picture's size.
PICTURES = {
    "perfetto": ("heat-demo/rank-3", [], None, (1400, 420)),
    "pytorch": ("torch-demo/rank-0", ["--torch"], ("step 20", "step 21"), (1500, 640)),
}


def cut(trace, ranges):
    """What happened in those ranges, without the slices that last as long as the process."""
    events = trace["traceEvents"]
    shown = [e for e in events if e.get("name") in ranges and e.get("cat") == "user_annotation"]
    begin, end = min(e["ts"] for e in shown), max(e["ts"] + e["dur"] for e in shown)
    trace["traceEvents"] = [e for e in events if e["ph"] == "M"
                            or (begin <= e["ts"] and e["ts"] + e.get("dur", 0) <= end and e.get("cat") != "process")]
    return trace


def take(name):
    place, options, ranges, (width, height) = PICTURES[name]
    path = os.path.join(ROOT, "syncline-out", place + ".trace.json.gz")
    if not os.path.exists(path):
        subprocess.run([os.path.join(ROOT, "scripts", "demo"), "--no-install", *options], check=True)
    python = os.path.join(ROOT, "build", "venv-viewers", "bin", "python")
    out = os.path.join(ROOT, "docs", "images", name + ".png")
    shot = [python, os.path.join(HERE, "shot_perfetto.py"), "--check", "--picture", out, "--width", str(width), "--height", str(height)]
    with tempfile.TemporaryDirectory() as folder:
        if ranges:
            with gzip.open(path) as file:
                trace = cut(json.load(file), ranges)
            path = os.path.join(folder, "part.json")
            with open(path, "w") as file:
                json.dump(trace, file)
        return subprocess.run([*shot, path]).returncode


def main(arguments):
    if not set(arguments) <= set(PICTURES):
        sys.exit(__doc__)
    subprocess.run([os.path.join(HERE, "make_venvs.sh"), "viewers"], check=True)
    return max(take(name) for name in arguments or PICTURES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
