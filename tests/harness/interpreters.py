# SPDX-License-Identifier: Apache-2.0
"""The Python interpreters of this machine whose frames Syncline reads."""

import glob
import os
import subprocess

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
ASK = "import ctypes, sys; print('%d.%d' % sys.version_info[:2])"


def found(t):
    """(version, path) of each. Says which versions are missing; without any the test is skipped."""
    paths = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))) + ["/usr/bin/python3"]
    asked = [(subprocess.run([path, "-c", ASK], capture_output=True, text=True), path) for path in paths if os.path.exists(path)]
    usable = [(answer.stdout.strip(), path) for answer, path in asked if answer.stdout.strip() in VERSIONS]
    missing = [version for version in VERSIONS if version not in {version for version, _ in usable}]
    if missing:
        print(f"skipped, not installed: Python {', '.join(missing)}")
    if not usable:
        t.skip("no Python of the versions that Syncline knows")
    return usable
