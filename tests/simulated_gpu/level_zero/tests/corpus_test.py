#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the Level Zero corpus on the simulated driver, under the real loader, and looks at the truth file.

usage: corpus_test.py --build DIR [--sanitized] [unittest arguments]
DIR is the build folder that holds simulated_gpu/lib and simulated_gpu/level_zero_programs."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path()
SANITIZED = False  # Python itself cannot load a sanitized driver
HERE = pathlib.Path(__file__).resolve().parent
PLAIN = ["immediate", "regular_lists", "synchronous", "events", "timestamps", "fences", "polling", "memory", "copy_engine", "threads",
         "subdevices", "kernels", "churn", "launch_rate", "endings", "forked", "extensions", "counters",
         "later_calls", "leaky", "loaded"]
OF_THE_HOST = {"thread", "pid", "address", "time_ns", "queued_ns", "start_ns", "end_ns", "seen_from_ns", "over_ns", "already_done",
               "appended_ns"}


class Run:
    """One run of a program: its status, what it said, and the lines of its truth file."""

    def __init__(self, program, *arguments, timeout=60, **variables):
        with tempfile.TemporaryDirectory() as folder:
            truth = pathlib.Path(folder) / "truth"
            environment = {name: value for name, value in os.environ.items() if not name.startswith("SIMGPU_")}
            environment["LD_LIBRARY_PATH"] = f"{BUILD}/simulated_gpu/lib:" + os.environ.get("LD_LIBRARY_PATH", "")
            environment["SIMGPU_TRUTH"] = str(truth)
            environment.update(variables)
            command = [f"{BUILD}/simulated_gpu/level_zero_programs/{program}", *arguments]
            if program.endswith(".py"):
                command = [sys.executable, str(HERE.parent / "programs" / program), *arguments]
            self.timed_out = False
            process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                self.out, self.err = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                self.timed_out = True
                process.kill()
                self.out, self.err = process.communicate()
            self.status = process.returncode
            text = truth.read_text() if truth.exists() else ""
            self.truth = [json.loads(line) for line in text.splitlines()]

    def of(self, op, **fields):
        return [line for line in self.truth
                if line["op"] == op and all(line.get(key) == value for key, value in fields.items())]

    def waits(self, **fields):
        return self.of("wait", **fields)

    def kernels(self, name):
        return self.of("kernel", name=name)

    def operation(self, number):
        found = [line for line in self.truth if line.get("id") == number and line["op"] != "submitted"]
        return found[0] if found else None


def overlap(a, b):
    return a["start_ns"] < b["end_ns"] and b["start_ns"] < a["end_ns"]


def comparable(run):
    """The lines without what the host's times decide; operations with their duration."""
    lines = []
    for line in run.truth:
        if line["op"] in ("submitted", "wait_begun"):
            continue  # whether an end was known at submission is a matter of time
        kept = {key: value for key, value in line.items() if key not in OF_THE_HOST}
        if "id" in line:
            kept["duration"] = line["end_ns"] - line["start_ns"]
        lines.append(json.dumps(kept, sort_keys=True))
    return sorted(lines)


class Programs(unittest.TestCase):
    def test_all_run(self):
        for name in PLAIN + ([] if SANITIZED else ["through_ctypes.py"]):
            with self.subTest(program=name):
                run = Run(name)
                self.assertEqual((run.status, run.out), (0, "OK\n"), run.err)
                header = run.truth[0]
                self.assertEqual((header["op"], header["schema"], header["interface"], header["devices"]),
                                 ("header", "simgpu.truth/1", "level_zero", 2))
                self.assertTrue(header["device_name"].startswith("Simulated"))

    def test_the_loader_is_seen_however_it_was_loaded(self):
        self.assertEqual(len(Run("loaded").kernels("through_dlsym")), 3)
        if not SANITIZED:
            self.assertEqual(len(Run("through_ctypes.py").kernels("through_ctypes")), 3)

    def test_also_with_the_layers_of_the_loader(self):
        for layer in ("ZE_ENABLE_TRACING_LAYER", "ZE_ENABLE_VALIDATION_LAYER", "ZE_ENABLE_PARAMETER_VALIDATION"):
            for name in ("immediate", "regular_lists", "events", "threads"):
                with self.subTest(layer=layer, program=name):
                    run = Run(name, **{layer: "1"})
                    self.assertEqual((run.status, run.out), (0, "OK\n"), run.err)

    def test_one_seed_gives_one_truth(self):
        for name in ("immediate", "regular_lists", "synchronous", "kernels"):
            with self.subTest(program=name):
                runs = [Run(name, SIMGPU_DURATIONS="*=5ms", SIMGPU_SEED="7", SIMGPU_JITTER="0.1") for _ in range(2)]
                self.assertEqual(comparable(runs[0]), comparable(runs[1]))
        other = Run("regular_lists", SIMGPU_DURATIONS="*=5ms", SIMGPU_SEED="8", SIMGPU_JITTER="0.1")
        self.assertNotEqual(comparable(other), comparable(Run("regular_lists", SIMGPU_DURATIONS="*=5ms", SIMGPU_SEED="7")))

    def test_nothing_is_written_without_truth(self):
        self.assertEqual(Run("immediate", SIMGPU_TRUTH="").truth, [])

    def test_objects_that_come_and_go(self):
        run = Run("churn", SIMGPU_DURATIONS="*=100us")
        self.assertEqual(len([line for line in run.of("kernel") if line["name"].startswith("round_")]), 100)
        first, second = run.kernels("baked_a"), run.kernels("baked_b")
        self.assertEqual((len(first), len(second)), (4, 4))
        for a, b in zip(first, second):
            self.assertGreaterEqual(b["start_ns"], a["end_ns"])
        self.assertEqual({line["context"] for line in run.of("kernel")}, {1, 2})

    def test_a_launch_rate_is_measured(self):
        for arguments in (("20",), ("20", "events")):
            run = Run("launch_rate", *arguments, SIMGPU_TRUTH="")
            self.assertEqual(run.status, 0, run.err)
            print("\n" + " ".join(arguments) + " " + run.err.strip(), file=sys.stderr)  # a figure, never a verdict

    def test_threads_share_a_list_and_nothing_is_missed(self):
        run = Run("threads")
        self.assertEqual(len(run.kernels("of_threads")), 800)
        self.assertEqual(len(run.of("memcpy")), 1600)
        self.assertEqual(len(run.waits(call="zeEventHostSynchronize")), 800)
        self.assertEqual(len({line["thread"] for line in run.of("kernel")}), 16)
        self.assertEqual({line["stream"] for line in run.of("kernel")}, {1})


class Time(unittest.TestCase):
    def test_durations_are_those_asked_for(self):
        kernel = Run("immediate", SIMGPU_DURATIONS="first*=5ms,*=1us").kernels("first_kernel")[0]
        self.assertEqual(kernel["end_ns"] - kernel["start_ns"], 5_000_000)
        self.assertGreaterEqual(kernel["start_ns"], kernel["queued_ns"])

    def test_a_list_does_one_thing_after_the_other(self):
        run = Run("immediate", SIMGPU_DURATIONS="*=5ms")
        first, (there, back) = run.kernels("first_kernel")[0], run.of("memcpy")
        self.assertGreaterEqual(there["start_ns"], first["end_ns"])
        self.assertGreaterEqual(back["start_ns"], there["end_ns"])
        self.assertEqual((there["copy_kind"], back["copy_kind"], there["bytes"]), ("HtoD", "DtoH", 1 << 20))
        last = run.kernels("behind_both")[0]
        ordered = run.kernels("ordered_b")[0]
        self.assertGreaterEqual(last["start_ns"], ordered["end_ns"])
        self.assertEqual(last["waits_for_id"], ordered["id"])

    def test_kernels_overlap_where_they_may(self):
        one, many = (Run("kernels", SIMGPU_DURATIONS="*=20ms", SIMGPU_ZE_OVERLAP=slots).of("kernel") for slots in ("1", "4"))
        self.assertFalse(overlap(one[0], one[1]))
        self.assertTrue(overlap(many[0], many[1]))
        ordered = Run("immediate", SIMGPU_DURATIONS="*=20ms", SIMGPU_ZE_OVERLAP="4")
        self.assertFalse(overlap(ordered.kernels("ordered_a")[0], ordered.kernels("ordered_b")[0]))

    def test_the_copy_engine_works_beside_the_compute_engine(self):
        run = Run("copy_engine", SIMGPU_DURATIONS="*=50ms")
        kernel, (beside, behind, listed) = run.kernels("beside")[0], run.of("memcpy")
        self.assertTrue(overlap(kernel, beside))
        self.assertGreaterEqual(behind["start_ns"], kernel["end_ns"])
        self.assertEqual((kernel["ordinal"], beside["ordinal"], listed["ordinal"]), (0, 1, 1))
        self.assertEqual(run.kernels("refused"), [])

    def test_sub_devices_work_beside_each_other(self):
        run = Run("subdevices", SIMGPU_DURATIONS="*=100ms", SIMGPU_ZE_SUBDEVICES="2")
        a, b = run.kernels("on_part")
        self.assertTrue(overlap(a, b))
        self.assertEqual((a["device"], a["sub_device"], b["sub_device"]), (0, 0, 1))

    def test_the_devices_clock_wraps_when_it_is_told(self):
        for variables in ({}, {"SIMGPU_ZE_TIMER_HZ": "12500000"}, {"SIMGPU_ZE_SLEW_PPM": "500"}, {"SIMGPU_ZE_TIMESTAMP_BITS": "40"},
                          {"SIMGPU_ZE_GLOBAL_TIMESTAMP_BITS": "32"}):
            with self.subTest(**variables):
                run = Run("timestamps", "1", SIMGPU_DURATIONS="*=1ms", SIMGPU_ZE_WRAP_MS="100", **variables)
                self.assertEqual(run.status, 0, run.err)
                self.assertIn("wraps=1", run.err)

    def test_a_large_enough_clock_does_not_wrap(self):
        run = Run("timestamps", "0", SIMGPU_ZE_WRAP_MS="900000", SIMGPU_DURATIONS="*=1ms")
        self.assertIn("wraps=0", run.err)

    def test_a_regular_list_runs_each_time_it_is_executed(self):
        run = Run("regular_lists")
        repeated = run.kernels("repeated")
        self.assertEqual(len(repeated), 6)
        self.assertEqual({line["call"] for line in repeated}, {"zeCommandQueueExecuteCommandLists"})
        self.assertEqual({line["append"] for line in repeated}, {"zeCommandListAppendLaunchKernel"})
        self.assertEqual(len({line["id"] for line in repeated}), 6)
        self.assertEqual(len({line["appended_ns"] for line in repeated}), 1)
        self.assertEqual(len(run.kernels("recorded_anew")), 1)


class Waits(unittest.TestCase):
    """The rows of docs/level_zero.md."""

    def check(self, wait, wait_class, waited_for):
        self.assertEqual((wait["class"], wait["waited_for_id"], wait["already_done"], wait["result"]),
                         (wait_class, waited_for["id"], False, "success"))
        self.assertGreaterEqual(wait["end_ns"], waited_for["end_ns"])
        self.assertEqual(wait["over_ns"], waited_for["end_ns"])

    def test_queue_synchronize(self):  # E1
        run = Run("regular_lists", SIMGPU_DURATIONS="*=5ms")
        self.check(run.waits(call="zeCommandQueueSynchronize")[0], "stream", run.of("memcpy")[4])
        self.assertEqual(len(run.waits()), 3)  # asynchronous execution gives none

    def test_list_synchronize(self):  # E2, and its spin
        run = Run("extensions", SIMGPU_DURATIONS="*=20ms")
        spin, wait = run.waits(call="zeCommandListHostSynchronize")
        kernels = run.kernels("counted")
        self.check(wait, "stream", kernels[4])
        self.assertEqual((spin["class"], spin["waited_for_id"]), ("query_spin", kernels[3]["id"]))

    def test_event_synchronize(self):  # E3, E8
        run = Run("events", SIMGPU_DURATIONS="untimed=50ms,*=2ms")
        kernel = run.kernels("untimed")[0]
        wait, again = run.waits(call="zeEventHostSynchronize", waited_for_id=kernel["id"])
        self.check(wait, "event", kernel)
        self.assertEqual((again["already_done"], again["waited_for_id"]), (True, kernel["id"]))

    def test_device_synchronize(self):  # E9
        run = Run("later_calls", SIMGPU_DURATIONS="*=20ms")
        other, wait, again = run.waits(call="zeDeviceSynchronize")
        last = run.kernels("on_list")[0]
        self.check(wait, "device", last)
        for queue in ("on_first_queue", "on_second_queue"):
            self.assertLessEqual(run.kernels(queue)[0]["end_ns"], wait["over_ns"])
        self.assertEqual((other["class"], other["already_done"], other["waited_for_id"]), ("device", True, 0))
        self.assertEqual((again["class"], again["already_done"], again["waited_for_id"]), ("device", True, last["id"]))

    def test_device_synchronize_of_a_part(self):  # E9
        run = Run("later_calls", "parts", SIMGPU_DURATIONS="*=20ms", SIMGPU_ZE_SUBDEVICES="2", SIMGPU_DEVICES="1")
        beside, part, root = run.waits(call="zeDeviceSynchronize")[2:]
        first, second = run.kernels("on_part")
        self.assertEqual((beside["already_done"], beside["waited_for_id"]), (True, 0))
        self.check(part, "device", first)
        self.check(root, "device", second)

    def test_lists_on_a_synchronous_list(self):  # S1
        run = Run("later_calls", SIMGPU_DURATIONS="*=5ms")
        (wait,) = run.waits(call="zeCommandListImmediateAppendCommandListsExp")
        self.check(wait, "stream", run.kernels("appended_b")[1])

    def test_a_signal_by_the_host(self):  # E3, E5
        run = Run("events", SIMGPU_DURATIONS="*=2ms")
        kernel = run.kernels("behind_host")[0]
        timeout = run.waits(result="not_ready")[0]
        self.assertEqual(timeout["class"], "event")
        self.assertGreaterEqual(timeout["end_ns"] - timeout["start_ns"], 2_000_000)
        self.assertGreaterEqual(kernel["start_ns"], timeout["end_ns"])
        self.assertTrue(run.of("submitted", kind="kernel", id=kernel["id"]))
        self.assertEqual(len(run.of("wait_begun")), 1)

    def test_fences(self):  # E4, E5; a query that is ready is none
        run = Run("fences", SIMGPU_DURATIONS="*=2ms")
        waits = run.waits(call="zeFenceHostSynchronize")
        for wait, kernel in zip(waits, run.kernels("fenced")):
            self.check(wait, "event", kernel)
        self.assertEqual([wait["result"] for wait in waits], ["success"] * 3 + ["not_ready"])
        self.assertEqual(len(run.waits()), 4)

    def test_spins(self):  # E6, E7
        run = Run("polling", SIMGPU_DURATIONS="*=50ms")
        spins = run.waits(**{"class": "query_spin"})
        self.assertEqual([line["call"] for line in spins], ["zeEventQueryStatus", "zeEventHostSynchronize",
                                                            "zeCommandQueueSynchronize", "zeFenceQueryStatus"])
        kernels = run.kernels("polled")
        self.assertEqual([line["waited_for_id"] for line in spins], [kernel["id"] for kernel in kernels[:4]])
        self.assertEqual(len(run.waits()), 5)  # and the last, of class event

    def test_synchronous_mode(self):  # S1 to S4, S6
        run = Run("synchronous", SIMGPU_DURATIONS="*=5ms")
        waits = [(line["call"].replace("zeCommandListAppend", ""), line["class"]) for line in run.waits()]
        self.assertEqual(waits, [("LaunchKernel", "stream"), ("MemoryCopy", "sync_copy"), ("MemoryCopy", "sync_copy"),
                                 ("MemoryFill", "sync_copy"), ("Barrier", "stream"), ("SignalEvent", "stream"),
                                 ("WaitOnEvents", "stream"), ("EventReset", "stream"),
                                 ("zeCommandQueueExecuteCommandLists", "stream")])
        self.check(run.waits()[0], "stream", run.kernels("awaited")[0])
        self.check(run.waits()[-1], "stream", run.kernels("executed")[0])

    def test_frees(self):  # L1 to L4
        run = Run("memory", SIMGPU_DURATIONS="*=20ms")
        waits = run.waits(call="zeMemFreeExt")
        self.assertEqual(len(waits), 1)
        self.check(waits[0], "allocation", run.kernels("user_of_memory")[0])
        freed = [line["time_ns"] for line in run.of("free", call="zeMemFreeExt")]
        last = run.kernels("user_of_memory")[1]
        self.assertTrue(all(time < last["end_ns"] for time in freed))
        self.assertEqual({line["kind"] for line in run.of("alloc")}, {"device", "host", "shared"})

    def test_no_other_call_waits(self):  # S5, N1 to N3
        for name in ("immediate", "events", "copy_engine", "kernels", "threads", "counters", "traced"):
            run = Run(name, SIMGPU_DURATIONS="*=1ms")
            self.assertLessEqual({line["call"] for line in run.waits()},
                                 {"zeEventHostSynchronize", "zeCommandQueueSynchronize", "zeCommandListAppendMemoryCopyRegion"})


class LaterCalls(unittest.TestCase):
    """Functions that the tables of API 1.4 have no slot for."""

    def test_the_calls_are_those_of_the_program(self):
        run = Run("later_calls", SIMGPU_DURATIONS="*=1ms")
        expected = {"with_parameters": "zeCommandListAppendLaunchKernelWithParameters",
                    "with_arguments": "zeCommandListAppendLaunchKernelWithArguments"}
        for name, call in expected.items():
            self.assertEqual({line["call"] for line in run.kernels(name)}, {call})
        self.assertEqual((len(run.kernels("with_parameters")), len(run.kernels("with_arguments"))), (2, 1))
        self.assertEqual([(line["call"], line["bytes"]) for line in run.of("memset")],
                         [("zeCommandListAppendMemoryFillWithParameters", 4096)] * 2)
        self.assertEqual([(line["call"], line["copy_kind"], line["bytes"]) for line in run.of("memcpy")],
                         [("zeCommandListAppendMemoryCopyWithParameters", "DtoH", 4096),
                          ("zeCommandListAppendMemoryCopyWithParameters", "HtoD", 2048)])

    def test_the_arguments_of_a_launch_set_its_group_size(self):
        variables = {"SIMGPU_DURATIONS": "", "SIMGPU_SEED": "7", "SIMGPU_JITTER": "0"}
        run = Run("later_calls", **variables)
        lengths = [run.kernels(name)[0] for name in ("with_parameters", "with_arguments")]
        small, large = (line["end_ns"] - line["start_ns"] for line in lengths)  # groups of 32 and of 128
        self.assertGreater(large, small)

    def test_lists_on_an_immediate_list(self):
        run = Run("later_calls", SIMGPU_DURATIONS="lets_go=40ms,*=5ms", SIMGPU_ZE_OVERLAP="8")
        go, before, behind = (run.kernels(name)[0] for name in ("lets_go", "before_lists", "behind_lists"))
        (a, again), (b, synchronous) = run.kernels("appended_a"), run.kernels("appended_b")
        self.assertTrue(overlap(go, before))
        for line in (a, b):
            self.assertGreaterEqual(line["start_ns"], max(go["end_ns"], before["end_ns"]))
            self.assertLessEqual(line["end_ns"], behind["start_ns"])
        self.assertGreaterEqual(again["start_ns"], behind["end_ns"])
        self.assertNotEqual(synchronous["stream"], b["stream"])
        for line in (a, b, again, synchronous):
            self.assertEqual(line["call"], "zeCommandListImmediateAppendCommandListsExp")
            self.assertEqual(line["append"], "zeCommandListAppendLaunchKernel")
        self.assertEqual((again["list"], synchronous["list"]), (a["list"], b["list"]))
        self.assertEqual(a["appended_ns"], again["appended_ns"])
        (wait,) = [line for line in run.waits(call="zeEventHostSynchronize") if line["end_ns"] > b["start_ns"]]
        self.assertIn(wait["waited_for_id"], (a["id"], b["id"]))
        self.assertGreaterEqual(wait["over_ns"], max(a["end_ns"], b["end_ns"]))

    def test_counter_based_events(self):
        run = Run("counters", SIMGPU_DURATIONS="*=5ms")
        waits = run.waits(call="zeEventHostSynchronize")
        kernels = run.kernels("uncounted") + run.kernels("of_a_pool")
        self.assertEqual([line["waited_for_id"] for line in waits[:10]], [line["id"] for line in kernels])
        self.assertEqual([line["already_done"] for line in waits[:10]], [False] * 10)
        first, recorded = run.kernels("goes_first")[0], run.kernels("recorded")[0]
        self.assertGreaterEqual(recorded["start_ns"], first["end_ns"])
        self.assertEqual(waits[-1]["waited_for_id"], recorded["id"])
        self.assertEqual(run.kernels("refused"), [])

    def test_a_program_with_a_tracer(self):
        for variables in ({}, {"ZE_ENABLE_PARAMETER_VALIDATION": "1", "ZE_ENABLE_VALIDATION_LAYER": "1"}):
            run = Run("traced", SIMGPU_DURATIONS="*=1ms", **variables)
            self.assertEqual((run.status, run.out), (0, "launches=4/4\ncopies=8/8\nwaits=4/4\nOK\n"), run.err)
            self.assertEqual([len(run.kernels(name)) for name in ("before_tracing", "traced", "behind_tracing")], [4] * 3)


class Endings(unittest.TestCase):
    def test_every_way_to_end(self):  # N4
        expected = {"": 0, "late": 0, "thread": 0, "timeout": 0, "_exit": 3, "exit": 4, "kill": -signal.SIGKILL}
        for how, status in expected.items():
            with self.subTest(how=how):
                run = Run("endings", how, SIMGPU_DURATIONS="*=600s", timeout=30)
                self.assertEqual((run.status, run.timed_out), (status, False), run.err)
                self.assertGreaterEqual(len(run.kernels("in_flight")), 2)
        self.assertIn("late calls done", Run("endings", "late").out)

    def test_a_forked_child_writes_nothing(self):
        run = Run("forked")
        self.assertEqual(len(run.of("header")), 1)
        self.assertEqual(len(run.kernels("of_the_parent")), 2)


class Faults(unittest.TestCase):
    def test_a_kernel_that_never_ends(self):
        for fault in ("ze_hang=faul*", "kernel_never"):
            run = Run("faults", SIMGPU_FAULT=fault)
            self.assertEqual(run.out.split(), ["launch=0x0", "short=0x1", "status=0x0", "destroy=0x0"])
            self.assertEqual((len(run.of("submitted", kind="kernel")), run.of("kernel")), (1, []))
            forever = Run("faults", "forever", SIMGPU_FAULT=fault, timeout=2)
            self.assertTrue(forever.timed_out)
            self.assertEqual(len(forever.of("wait_begun")), 2)

    def test_a_lost_device(self):
        run = Run("faults", "forever", SIMGPU_FAULT="ze_device_lost", SIMGPU_DURATIONS="*=1s")
        self.assertEqual(run.out.split(), ["launch=0x0", "short=0x70000001", "status=0x70000001", "long=0x70000001", "destroy=0x0"])
        self.assertEqual(run.waits(), [])  # rule 3

    def test_out_of_memory(self):
        self.assertEqual(Run("faults", "memory", SIMGPU_FAULT="ze_out_of_memory=2").out.split(),
                         ["alloc=0x0", "alloc=0x70000003", "alloc=0x0"])
        self.assertEqual(Run("faults", "memory", SIMGPU_MEMORY_MB="2").out.split(), ["alloc=0x0", "alloc=0x0", "alloc=0x70000003"])

    def test_no_device(self):
        for variables in ({"SIMGPU_FAULT": "no_device"}, {"SIMGPU_DEVICES": "0"}):
            self.assertEqual(Run("faults", "start", **variables).out.split(), ["init=0x78000001"])

    def test_a_call_that_hangs(self):
        self.assertTrue(Run("faults", SIMGPU_FAULT="hang=zeModuleCreate", timeout=2).timed_out)

    def test_what_is_not_modelled_is_said_once(self):
        run = Run("faults", "image")
        self.assertEqual(run.out.split(), ["image=0x78000003"] * 2)
        self.assertEqual([line["name"] for line in run.of("unsupported")], ["zeImageCreate"])
        self.assertEqual(run.err.count("zeImageCreate"), 1)

    def test_settings_without_sense_are_refused(self):
        for name, value in (("SIMGPU_ZE_TIMER_HZ", "fast"), ("SIMGPU_ZE_SUBDEVICES", "99"), ("SIMGPU_FAULT", "no_such_fault")):
            self.assertEqual(Run("faults", "start", **{name: value}).status, 125)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--sanitized", action="store_true", help="leave out what cannot load a sanitized driver")
    known, rest = parser.parse_known_args()
    BUILD, SANITIZED = known.build.resolve(), known.sanitized
    unittest.main(argv=[sys.argv[0], *rest])
