#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes, for one library, the functions that PyTorch's wheel imports from it and the given objects do not define, and the version
script with the node that the wheel asks for.

usage: generate_stubs.py --library SONAME --prefix REGEX --error NUMBER --imports FILE --nm NM --output BASE [--launch REGEX] OBJECT...
Writes BASE.cc and BASE.map. FILE: lines NAME or NAME@NODE. A function whose name fits --launch is one kernel on its handle's
stream; one that ends in ErrorString or LastError gives a text; every other says its name once and answers NUMBER (not supported)."""

import argparse
import pathlib
import re
import subprocess
import sys

HEAD = """// Written by generate_stubs.py: what {library} does not model.
#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/routine.h"
#include "tests/simulated_gpu/stubs/unsupported.h"
#define STUB(name) \\
  SIMGPU_LIBRARY int name() {{ \\
    simgpu::SayUnsupported("{library}", #name); \\
    return {error}; \\
  }}
#define TEXT(name) \\
  SIMGPU_LIBRARY const char* name() {{ return "an error of the simulated {library}"; }}
#define LAUNCH(name) \\
  SIMGPU_LIBRARY int name(void* handle) {{ return simgpu::libraries::LaunchRoutine(handle, #name); }}
"""


def defined(nm, objects):
    if not objects:
        return set()
    listing = subprocess.run([nm, "--defined-only", "-g", *objects], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if len(line.split()) >= 3}


def main():
    parser = argparse.ArgumentParser()
    for name in ("library", "prefix", "error", "imports", "nm", "output"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--launch", default="$^")
    parser.add_argument("objects", nargs="*")
    arguments = parser.parse_args()
    names, nodes = set(), set()
    for line in pathlib.Path(arguments.imports).read_text().split():
        name, _, node = line.partition("@")
        if re.match(arguments.prefix, name):
            names.add(name)
            nodes.add(node)
    nodes.discard("")
    if not names or len(nodes) > 1:
        sys.exit(f"{arguments.library}: {len(names)} functions of {sorted(nodes)} in {arguments.imports}")
    have = defined(arguments.nm, arguments.objects)
    lines = [HEAD.format(library=arguments.library, error=arguments.error)]
    for name in sorted(names - have):
        text = re.search("(ErrorString|LastError)$", name)
        lines.append(f"{'TEXT' if text else 'LAUNCH' if re.match(arguments.launch, name) else 'STUB'}({name})")
    pathlib.Path(arguments.output + ".cc").write_text("\n".join(lines) + "\n")
    names |= {name for name in have if re.match(arguments.prefix, name)}
    shown = f"{' '.join(nodes)} {{ global: {'; '.join(sorted(names))}; local: *; }};\n"
    pathlib.Path(arguments.output + ".map").write_text(shown.lstrip())


if __name__ == "__main__":
    main()
