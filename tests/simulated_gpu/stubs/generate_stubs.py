#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ file that defines every function of a public header which the given objects do not define.

usage: generate_stubs.py --library NAME --error NUMBER --header FILE --pattern REGEX --nm NM --output FILE [--also NAMES] OBJECT...
Such a function says its name once, writes it to the truth file and answers NUMBER ("not supported")."""

import argparse
import pathlib
import re
import subprocess


def defined(nm, objects):
    listing = subprocess.run([nm, "--defined-only", "-g", *objects], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if len(line.split()) >= 3}


def main():
    parser = argparse.ArgumentParser()
    for name in ("library", "error", "header", "pattern", "nm", "output"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--cbids", required=True, help="the header generate_calls.py wrote: the _ptsz and _v2 forms")
    parser.add_argument("--also", default="", help="functions that the header does not declare, with commas between them")
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()
    names = set(re.findall(arguments.pattern, pathlib.Path(arguments.header).read_text()))
    # The declared names are macros for their versioned forms, all of which have a callback id.
    for name in re.findall(r"#define SIMGPU_CBID_(\w+)", pathlib.Path(arguments.cbids).read_text()):
        if re.sub(r"(_v\d+)?(_pt[ds][sz])?$", "", name) in names:
            names.add(name)
    names.update(filter(None, arguments.also.split(",")))
    missing = sorted(names - defined(arguments.nm, arguments.objects))
    lines = [
        "// Written by generate_stubs.py: the functions that are not modelled.",
        '#include "tests/simulated_gpu/stubs/unsupported.h"',
        "#define STUB(name) \\",
        '  extern "C" __attribute__((visibility("default"))) int name() { \\',
        f'    simgpu::SayUnsupported("{arguments.library}", #name); \\',
        f"    return {arguments.error}; \\",
        "  }",
    ]
    lines += [f"STUB({name})" for name in missing]
    pathlib.Path(arguments.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
