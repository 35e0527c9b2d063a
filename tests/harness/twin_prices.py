# SPDX-License-Identifier: Apache-2.0
"""What a recording of a twin with its loss says that the loss costs, beside what the other twin takes.

In a test: `judge(t, twin)`. `price(t, twin)` gives what one recording says."""

import gzip
import json
import os
from collections import namedtuple

import twins
from syncline_test import ROOT

# A busy host makes what is priced longer, and recording does. So it is with ranges where others may run before them.
HOST_BOUND = ("host_bound", "launch_bound")
OF_OPERATIONS = {"legacy_stream": ("default_stream", "default_stream"), "upload_blocks": ("copies", "copy_blocks"),
                 "launch_bound": ("launches", "launch_bound")}  # the change, and the kind of its finding
NO_GAIN = ("busy_anyway",)
# The host's own work may be done beforehand, or the host may go on without a wait: both bring nearly the same.
TWO_WAYS = ("host_bound", "late_loading", "late_batch")
TRIES = 3
AROUND = 3  # waits behind the warm-up and at the end, and one of a kernel's first launch


class Priced(namedtuple("Priced", "recorded_ms gain_ms steps findings")):
    """`recorded_ms`: of the steps of the recorded run. `gain_ms`: what it says that they would have taken less. `findings`: all of
    the report, best first; few steps are less than a hundredth of the time, to which PyTorch's beginning belongs."""


def mark(twin):
    """How a place at the marked line ends, however the path to it is."""
    path, number = twins.line_of(twin)
    return f"{os.path.basename(path)}:{number} "


def gain_ns(twin, prices):
    """From the first step on, as all gains."""

    def total(*changes, fits=lambda price: True):
        return sum(sum(price["gain_ns"].values()) for price in prices if price["change"] in changes and fits(price))

    if twin.removed == "range":
        return total("host_work", fits=lambda price: price["ranges"].startswith("step") and twin.range in price["ranges"])
    if twin.removed == "function":
        return total("host_functions", fits=lambda price: mark(twin) in price["where"])
    if twin.name in OF_OPERATIONS:
        return total(OF_OPERATIONS[twin.name][0])
    if twin.wait_class == "allocation":
        return total("allocations", fits=lambda price: mark(twin) in price["where"])
    if twin.removed == "class":
        return total("waits_of_class", fits=lambda price: price["class"] == twin.wait_class)
    return total("waits_of_line", fits=lambda price: mark(twin) in price["where"])


def price(t, twin, env=None):
    """Records the twin with its loss, before all else that runs on the machine where that is allowed."""
    env = {**twins.environment(t, twin), **(env or {})}
    command = [*twins.ahead_of_others(), *twins.command(t, twin)]
    recording = t.past_exit_race(lambda: t.record(command, env=env), env)
    t.equal(recording.ending, "status 0", f"{twin.name}: {recording}")
    steps, took = twins.time_of(t, recording)
    with gzip.open(os.path.join(recording.directory, "run", "rank-0.findings"), "rt") as file:
        prices = json.load(file)["prices"]
    done = t.run([t.syncline, "report", "--no-files", "--all", "--format", "json", recording.directory])
    t.equal(done.ending, "status 0", f"{twin.name}: {done}")
    return Priced(took, gain_ns(twin, prices) / 1e6, steps, json.loads(done.out)["findings"])


def judge(t, twin, steps):
    """Ends the test where the price is wrong. The limit of most cases is the device, whose time is fixed; a machine that is so busy
    that it is the host once gets another try."""
    least = float("inf")
    for _ in range(TRIES):
        paths = [t.path(f"{twin.name}-{without}.truth") for without in (False, True)]
        for path in paths:
            if os.path.exists(path):
                os.unlink(path)  # it is appended to
        priced = price(t, twin, {"SIMGPU_TRUTH": paths[0]})
        t.equal(priced.steps, steps, f"{twin.name}: steps")
        _, took = twins.time_of(t, twins.run(t, twin, True, {"SIMGPU_TRUTH": paths[1]}, before=twins.ahead_of_others()))
        without = least = min(least, took)
        print(f"{twin.name:16} recorded {priced.recorded_ms:7.2f} without {without:7.2f} gain {priced.recorded_ms - without:7.2f} "
              f"predicted {priced.gain_ms:7.2f} ms", flush=True)
        faults = [*faults_of_waits(twin, priced.steps, paths), *faults_of_gain(twin, priced, without), *faults_of_finding(twin, priced)]
        if not faults:
            return
        print(*faults, sep="\n", flush=True)
    t.check(False, "\n".join(faults))


def faults_of_waits(twin, steps, paths):
    """By the truth files steps wait with what the case removes, and without it none does. Where a case is none of waits, both wait alike.
    On a busy machine a thread comes to a wait now and then when that is over."""
    rows = []
    for path in paths:
        with open(path) as file:
            rows.append([json.loads(line) for line in file])
    classes = [[row["class"] for row in rows if row["op"] == "wait" and not row["already_done"]] for rows in rows]
    if twin.wait_class is None:
        if twin.name != "launch_bound" and abs(len(classes[0]) - len(classes[1])) > AROUND:
            yield f"{twin.name}: {classes}"
        return
    found = [names.count(twin.wait_class) for names in classes]
    least = steps / 2 if twin.name != "print_loss" else 4  # every fourth step prints
    if found[0] <= least or found[1] > AROUND:
        yield f"{twin.name}: {found} waits of {twin.wait_class}, with and without"
    if twin.name in NO_GAIN:
        kernels = sorted((row["start_ns"], row["end_ns"]) for row in rows[0] if row["op"] == "kernel")
        gaps = sorted(begin - end for (_, end), (begin, _) in zip(kernels, kernels[1:]))
        if gaps[len(gaps) // 2] >= 20_000:
            yield f"{twin.name}: the device had nothing to do for {gaps} ns"


def faults_of_gain(twin, priced, without_ms):
    true = priced.recorded_ms - without_ms
    off, allowed = abs(priced.gain_ms - true), max(0.1 * abs(true), 0.02 * priced.recorded_ms)
    what = f"{twin.name}: a gain of {priced.gain_ms:.2f} ms, and it is {true:.2f} of {priced.recorded_ms:.2f}"
    if twin.name in NO_GAIN:
        if priced.gain_ms > max(0, true) + 0.02 * priced.recorded_ms:
            yield what
    elif priced.gain_ms <= 0 or true <= 0:
        yield what
    elif twin.name in HOST_BOUND or (twin.removed == "range" and not twins.ahead_of_others()):
        if not true / 2 <= priced.gain_ms <= 2 * true:
            yield what
    elif off > allowed:
        yield what


def faults_of_finding(twin, priced):
    """The first one is what the case removes."""
    if twin.name in NO_GAIN:
        return
    # Whoever does the host's work ahead keeps the device busy, too: where that is no way out, a case may bear it beside.
    # A wait behind a function of the host may go while the function stays, which costs the device as much.
    findings = [finding for finding in priced.findings if (finding["kind"] not in twins.HOST_WORK or twin.removed == "range" or twin.name in TWO_WAYS)
                and (finding["kind"] != "host_function" or twin.removed == "function")]
    first = findings[0] if findings else {"kind": "", "where": "", "stage": "", "class": ""}
    if twin.name in OF_OPERATIONS:
        good = first["kind"] == OF_OPERATIONS[twin.name][1]
    elif twin.removed == "function":
        good = first["kind"] == "host_function" and mark(twin) in first["where"]
    else:
        at_mark = mark(twin) in first["where"] and first["class"] == twin.wait_class
        good = at_mark and twin.removed != "range" or (
            twin.removed == "class" and first["class"] == twin.wait_class and first["stage"] == twin.range)
    if twin.name in TWO_WAYS:
        good = good or first["stage"] in (twin.range, "step") and (first["kind"] in twins.HOST_WORK or first["class"] != "")
    if not good:
        yield f"{twin.name}: first of all {first}"
