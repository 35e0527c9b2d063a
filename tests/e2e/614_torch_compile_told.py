# SPDX-License-Identifier: Apache-2.0
"""--torch-compile: what PyTorch's compiler did, from the log that PyTorch itself writes into the run's folder; a log as PyTorch writes one,
and, where PyTorch can compile, its own."""

import json
import os
from collections import Counter

LABELS = ("torch",)
TIMEOUT = 120
MODES = ("launcher",)
COMPILES = os.path.join(os.path.dirname(__file__), "..", "..", "build", "venv-torch-compile", "requirements.txt")
LOG = """V1130 05:31:00.303000 $$ torch/_dynamo/utils.py:2132] {"compilation_metrics": {"compile_id": "0/1", "co_name": "f", "co_filename": \
"/a/comp.py", "co_firstlineno": 4, "entire_frame_compile_time_s": 1.5, "recompile_reason": "0/0: size mismatch"}}
V1130 05:31:00.303000 1$$ torch/_dynamo/utils.py:2132] {"compilation_metrics": {"compile_id": "0/0", "co_name": "of_another_process"}}
"""


def test(t):
    write = f'cat >"$TORCH_TRACE/a.log" <<END\n{LOG}END\nexec "$@"'
    program = ["sh", "-c", write, "sh", t.victim("nvtx_c")]
    done = t.record(program, ["--torch-compile"])
    t.equal([(row["where"], row["kind"], row["why"], row["took_ms"], row["count"]) for row in rows_of(t, done)],
            [("/a/comp.py:4 f()", "compiled again", "size mismatch", 1500, 1)], f"{done}")
    own = t.record(["sh", "-c", 'test "$TORCH_TRACE" = /mine && exec "$@"', "sh", t.victim("nvtx_c")], ["--torch-compile"], {"TORCH_TRACE": "/mine"})
    t.equal((own.ending, rows_of(t, own)), ("status 0", []), f"{own}")
    t.said(own, "--torch-compile does nothing, because TORCH_TRACE is set")
    if os.path.exists(COMPILES):
        real(t)


def rows_of(t, recording):
    return json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out).get("compilations", [])


def real(t):
    program = [t.venv("torch-compile"), *t.torch_program("compiled_again")[1:]]
    env = t.torch_environment()
    done = t.record(program, ["--torch-compile", "--collect", "nvtx"], env)  # nothing else makes it a process of the run
    t.said(done, "no event is in it but 5 compilations")
    rows = rows_of(t, done)
    found = Counter({(os.path.basename(row["where"]), row["kind"]): row["count"] for row in rows})
    file = "compiled_again.py"
    wanted = {(f"{file}:8 sized()", "compiled"): 1, (f"{file}:8 sized()", "compiled again"): 1, (f"{file}:10 sized()", "compiled"): 1,
              (f"{file}:10 sized()", "compiled again"): 1, (f"{file}:10", "graph break"): 2, (f"{file}:14 plain()", "compiled"): 1}
    t.equal(found, Counter(wanted), f"{rows}")
    [why] = [row["why"] for row in rows if row["kind"] == "compiled again" and ":8 " in row["where"]]
    t.check("'x' size mismatch at index 0. expected 8, actual 9" in why, why)
