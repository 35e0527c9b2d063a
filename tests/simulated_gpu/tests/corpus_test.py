#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the corpus on the simulated GPUs and looks at the truth file.

usage: corpus_test.py --build DIR [--programs NAME] [unittest arguments]
DIR is the build folder that holds simulated_gpu/lib and simulated_gpu/NAME, by default simulated_gpu/programs."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path()
PROGRAMS = pathlib.Path()
PLAIN = ["vector_add", "streams", "copies", "event_timing", "graphs", "multi_device", "many_threads", "peer_copies", "default_stream",
         "allocations", "query_spin", "training_step", "driver_api", "graph_memory", "interprocess",
         "virtual_memory", "per_thread",
         "versioned_forms"]
ALWAYS_WRITTEN = {"device", "stream", "event", "legacy_stream", "sync_copy", "pageable_copy"}
# What follows from when the host did things, and where the system put memory.
OF_THE_HOST = {"thread", "pid", "address", "time_ns", "queued_ns", "start_ns", "end_ns", "seen_from_ns", "over_ns", "already_done"}


class Run:
    """One run of a program: its status, what it said, and the lines of its truth file."""

    def __init__(self, program, *arguments, timeout=60, **variables):
        with tempfile.TemporaryDirectory() as folder:
            truth = pathlib.Path(folder) / "truth"
            environment = {name: value for name, value in os.environ.items() if not name.startswith("SIMGPU_")}
            # A sanitized build may need more of it: what is there stays behind ours.
            environment["LD_LIBRARY_PATH"] = f"{BUILD}/simulated_gpu/lib:" + os.environ.get("LD_LIBRARY_PATH", "")
            environment["SIMGPU_TRUTH"] = str(truth)
            environment.update(variables)
            command = [f"{PROGRAMS}/{program}", *arguments]
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
            lines = text.splitlines()
            if program.endswith("endings") and lines and not text.endswith("\n"):
                lines.pop()  # its thread was ended while it wrote the line
            self.truth = [json.loads(line) for line in lines]

    def of(self, op, **fields):
        return [line for line in self.truth
                if line["op"] == op and all(line.get(key) == value for key, value in fields.items())]

    def kernels(self, part):
        return [line for line in self.of("kernel") if part in line["name"]]


def folders():
    """Of programs with the shared runtime and, where there is one for this CUDA, with the static one."""
    return ("", "static/") if (PROGRAMS / "static").exists() else ("",)


def overlap(a, b):
    return a["start_ns"] < b["end_ns"] and b["start_ns"] < a["end_ns"]


def comparable(run):
    """The lines without what the host's times decide; operations with their duration."""
    lines = []
    for line in run.truth:
        if line["op"] in ("submitted", "wait_begun", "no_wait"):
            continue  # whether an end was known at submission, or over at a look, is a matter of time
        if line["op"] == "wait" and line["class"] not in ALWAYS_WRITTEN:
            continue  # written only if the host really waited
        kept = {key: value for key, value in line.items() if key not in OF_THE_HOST}
        if "id" in line and line["op"] != "host_function":
            kept["duration"] = line["end_ns"] - line["start_ns"] if line["op"] != "graph_launch" else 0
        lines.append(json.dumps(kept, sort_keys=True))
    return sorted(lines)


class Programs(unittest.TestCase):
    def test_all_run_with_the_shared_and_the_static_runtime(self):
        for name in PLAIN:
            for folder in folders():
                with self.subTest(program=folder + name):
                    run = Run(folder + name)
                    self.assertEqual((run.status, run.truth[0]["op"]), (0, "header"), run.err)
                    self.assertEqual(run.truth[0]["devices"], 2)

    def test_the_corpus_needs_nothing_but_the_library_path(self):
        run = Run("vector_add")
        self.assertTrue(run.out.startswith("Simulated"), run.out)

    def test_devices_are_counted_as_the_variables_say(self):
        self.assertIn("devices=5", Run("multi_device", SIMGPU_DEVICES="5").out)
        self.assertIn("devices=1", Run("multi_device", CUDA_VISIBLE_DEVICES="1").out)
        self.assertIn("count=100", Run("faults", "count", CUDA_VISIBLE_DEVICES="").out)

    def test_one_seed_gives_one_truth(self):
        # Long kernels: the order in which things end is then not a matter of how fast the host is.
        for name in ("vector_add", "streams", "graphs", "default_stream", "training_step"):
            with self.subTest(program=name):
                runs = [Run(name, SIMGPU_DURATIONS="*=20ms", SIMGPU_SEED="7", SIMGPU_JITTER="0.1") for _ in range(2)]
                self.assertEqual(comparable(runs[0]), comparable(runs[1]))

    def test_another_seed_gives_other_durations(self):
        runs = [Run("training_step", SIMGPU_SEED=seed, SIMGPU_JITTER="0.2") for seed in ("1", "2")]
        self.assertNotEqual(comparable(runs[0]), comparable(runs[1]))

    def test_nothing_is_said_of_a_run_without_truth(self):
        self.assertEqual(Run("vector_add", SIMGPU_TRUTH="").truth, [])


class Time(unittest.TestCase):
    def test_durations_are_those_asked_for(self):
        run = Run("event_timing", SIMGPU_DURATIONS="*Timed*=5ms,*=1us")
        kernel = run.kernels("Timed")[0]
        self.assertEqual(kernel["end_ns"] - kernel["start_ns"], 5_000_000)
        self.assertGreaterEqual(float(run.out.split("=")[1]), 5)

    def test_streams_overlap_and_events_order(self):
        run = Run("streams", SIMGPU_DURATIONS="*=20ms")
        a, b, after = run.kernels("BusyA"), run.kernels("BusyB"), run.kernels("AfterBoth")
        self.assertTrue(any(overlap(x, y) for x in a for y in b))
        self.assertGreaterEqual(after[0]["start_ns"], max(x["end_ns"] for x in a + b))
        host = run.of("host_function")
        self.assertEqual(len(host), 2)
        self.assertGreaterEqual(host[0]["start_ns"], after[0]["end_ns"])
        self.assertGreaterEqual(after[1]["start_ns"], host[1]["end_ns"])
        self.assertTrue(run.of("submitted", kind="host_function"))

    def test_a_waiting_thread_keeps_its_processor_unless_flags_say_that_it_blocks(self):
        # The kernels outlast the time of spinning: a thread that kept its processor all the time would need 300 us of it.
        def cpu(schedule):
            run = Run("schedules", schedule, SIMGPU_DURATIONS="*=300us")
            self.assertEqual(run.status, 0, run.err)
            return [float(word.split("=")[1]) for word in run.out.split()]

        for schedule in ("auto", "spin", "yield"):
            least, most = cpu(schedule)
            self.assertGreater(most, 30, schedule)
            self.assertLess(least, 200, schedule)
        for schedule in ("blocking", "event"):
            self.assertLess(cpu(schedule)[0], 60, schedule)

    def test_one_kernel_at_a_time_where_there_is_one_slot(self):
        run = Run("streams", SIMGPU_DURATIONS="*=5ms", SIMGPU_CONCURRENT_KERNELS="1")
        kernels = run.of("kernel")
        self.assertFalse(any(overlap(x, y) for i, x in enumerate(kernels) for y in kernels[:i]))

    def test_legacy_stream_serialises_blocking_streams_only(self):
        run = Run("default_stream", SIMGPU_DURATIONS="*=20ms")
        last = {name: run.kernels(name)[-1] for name in ("InA", "InLegacy", "InB", "InFree")}
        self.assertGreaterEqual(last["InLegacy"]["start_ns"], last["InA"]["end_ns"])
        self.assertGreaterEqual(last["InB"]["start_ns"], last["InLegacy"]["end_ns"])
        self.assertLess(last["InFree"]["start_ns"], last["InB"]["start_ns"])
        self.assertEqual(run.kernels("InLegacy")[0]["stream"], 7)

    def test_per_thread_streams_overlap(self):
        run = Run("per_thread", SIMGPU_DURATIONS="*=20ms")
        self.assertEqual(len({line["stream"] for line in run.of("kernel")}), 2)
        self.assertTrue(all("_pt" in line["call"] for line in run.of("kernel")))

    def test_copies_of_one_direction_take_turns(self):
        run = Run("copies")
        copies = run.of("memcpy", copy_kind="HtoD")
        self.assertFalse(any(overlap(x, y) for i, x in enumerate(copies) for y in copies[:i]))

    def test_work_in_flight_is_bounded_by_the_queue(self):
        depth = 8
        run = Run("launch_rate", "1", SIMGPU_QUEUE=str(depth), SIMGPU_DURATIONS="*=200us")
        kernels = run.of("kernel")
        self.assertTrue(run.of("wait", **{"class": "queue_full"}))
        for i, kernel in enumerate(kernels):
            waiting = [k for k in kernels[:i] if k["start_ns"] > kernel["queued_ns"]]
            self.assertLessEqual(len(waiting), depth)

    def test_a_launch_rate_is_measured(self):
        run = Run("launch_rate", "40", SIMGPU_TRUTH="")
        self.assertEqual(run.status, 0, run.err)
        print("\n" + run.out.strip(), file=sys.stderr)  # a figure, never a verdict

    def test_waiting_neither_spins_nor_makes_threads(self):
        truth = tempfile.NamedTemporaryFile()
        environment = dict(os.environ, LD_LIBRARY_PATH=f"{BUILD}/simulated_gpu/lib:" + os.environ.get("LD_LIBRARY_PATH", ""),
                           SIMGPU_DURATIONS="*=60ms", SIMGPU_TRUTH=truth.name)
        started = time.monotonic()
        with subprocess.Popen([f"{PROGRAMS}/training_step", "2"], env=environment,
                              stdout=subprocess.DEVNULL) as process:
            time.sleep(0.5)
            threads = len(os.listdir(f"/proc/{process.pid}/task"))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
        elapsed = time.monotonic() - started
        self.assertEqual((status, threads), (0, 1))
        self.assertLess(usage.ru_utime + usage.ru_stime, elapsed / 2)


class Waits(unittest.TestCase):
    def test_each_call_waits_as_the_table_says(self):
        run = Run("copies", SIMGPU_DURATIONS="*=3ms")
        seen = {(line["call"], line["class"]) for line in run.of("wait")}
        for expected in (("cudaMemcpy", "sync_copy"), ("cudaMemcpyAsync", "pageable_copy"), ("cudaStreamSynchronize", "stream"),
                         ("cudaMemset", "sync_copy")):
            self.assertIn(expected, seen)

    def test_a_wait_names_what_it_waited_for(self):
        run = Run("event_timing", SIMGPU_DURATIONS="*Timed*=5ms")
        wait = run.of("wait", call="cudaEventSynchronize")[0]
        kernel = run.kernels("Timed")[0]
        self.assertEqual((wait["class"], wait["waited_for"], wait["already_done"]), ("event", kernel["correlation"], False))
        self.assertGreaterEqual(wait["end_ns"], kernel["end_ns"])

    def test_query_spins_are_found_and_lone_questions_not(self):
        run = Run("query_spin", SIMGPU_DURATIONS="*=100ms")
        spins = run.of("wait", **{"class": "query_spin"})
        self.assertEqual([line["call"] for line in spins], ["cudaEventQuery", "cudaStreamQuery"])
        kernels = run.of("kernel")
        self.assertEqual([line["waited_for"] for line in spins], [k["correlation"] for k in kernels[:2]])

    def test_free_waits_and_free_async_does_not(self):
        run = Run("allocations", SIMGPU_DURATIONS="*=5ms")
        waits = run.of("wait", **{"class": "allocation"})
        self.assertEqual({line["call"] for line in waits}, {"cudaFree"})
        self.assertEqual(len(run.of("alloc", kind="pool")), 20)

    def test_memory_of_graphs_is_written_at_each_launch(self):
        run = Run("graph_memory")
        launches = run.of("alloc", kind="graph")
        self.assertEqual({line["call"] for line in launches}, {"cudaGraphLaunch"})
        # Of the explicit graph two a launch, three launches; of the captured ones one each, three launches.
        self.assertEqual((len(launches), len(run.of("free", kind="graph"))), (9, 9))

    def test_mappings_are_written(self):
        run = Run("virtual_memory")
        self.assertEqual((len(run.of("alloc", kind="mapping")), len(run.of("free", kind="mapping"))), (4, 4))

    def test_another_process_waits_for_the_record_of_an_event(self):
        run = Run("interprocess", SIMGPU_DURATIONS="*=300ms")
        parent, child = run.kernels("Busy")
        self.assertEqual(len(run.of("header")), 2)
        self.assertGreaterEqual(child["start_ns"], parent["end_ns"])
        self.assertGreaterEqual(run.of("wait", call="cudaEventSynchronize")[0]["end_ns"], child["end_ns"])

    def test_legacy_synchronise_gathers(self):
        run = Run("default_stream", SIMGPU_DURATIONS="*=20ms")
        self.assertTrue(run.of("wait", **{"class": "legacy_stream"}))

    def test_launch_blocking(self):
        run = Run("event_timing", SIMGPU_DURATIONS="*=3ms", CUDA_LAUNCH_BLOCKING="1")
        # <<<>>> of CUDA 13 calls __cudaLaunchKernel, that of 12 cudaLaunchKernel.
        waits = run.of("wait", **{"class": "stream"})
        self.assertTrue([line for line in waits if line["call"].endswith("cudaLaunchKernel")])

    def test_refused_functions_are_written_down_and_said_once(self):
        run = Run("driver_api")
        self.assertEqual([line["name"] for line in run.of("unsupported")], ["cuArrayCreate_v2"])
        self.assertEqual(run.err.count("cuArrayCreate_v2"), 1)


class Endings(unittest.TestCase):
    def test_every_way_to_end(self):
        expected = {"": 0, "destructor": 0, "fork": 0, "threads": 0, "_exit": 3, "exit": 4, "kill": -signal.SIGKILL}
        for how, status in expected.items():
            for folder in folders():
                with self.subTest(how=how, folder=folder):
                    run = Run(folder + "endings", how)
                    self.assertEqual(run.status, status, run.err)
                    self.assertFalse(run.timed_out)
                    self.assertGreaterEqual(len(run.of("kernel")) + len(run.of("submitted", kind="kernel")), 2)

    def test_a_static_destructor_may_call(self):
        self.assertIn("late calls done", Run("endings", "destructor").out)


class Faults(unittest.TestCase):
    def expect(self, fault, argument, *said, hangs=False):
        run = Run("faults", argument, SIMGPU_FAULT=fault, timeout=3 if hangs else 60)
        self.assertEqual(run.timed_out, hangs, run.out)
        for line in said:
            self.assertIn(line, run.out.splitlines())
        return run

    def test_no_driver_or_an_old_one(self):
        self.expect("no_libcuda", "count", "count=35")
        self.expect("old_driver", "count", "count=35")
        self.expect("old_driver=11080" if PROGRAMS.name == "programs12" else "old_driver=12080", "", "malloc=35")
        self.expect("no_device", "count", "count=100")

    def test_out_of_memory(self):
        self.expect("out_of_memory", "", "malloc=2")
        self.expect("out_of_memory=100000000", "", "malloc=0", "synchronize=0")

    def test_a_sticky_error_stays_until_the_reset(self):
        self.expect("sticky_error", "", "launch=0", "synchronize=700", "after=700", "reset=0", "again=0")

    def test_an_event_that_never_signals(self):
        run = self.expect("event_never", "event", "stream=0", "query=600", hangs=True)
        self.assertTrue(run.of("wait_begun", call="cudaEventSynchronize"))

    def test_a_kernel_that_never_ends(self):
        run = self.expect("kernel_never", "", "launch=0", hangs=True)
        self.assertEqual(len(run.of("submitted", kind="kernel")), 1)
        self.assertEqual(run.of("kernel"), [])

    def test_a_call_that_hangs(self):
        run = self.expect("hang=cudaMalloc", "", hangs=True)
        self.assertEqual(run.out, "")

    def test_an_unknown_fault_is_refused(self):
        run = Run("faults", SIMGPU_FAULT="no_such_fault")
        self.assertEqual(run.status, 125)
        self.assertIn("no fault called 'no_such_fault'", run.err)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--programs", default="programs")
    known, rest = parser.parse_known_args()
    BUILD = known.build.resolve()
    PROGRAMS = BUILD / "simulated_gpu" / known.programs
    if not (PROGRAMS / "vector_add").exists():
        print(f"skipped: {PROGRAMS} was not built (no nvcc?)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
