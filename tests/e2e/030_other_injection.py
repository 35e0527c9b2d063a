# SPDX-License-Identifier: Apache-2.0
"""A user's own NVTX and CUDA injections are chained, not replaced: they see what they would see,
and we do too."""

import os


def test(t):
    library = t.victim("libother_injection.so")
    env = {"NVTX_INJECTION64_PATH": library, "CUDA_INJECTION64_PATH": library}
    counts = {}
    for how in ("bare", "recorded"):
        log = t.path(how)
        run = t.run if how == "bare" else t.record
        last = run([t.victim("deep"), "5"], env={**env, "OTHER_INJECTION_LOG": log})
        counts[how] = t.text(how) if os.path.exists(log) else ""
    t.equal(counts["recorded"], counts["bare"], "what the other injection saw")
    t.equal(len(last.trace().ranges()), 6, "ranges")
