#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the picture in docs/images: rank 3 of scripts/demo, in the Perfetto UI.

    docs_screenshot.py [OUT.png]

Runs scripts/demo --no-install if syncline-out/heat-demo is not there. Needs build/venv-viewers.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRACE = os.path.join(ROOT, "syncline-out", "heat-demo", "rank-3.trace.json.gz")


def main(arguments):
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    out = arguments[0] if arguments else os.path.join(ROOT, "docs", "images", "perfetto.png")
    if not os.path.exists(TRACE):
        subprocess.run([os.path.join(ROOT, "scripts", "demo"), "--no-install"], check=True)
    subprocess.run([os.path.join(HERE, "make_venvs.sh"), "viewers"], check=True)
    python = os.path.join(ROOT, "build", "venv-viewers", "bin", "python")
    shot = [python, os.path.join(HERE, "shot_perfetto.py"), TRACE, "--check", "--picture", out]
    shot += ["--width", "1400", "--height", "420"]
    return subprocess.run(shot).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
