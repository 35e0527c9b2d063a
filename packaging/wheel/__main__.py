# SPDX-License-Identifier: Apache-2.0
"""`python -m syncline`: becomes the `syncline` command of this environment, also where its folder is not in PATH."""

import csv
import glob
import os
import sys


def candidates():
    """Where installers put the command: as RECORD says; beside the package (pip install --target); beside this Python."""
    here = os.path.dirname(os.path.abspath(__file__))
    site = os.path.dirname(here)
    for record in glob.glob(os.path.join(site, "syncline-*.dist-info", "RECORD")):
        with open(record, newline="") as file:
            for row in csv.reader(file):
                if row and os.path.basename(row[0]) == "syncline" and "completions" not in row[0]:
                    yield os.path.normpath(os.path.join(site, row[0]))
    yield os.path.join(site, "bin", "syncline")
    yield os.path.join(sys.prefix, "bin", "syncline")


def main():
    for path in candidates():
        if os.path.isfile(path) and os.access(path, os.X_OK):
            os.execv(path, ["syncline"] + sys.argv[1:])
    sys.exit("syncline: the command of this package was not found in %s. Install the wheel again."
             % ", ".join(dict.fromkeys(candidates())))


if __name__ == "__main__":
    main()
