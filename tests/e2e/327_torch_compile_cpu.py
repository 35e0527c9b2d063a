# SPDX-License-Identifier: Apache-2.0
"""--torch-compile with INDUCTOR_PROVENANCE=1: the operators and lines of a kernel that was generated for the CPU, of which the log has only the
name otherwise."""

import json

LABELS = ("torch",)
TIMEOUT = 200
MODES = ("launcher",)


def test(t):
    t.need("g++")
    program = t.torch_program("compiled_on_cpu", "torch-compile")
    env = t.torch_environment({"TORCHINDUCTOR_CACHE_DIR": t.path("inductor"), "TORCHINDUCTOR_COMPILE_THREADS": "1",
                               "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0"})
    for provenance, operators, lines in (("0", None, None), ("1", "aten.add, aten.mul, aten.relu", ":8,9 function()")):
        done = t.record(program, ["--torch-compile"], {**env, "INDUCTOR_PROVENANCE": provenance}, timeout=150)
        report = json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", done.directory]).out)
        [kernel] = report["compiled_kernels"]
        t.equal((kernel["name"], kernel["operators"]), ("cpp_fused_add_mul_relu_0", operators), f"{kernel}")
        t.equal(kernel["lines"] and kernel["lines"][-len(lines or ""):], lines, f"{kernel}")
        [call] = report["compiled_calls"]
        t.equal((call["name"], call["kind"]), ("extern_kernels.mm", "library"), f"{call}")
        own = call["lines"].endswith(":10 function()") if lines else call["lines"].endswith(",10 function()")  # else with its inputs'
        t.check(own, f"{call}")
