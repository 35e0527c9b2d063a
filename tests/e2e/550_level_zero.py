# SPDX-License-Identifier: Apache-2.0
"""Each kernel, copy and fill of the simulated Level Zero driver's truth file is in the trace once, with its times across wraps of the
device's clock, and each wait of the host with its class and cause; none is invented. What nobody could read is counted."""


from level_zero_truth import Comparison

LABELS = ("gpu",)
TIMEOUT = 300
# The last one runs until it has seen the clock wrap.
PROGRAMS = ("copy_engine", "counters", "extensions", "fences", "immediate", "later_calls", "loaded", "memory", "polling", "synchronous", "threads",
            "traced", "timestamps")
# Clocks that run wrong, wrap at once or often, tick slowly, or whose devices have parts; and programs that run long enough for it.
SITUATIONS = (({}, PROGRAMS), ({"SIMGPU_ZE_WRAP_MS": "3"}, PROGRAMS[:-1]), ({"SIMGPU_ZE_SLEW_PPM": "80"}, ("immediate", "timestamps")),
              ({"SIMGPU_ZE_TIMESTAMP_BITS": "25"}, ("threads", "timestamps")), ({"SIMGPU_ZE_TIMER_HZ": "12500000"}, ("immediate",)),
              ({"SIMGPU_ZE_SUBDEVICES": "2"}, ("subdevices", "later_calls")))
# Work whose times cannot be had without waiting: a list that is executed while it runs, events that are reset at once (None: as many
# as were not read by then, on a slow machine none), events of shared pools, a context that goes before its lists.
LOSING = {"regular_lists": {"ze_list_reused": None}, "events": {"ze_event_reused": None, "ze_event_without_times": 2},
          "churn": {"ze_event_reused": None}, "lists_last": {"ze_context_destroyed": 3}}
SLOW = {"lists_last": {"SIMGPU_DURATIONS": "*=500ms"}}


def test(t):
    t.simulated_only("a real GPU writes no truth file")
    for number, (situation, programs) in enumerate(SITUATIONS):
        for program in programs:
            recording, truth = run(t, program, situation, f"{program}-{number}")
            t.equal(recording.losses(), {}, f"{program}, {situation}")
            compared = Comparison(recording.trace().path, truth)
            t.equal(compared.faults, [], f"{program}, {situation}")
            t.check(compared.matched > 0, f"{program}: nothing was compared")
    for program, wanted in LOSING.items():
        recording, truth = run(t, program, SLOW.get(program, {}), program)
        losses = recording.losses()
        t.equal(set(losses) - set(wanted), set(), f"{program}: {losses}")
        t.check(all(count in (None, losses.get(kind)) for kind, count in wanted.items()), f"{program}: {losses}")
        t.equal(Comparison(recording.trace().path, truth, lost=sum(losses.values())).faults, [], program)


def run(t, program, situation, name):
    truth = t.path(f"{name}.truth")
    recording = t.record(t.level_zero_program(program), env={**t.gpu_environment(), **situation, "SIMGPU_TRUTH": truth})
    t.equal(recording.status, 0, f"{program}: {recording}")
    return recording, truth
