# SPDX-License-Identifier: Apache-2.0
"""Stacks, tables and libraries that go away end no program, and what is known of an address is not told of the library that comes to it."""

import os

from syncline_test import ROOT

LABELS = ("gpu",)
MODES = ("launcher",)
TIMEOUT = 120
SOURCES = os.path.join(ROOT, "tests", "native_programs")


def test(t):
    program = compile_one(t, "stacks_go.c", "stacks_go", "-pthread -ldl")
    first = compile_one(t, "replaced_plug.c", "libfirst.so", "-shared -fPIC -DFIRST")
    for what in ("shrunk", "unreadable", "raced"):
        recording = t.transparent([program, what, first], env=t.gpu_environment())
        t.equal((recording.ending, recording.losses()), ("status 0", {}), what)
    replaced(t, first)


def replaced(t, first):
    t.need_library("libdw.so.1")
    program = compile_one(t, "replaces.c", "replaces", "-ldl")
    other = compile_one(t, "replaced_plug.c", "libother.so", "-shared -fPIC")
    recording = t.transparent([program, first, other, first], env=t.gpu_environment())
    t.equal(recording.out, b"at one address\n")
    lines = {line.rsplit(" ", 1)[1]: number for number, line in enumerate(
        open(os.path.join(SOURCES, "replaced_plug.c")).read().split("\n"), 1) if "// waits" in line}
    told = [call.args["where"].rsplit("/", 1)[1] for call in recording.trace().calls(name="cudaDeviceSynchronize")]
    of_first, of_other = f"replaced_plug.c:{lines['FIRST']} first_wait()", f"replaced_plug.c:{lines['OTHER']} other_wait()"
    t.equal(told, [of_first] * 10 + [of_other] * 10 + [of_first] * 10)


def compile_one(t, source, name, flags):
    t.need("gcc")
    out, libraries = t.path(name), t.gpu_environment()["LD_LIBRARY_PATH"].split(":")[0]
    done = t.run(["gcc", "-O1", "-g", os.path.join(SOURCES, source), "-o", out, *flags.split(), "-L" + libraries, "-l:libcudart.so.13"])
    t.equal((done.ending, done.err), ("status 0", b""), source)
    return out
