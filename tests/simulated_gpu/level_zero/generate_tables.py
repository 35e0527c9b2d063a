#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the getters that a Level Zero loader asks a driver for.

usage: generate_tables.py --headers DIR --output FILE SOURCE...
DIR holds ze_ddi.h, zet_ddi.h and zes_ddi.h. A function that a SOURCE defines ("ze_result_t ZE_APICALL zeInit(" at the beginning of a
line) goes into its slot of the table; the other slots of zeGet* tables get a stub that says that it is not modelled. The tables
of tools (zet) and sysman (zes) are there, because loaders want them, and stay empty: the loader answers for them. NEXT has
functions of newer APIs."""

import argparse
import pathlib
import re

# Slots right behind a table of API 1.4, and the minor version that they came with: level-zero, include/ze_ddi.h.
NEXT = {"ze_command_list_dditable_t": ("zeCommandListHostSynchronize", "ze_command_list_handle_t, uint64_t", 6)}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--headers", type=pathlib.Path, required=True)
parser.add_argument("--output", type=pathlib.Path, required=True)
parser.add_argument("sources", type=pathlib.Path, nargs="+")
arguments = parser.parse_args()

defined = set()
for source in arguments.sources:
    defined |= set(re.findall(r"^ze_result_t ZE_APICALL (ze\w+)\(", source.read_text(), re.M))

comments = re.compile(r"///.*")
prototypes = {}
for name, parameters in re.findall(r"ZE_APIEXPORT ze_result_t ZE_APICALL\s+(ze\w+)\(([^;]*)\);",
                                   comments.sub("", (arguments.headers / "ze_api.h").read_text())):
    prototypes[name] = " ".join(parameters.split())
declared = set(prototypes)
prototypes.update({name: parameters for name, parameters, _ in NEXT.values() if name not in declared})

out = ["// Written by generate_tables.py.",
       "#include <level_zero/ze_ddi.h>", "#include <level_zero/zes_ddi.h>", "#include <level_zero/zet_ddi.h>", "",
       '#include "tests/simulated_gpu/level_zero/tables.h"', "", "namespace simgpu::level_zero {", ""]
out += [f"ze_result_t ZE_APICALL {name}({prototypes[name]});" for name in sorted(defined & set(prototypes))]
names, getters, used = [], [], set()
for header in ("ze", "zet", "zes"):
    text = comments.sub("", (arguments.headers / f"{header}_ddi.h").read_text())
    tables = {table: re.findall(r"(\w+)_t\s+(pfn\w+);", body)
              for body, table in re.findall(r"typedef struct _\w+_dditable_t\s*\{([^}]*)\}\s*(\w+_dditable_t);", text)}
    for getter, table in re.findall(r"\n(" + header + r"Get\w+ProcAddrTable)\(\s*ze_api_version_t version,\s*(\w+_dditable_t)\*", text):
        body = []
        for pointer, slot in tables[table]:
            function = pointer.replace("_pfn", "")
            if function in defined:
                used.add(function)
                body.append(f"  table->{slot} = &level_zero::{function};")
            elif header == "ze":
                body.append(f"  table->{slot} = Stub<{len(names)}>(table->{slot});")
                names.append(function)
        function, _, minor = NEXT.get(table, ("", "", 0))
        if function and function not in declared:
            body.append(f"  FillNext(version, {minor}, table, &level_zero::{function});")
        getters.append(f"SIMGPU_EXPORT_TABLE {getter}(ze_api_version_t version, {table}* table) {{\n"
                       "  using namespace simgpu;\n"
                       "  if (const ze_result_t refused = Begin(version, table); refused != ZE_RESULT_SUCCESS) return refused;\n"
                       + "\n".join(body) + "\n  return ZE_RESULT_SUCCESS;\n}\n")
# What else newer headers declare is reached through zeDriverGetExtensionFunctionAddress alone.
out += ["", "const char* const kUnsupportedNames[] = {"] + [f'    "{name}",' for name in names] + ["};", "",
        "}  // namespace simgpu::level_zero", "", "using simgpu::level_zero::Begin;",
        "using simgpu::level_zero::FillNext;", "using simgpu::level_zero::Stub;", ""]
arguments.output.write_text("\n".join(out + getters))
