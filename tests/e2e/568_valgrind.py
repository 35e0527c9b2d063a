# SPDX-License-Identifier: Apache-2.0
"""Under valgrind's memcheck nothing of ours is an error, neither in the program nor in what a wait's stack reads."""

import os

from syncline_test import ROOT

LABELS = ("gpu",)
MODES = ("launcher",)
TIMEOUT = 120
SOURCES = os.path.join(ROOT, "tests", "native_programs")


def test(t):
    t.need("valgrind")
    t.need("gcc")
    libraries = t.gpu_environment()["LD_LIBRARY_PATH"].split(":")[0]
    for source, name, flags in (("replaces.c", "replaces", "-ldl"), ("replaced_plug.c", "libplug.so", "-shared -fPIC")):
        t.run(["gcc", "-g", os.path.join(SOURCES, source), "-o", t.path(name), *flags.split(), "-L" + libraries, "-l:libcudart.so.13"])
    command = ["valgrind", "-q", "--error-exitcode=9", t.path("replaces"), t.path("libplug.so"), t.path("libplug.so")]
    recording = t.record(command, env=t.gpu_environment())
    t.equal((recording.ending, recording.out, recording.err), ("status 0", b"at one address\n", b""))
    calls = recording.trace().calls(name="cudaDeviceSynchronize")
    t.equal([call.args.get("stack") is None for call in calls], [False] * 20, "stacks that were read")
