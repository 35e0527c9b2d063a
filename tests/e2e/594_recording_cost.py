# SPDX-License-Identifier: Apache-2.0
"""A loop of launches whose recording takes a known time of each call: what it costs is measured by steps that run when the recording is
over, told, and taken out of the gain, which is that of the program without us. Without such steps nothing is told, and the gain is that
of the slower program."""

import json
import re

LABELS = ("gpu",)
MODES = ("launcher",)
TIMEOUT = 240
ALONE = True  # times are compared
LAUNCHES, STEPS, COST_US = 60, 20, 30  # the cost is that of a call, and again that of a kernel's record


def test(t):
    t.simulated_only("recording costs what the environment says")
    env = {**t.gpu_environment(), "SIMGPU_DURATIONS": "*=5us", "SIMGPU_CUPTI_COST": f"{COST_US}us"}
    true_ms = median_ms(t, env, 20) - median_ms(t, env, 0)
    told, all_of_it = report(t, env, ["--steps", f"3:{3 + STEPS}"], "2.5"), report(t, env, [], "0.5")
    gain_ms, overstated_ms = gain_of_step(told), gain_of_step(all_of_it)
    [cost] = told["recording_cost"]
    print(f"true gain {true_ms:.3f} told {gain_ms:.3f}, where all is recorded {overstated_ms:.3f} ms a step; {cost}", flush=True)
    t.equal(all_of_it["recording_cost"], [], "nothing was measured")
    t.check(not any("recording made" in sentence for sentence in all_of_it["health"]), f"{all_of_it['health']}")
    # By construction a launch takes 60 us longer: what is told has to be without most of that, also where other programs disturb.
    t.check(cost["recorded_ms"] - cost["bare_ms"] > 0.6 * LAUNCHES * 2 * COST_US / 1000, f"{cost}")
    t.check(overstated_ms > 0.8 * LAUNCHES * 2 * COST_US / 1000, f"{overstated_ms}")
    t.check(gain_ms < 0.6 * overstated_ms, f"{gain_ms} of {overstated_ms}")
    t.equal(cost["calls_of_step"], LAUNCHES + 1)
    t.check(any("recording made steps longer" in sentence for sentence in told["health"]), f"{told['health']}")


def median_ms(t, env, compute_us):
    done = t.run([t.cuda_program("launch_loop"), "0.5", str(compute_us)], env=env)
    return float(re.search(rb"median_ms: ([0-9.]+)", done.out).group(1))


def gain_of_step(told):
    [gain_ms] = [finding["gain_ms"] for finding in told["findings"] if finding["kind"] == "launch_bound"] or [0]
    return gain_ms / told["steps"][0]["count"]


def report(t, env, options, seconds):
    recording = t.record([t.cuda_program("launch_loop"), seconds, "20"], ["--step-range", "step", *options], env)
    done = t.run([t.syncline, "report", "--no-files", "--all", "--format", "json", recording.directory])
    return json.loads(done.out)
