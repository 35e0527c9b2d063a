#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a header that says, for each public function, its CUPTI callback id and its parameter struct.

usage: generate_calls.py CUDA_DIR CUPTI_DIR OUTPUT
CUDA_DIR and CUPTI_DIR hold NVIDIA's public headers. For a function NAME the output has SIMGPU_CBID_NAME and, where a struct exists,
SIMGPU_PARAMS_NAME. A runtime function has a version in CUPTI's names; the newest that is there is taken. SIMGPU_CURRENT_NAMES(X)
lists X("cuMemAlloc", "cuMemAlloc_v2"): the driver functions whose current form has another exported name."""

import pathlib
import re
import sys

DRIVER = re.compile(r"CUPTI_DRIVER_TRACE_CBID_(cu\w+)\s*=\s*(\d+)")
RUNTIME = re.compile(r"CUPTI_RUNTIME_TRACE_CBID_((?:__)?cuda\w+)_v(\d+)\s*=\s*(\d+)")
STRUCT = re.compile(r"\}\s*(\w+)_params;")


def main():
    cuda, cupti, output = (pathlib.Path(argument) for argument in sys.argv[1:])
    structs = set()
    for header in ("generated_cuda_meta.h", "generated_cuda_runtime_api_meta.h"):
        structs |= set(STRUCT.findall((cupti / header).read_text()))
    rows = {}  # function -> (callback id, name of its struct)
    for name, number in DRIVER.findall((cupti / "cupti_driver_cbid.h").read_text()):
        rows[name] = (int(number), name)
    newest = {}
    for name, version, number in RUNTIME.findall((cupti / "cupti_runtime_cbid.h").read_text()):
        if int(version) >= newest.get(name, 0):
            newest[name] = int(version)
            rows[name] = (int(number), f"{name}_v{version}")
    lines = ["// Written by generate_calls.py from NVIDIA's public headers.", "#pragma once"]
    for name, (number, struct) in sorted(rows.items()):
        lines.append(f"#define SIMGPU_CBID_{name} {number}")
        if struct in structs:
            lines.append(f"#define SIMGPU_PARAMS_{name} {struct}_params")
    text = (cuda / "cuda.h").read_text()
    current = re.findall(r"^#define (cu[A-Z]\w+)\s+(?:__CUDA_API_PT[DS][SZ]\()?(cu\w+_v\d+)\)?$", text, re.M)
    lines.append("#define SIMGPU_CURRENT_NAMES(X) \\")
    lines += [f'  X("{name}", "{exported}") \\' for name, exported in sorted(set(current))]
    lines.append("")
    output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
