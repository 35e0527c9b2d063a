# SPDX-License-Identifier: Apache-2.0
"""--torch modules where a process ends in a module's call, forks in it, or calls modules beyond the recursion limit; where Python may not be
entered, one line says so; what is no word of --torch is refused."""

import collections

LABELS = ("torch",)
MODES = ("launcher",)
TIMEOUT = 240


def test(t):
    t.simulated_only()
    killed = record(t, "kill", "signal 9")
    names(t, killed, {"Net": 1, "Net.ending": 1, "Net.ending.linear": 1})
    open_at_end = {r.name for r in killed.trace().modules() if r.args.get("closed_by") == "syncline"}
    t.equal(open_at_end, {"Net", "Net.ending"}, "open when it was killed")
    names(t, record(t, "exit", "status 3"), {"Net": 1, "Net.ending": 1, "Net.ending.linear": 1})
    forked = record(t, "fork", "status 0")
    names(t, forked, {"Net": 1, "Net.ending": 1, "Net.ending.linear": 2, "Linear": 1})
    t.equal(len({r.pid for r in forked.trace().modules()}), 2, "processes")
    recording = t.transparent([*t.torch_program("modules_end"), "deep"], ["--torch", "modules"], env=t.torch_environment())
    t.check(400 < len(recording.trace().modules()) <= 512, f"{recording}")
    t.equal(set(recording.losses()), {"too_deep"}, f"{recording.losses()}")
    without(t)


def record(t, how, ending):
    recording = t.record([*t.torch_program("modules_end"), how], ["--torch", "modules"], t.torch_environment())
    t.equal((recording.ending, recording.losses()), (ending, {}), f"{recording}")
    return recording


def names(t, recording, wanted):
    t.equal(dict(collections.Counter(r.name for r in recording.trace().modules())), wanted, f"{recording}")


def without(t):
    program = [*t.torch_program("modules_end"), "none"]
    line = "syncline: error: --torch modules records no modules: --no-python or --collect leaves Python out"
    for options in (["--no-python"], ["--collect", "cuda,nvtx"]):
        recording = t.record(program, ["--torch", "modules", *options], t.torch_environment())
        t.check(line in recording.said, f"{recording}")
        t.equal(recording.trace().modules(), [], f"{options}")
        t.check(recording.trace().operators(), f"{options}: operators")
    for wrong in ("models", "ops,", "ops modules"):
        refused = t.run([t.syncline, "--torch", wrong, "--", "true"])
        t.equal(refused.ending, "status 125", wrong)
        t.check(b"some of ranges, ops, shapes, modules, lines and off, separated by commas" in refused.err, f"{refused}")
    recording = t.record(program, ["--torch", "modules,off"], t.torch_environment(), complete=False)
    t.check(any("nothing was recorded" in line for line in recording.said), f"{recording}")
