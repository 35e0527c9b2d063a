# SPDX-License-Identifier: Apache-2.0
"""The collector of docs/adding-a-collector.md is what the page says: it is built from the page's own
text, as a folder outside of the tree, and records."""

import os

import extra_collectors

MODES = ("launcher",)
TIMEOUT = 900
LOST = {"tick_unfinished": 2}


def test(t):
    t.syncline = extra_collectors.build(t)
    program = build_program(t)
    recording = t.transparent([program])
    t.equal(counts(recording), [1, 2, 3])
    t.equal(recording.losses(), LOST, "losses")
    recording = t.record([program], ["--tick-smallest", "2", "--consumer", "process"])
    t.equal(counts(recording), [2, 3])
    t.equal(recording.losses(), LOST, "losses")
    recording = t.record([program], ["--collect", "nvtx"], complete=False)
    t.equal(recording.out, b"6\n", "what the program prints")
    t.equal(recording.ranks(), [], "traces of a collector that was not asked for")
    t.said(recording, "no process with NVTX ranges; there were calls of tick(), which --collect nvtx leaves out (--collect nvtx,tick")
    row = b"calls of tick() in libtick.so"
    t.check(row in t.run([t.syncline, "doctor"]).out, "doctor has no row of it")
    numbers_are_refused(t)


def counts(recording):
    return [call.args["arguments"]["count"] for call in recording.trace().calls(name="tick")]


def build_program(t):
    gcc = t.need("gcc")
    folder = extra_collectors.folder_of(t)
    library, program = t.path("libtick.so"), t.path("ticker")
    source = os.path.join(folder, "libtick.c")
    extra_collectors.succeed(t, [gcc, "-shared", "-fPIC", "-Wl,-soname,libtick.so", "-o", library, source])
    link = ["-L" + os.path.dirname(library), "-ltick", "-Wl,-rpath," + os.path.dirname(library)]
    extra_collectors.succeed(t, [gcc, "-o", program, os.path.join(folder, "ticker.c"), *link])
    return program


def numbers_are_refused(t):
    cmake = t.need("cmake")
    for number, complaint in (("", "number \"\""), ("16", "number \"16\""), ("2", "cuda and tick")):
        declared = f"syncline_add_collector(tick SOURCE {number} SOURCES tick_hook.cc)\n"
        extra_collectors.write(t.path("tick/CMakeLists.txt"), declared)
        refused = extra_collectors.configure(t, cmake, [t.path("tick")], t.path("build"))
        said = b" ".join(refused.err.split()).decode()
        t.check(refused.status != 0 and complaint in said, f"{declared}: {refused}")
