# SPDX-License-Identifier: Apache-2.0
"""Each class of docs/waits.md in a program of PyTorch: its waits stand in its range, and took as long as the truth file says."""

LABELS = ("gpu", "torch")
TIMEOUT = 240
TIMES = 3
CLASSES = ("device", "stream", "event", "query_spin", "legacy_stream", "pageable_copy", "sync_copy", "allocation", "queue_full", "graph",
           "module_load")


def test(t):
    recording, judged = t.record_torch("waits", str(TIMES), env={"SIMGPU_DURATIONS": "*=6ms", "SIMGPU_QUEUE": "66"})
    for name in CLASSES:
        found = [call for call in judged.waits(name) if call.args["class"] == name]
        t.check(found, f"no wait of class {name} in its range: {judged.waits(name)}")
        compared, true, told = judged.blocked_ns[name]
        print(f"{name}: {compared} waits took {true} ns, told are {told} ns")
        t.check(compared > 0, f"no length of class {name} was compared: {judged}")
