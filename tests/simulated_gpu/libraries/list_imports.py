#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what an installed PyTorch's libraries import, a line NAME or NAME@NODE each, and what libraries of others import beside:
list_imports.py NM OUTPUT OTHERS LIBRARY..."""

import pathlib
import subprocess
import sys


def main():
    nm, output, others, *libraries = sys.argv[1:]
    listing = subprocess.run([nm, "-D", "--undefined-only", *libraries], capture_output=True, text=True, check=True).stdout
    # Libraries have a line of their own, "NAME:"; a symbol is the last word, with "@@" where its library is known.
    names = {line.split()[-1].replace("@@", "@") for line in listing.splitlines() if line and not line.endswith(":")}
    names.update(pathlib.Path(others).read_text().split())
    pathlib.Path(output).write_text("\n".join(sorted(names)) + "\n")


if __name__ == "__main__":
    main()
