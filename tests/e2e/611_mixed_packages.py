# SPDX-License-Identifier: Apache-2.0
"""A job with two packages: the tarball's launcher outside, the wheel's inside of it, beside it or in another root file system. Each
range is recorded once, by the outer launcher."""

import os

import packages

MODES = ("launcher",)
LABELS = ("packages",)


def test(t):
    program = packages.nvtx_program(t)
    venv = packages.new_venv(t, "/usr/bin/python3", "venv")
    packages.pip(t, venv, "install", "--no-index", packages.package(t, "syncline-*.whl"))
    inner, outer = f"{venv}/bin/syncline", os.path.join(packages.unpack(t, t.path("opt")), "bin/syncline")
    t.syncline = outer
    once(t, t.record([inner, "--", program]), "beside")
    t.syncline = inner
    once(t, t.record([outer, "--", program]), "the other way round")

    preloaded = {"LD_PRELOAD": f"{venv}/libexec/syncline/libsyncline.so", "NVTX_INJECTION64_PATH": f"{venv}/libexec/syncline/libsyncline.so"}
    t.syncline = outer
    once(t, t.record([program], env=preloaded), "the wheel's library was preloaded already")

    root = packages.RootFileSystem(t, "stable")
    root.hide(t.path("opt"))
    t.library = outer.replace("bin/syncline", "lib/syncline/$PLATFORM/libsyncline.so")
    recording = t.record(root.command(inner, "--", program))
    missing = b"ERROR: ld.so: object '%b' from LD_PRELOAD cannot be preloaded" % t.library.encode()
    t.check(recording.err.startswith(missing) and recording.err.count(b"\n") == 1, f"{recording}")
    recording.err = b""  # the loader's own, of the inner launcher: nobody can spare it that
    once(t, recording, "another root file system")
    root.show(t.path("opt"))
    root.close()


def once(t, recording, what):
    t.equal(recording.ending, "status 0", f"{what}: {recording}")
    t.equal(recording.err, b"", f"{what}: {recording}")
    t.equal(len(recording.trace().ranges(name="overlap a")), 1, f"{what}: {recording}")
    t.equal([line for line in recording.said if "wrote" not in line and "look at it" not in line], [], what)
