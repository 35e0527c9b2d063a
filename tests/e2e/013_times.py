# SPDX-License-Identifier: Apache-2.0
"""Times are on one clock: each end of a range stands between the moments that the program read off the wall clock around it."""

PROGRAM = """
import time, nvtx
now = time.time_ns
with nvtx.annotate("first"): pass  # what the first range loads is no part of the next
before = now(); span = nvtx.annotate("sleep"); span.__enter__(); begun = now()
time.sleep(0.05)
ending = now(); span.__exit__(None, None, None); after = now()
print(before, begun, ending, after)
"""


def test(t):
    recording = t.record([t.venv("torch"), "-c", PROGRAM])
    before, begun, ending, after = map(int, recording.out.split())
    trace = recording.trace()
    base = trace.document["baseTimeNanoseconds"]
    [r] = trace.ranges(name="sleep")
    begin, end = base + r.begin, base + r.end
    error = recording.manifest()["clock_error_ns"]
    moments = f"{before} {begin} {begun} {ending} {end} {after}, stated error {error} ns"
    t.check(before - error <= begin <= begun + error, moments)
    t.check(ending - error <= end <= after + error, moments)
