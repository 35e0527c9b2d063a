# SPDX-License-Identifier: Apache-2.0
"""A process outside the launcher's pid namespace, which has no number in there, is recorded until it ends."""

import os

MODES = ("launcher",)
EMITTED = 2000
HANDED_DOWN = ("LD_PRELOAD", "NVTX_INJECTION64_PATH", "SYNCLINE_")
WAIT = 'env >"$1.tmp"; mv "$1.tmp" "$1"; while [ ! -e "$2" ]; do sleep 0.05; done'


def test(t):
    t.need_root()
    directory, environment, end = t.new_directory(), t.path("environment"), t.path("end")
    launch = t.launch(["sh", "-c", WAIT, "sh", environment, end], directory=directory)
    started = t.start([t.need("unshare"), "--pid", "--fork", "--mount-proc", *launch])
    text = t.until(lambda: os.path.exists(environment) and t.text("environment"), "the launcher runs")
    handed_down = dict(line.split("=", 1) for line in text.splitlines() if line.startswith(HANDED_DOWN))
    outside = t.run([t.victim("fast"), str(EMITTED), "1", "1000"], handed_down)
    t.equal(outside.ending, "status 0", f"{outside}")
    open(end, "w").close()
    recording = t.finish(started.wait(30), directory)
    t.equal(len(recording.trace().ranges(name="fast")), EMITTED, f"{recording}")
    [process] = [each for each in recording.manifest()["processes"] if each["name"] == "fast"]
    t.equal(process["recorded_by"], "launcher", f"{process}")
    t.check(process["pid"] > 0 and not any("still running" in line for line in recording.said), f"{process} {recording}")
