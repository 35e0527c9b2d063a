# SPDX-License-Identifier: Apache-2.0
"""Kernels that take a quarter of the computing each: those that fill the device badly are told with why, and the one that fills it is not."""

import json

LABELS = ("gpu",)
BLOCKS, MULTIPROCESSORS, THREADS = 8, 132, 2048
TILES = 5 * 64 * 100 // THREADS + 1  # five blocks of 64 threads have room, with 41,088 of 233,472 bytes each: 15.6 per cent
SMALL = 32 * 8 * 100 / THREADS  # 32 blocks of 8 threads: 12.5 per cent


def test(t):
    t.simulated_only()
    recording = t.record([t.cuda_program("fills")], env={**t.gpu_environment(), "SIMGPU_DURATIONS": "*=500us"})
    verdict = json.loads(t.run([t.syncline, "report", recording.directory, "--no-files", "--format", "json"]).out)["kernel_verdict"]
    told = {part.split(" ")[0].split("(")[0]: part for part in verdict.split("; ")}
    t.equal(sorted(told), ["few_blocks", "large_tiles", "small_blocks"], verdict)
    t.check(f"takes 25 % of the computing with {BLOCKS} blocks for {MULTIPROCESSORS} multiprocessors: " in told["few_blocks"], verdict)
    t.check(f"room for {TILES} % of a multiprocessor's threads, by shared memory: smaller tiles" in told["large_tiles"], verdict)
    t.check(f"room for {int(SMALL + 0.5)} % of a multiprocessor's threads, by the number of blocks: larger blocks" in told["small_blocks"], verdict)
    t.check("8 blocks for 132 multiprocessors" in t.run([t.syncline, "report", recording.directory, "--no-files"]).out.decode().replace("\n", " "),
            "the text says so, too")
