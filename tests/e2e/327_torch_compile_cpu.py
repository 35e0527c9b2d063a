# SPDX-License-Identifier: Apache-2.0
"""--torch-compile with INDUCTOR_PROVENANCE=1: the operators and lines of a kernel that was generated for the CPU, of which the log has only the
name otherwise."""

import json

LABELS = ("torch",)
TIMEOUT = 300
MODES = ("launcher",)


def test(t):
    t.need("g++")
    program = t.torch_program("compiled_on_cpu", "torch-compile")
    env = t.torch_environment({"TORCHINDUCTOR_CACHE_DIR": t.path("inductor"), "TORCHINDUCTOR_COMPILE_THREADS": "1",
                               "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0"})
    done = t.record(program, ["--torch-compile"], {**env, "INDUCTOR_PROVENANCE": "1"}, timeout=250)
    report = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", done.directory]).out)
    [kernel] = report["compiled_kernels"]
    t.equal((kernel["name"], kernel["operators"]), ("cpp_fused_add_mul_relu_0", "aten.add, aten.mul, aten.relu"), f"{kernel}")
    [call] = report["compiled_calls"]
    t.equal((call["name"], call["kind"]), ("extern_kernels.mm", "library"), f"{call}")
    for row, lines in ((kernel, ":8,9 function()"), (call, ":10 function()")):
        t.check(row["lines"].endswith("compiled_on_cpu.py" + lines), f"{row}")
