# SPDX-License-Identifier: Apache-2.0
"""A transformer's CUDA graph, captured and replayed by PyTorch: each replay is in the trace in its token's range, as a whole or, with
--cuda-graphs node, node by node; the wait behind each .cpu() is found."""

LABELS = ("gpu", "torch")
TIMEOUT = 240
TOKENS = 6


def test(t):
    for options in ((), ("--cuda-graphs", "node")):
        recording, judged = t.record_torch("inference", str(TOKENS), env={"SIMGPU_DURATIONS": "*=100us"}, options=options)
        nodes = {judged.staged[f"token {number} > replay"] for number in range(TOKENS)}
        t.check(len(nodes) == 1 and nodes.pop() > 20, f"nodes of the replays: {judged.staged}")
        t.equal(judged.staged["capture"] % 3, 0, "launches of three warm-ups: what was captured did not run")
        t.equal(len(recording.trace().calls(name="cudaGraphLaunch")), TOKENS, "launches of graphs")
        waits = [(wait.args["class"], wait.args["already_done"]) for wait in judged.waits("read")]
        t.check(waits.count(("pageable_copy", False)) == TOKENS, f"waits behind .cpu(): {waits}")
        t.check(len(recording.trace().waits()) > TOKENS, "no other wait")
