# SPDX-License-Identifier: Apache-2.0
"""Every wait of C++ and Fortran programs is told at its line, however they were compiled; without debug information in its function, without
symbols at its address. A file that is no longer the one that ran names no line."""

import os
import re

from syncline_test import ROOT

LABELS = ("gpu",)
TIMEOUT = 120
SOURCES = os.path.join(ROOT, "tests", "native_programs")
# How it is compiled, what is told.
WAYS = (
    ("-O2 -g", "lines"),
    ("-O0 -g", "lines"),
    ("-O3 -g1 -fomit-frame-pointer -no-pie", "lines"),
    ("-O2 -fno-omit-frame-pointer", "functions"),
    ("-O2 -s", "addresses"),
)


def test(t):
    t.need_library("libdw.so.1")
    for number, (flags, told) in enumerate(WAYS):
        folder = t.path(f"way{number}")
        os.mkdir(folder)
        plug, program = os.path.join(folder, "libplug.so"), os.path.join(folder, "solver")
        compile_one(t, "g++", "plug.cc", plug, flags + " -shared -fPIC")
        compile_one(t, "g++", "solver.cc", program, flags + " -pthread -ldl")
        check(t, [program, plug], told, ["solver.cc", "plug.cc"], flags)
    replaced(t)
    program = t.path("relax")
    compile_one(t, "gfortran", "relax.f90", program, "-O1 -g")
    check(t, [program], "lines", ["relax.f90"], "Fortran")


def replaced(t):
    """The library is another one, or none, when its lines are looked for: without a build id and with one."""
    folder = t.path("replaced")
    os.mkdir(folder)
    plug, other = (os.path.join(folder, name) for name in ("libplug.so", "other.so"))
    compile_one(t, "g++", "plug.cc", other, "-O0 -g -shared -fPIC -Wl,--build-id=none")
    for build_id, way in (("none", 'cp "$2" "$1"'), ("sha1", 'rm "$1"')):
        compile_one(t, "g++", "plug.cc", plug, f"-O2 -g -shared -fPIC -Wl,--build-id={build_id}")
        recording = t.record(["sh", "-c", f'"$0" "$1"; {way}', t.path("way0/solver"), plug, other], env=t.gpu_environment())
        found = {call.args["where"] for call in recording.trace().calls(name="cudaDeviceSynchronize")}
        called = r"libplug\.so \(deleted\)\+0x[0-9a-f]+, called at .*solver\.cc:\d+ .*"
        t.check(any(re.fullmatch(called, where) for where in found), f"{build_id}, {way}: {found}")
        t.check(not any("plug.cc" in where for where in found), f"{build_id}, {way}: {found}")


def compile_one(t, compiler, source, out, flags):
    t.need(compiler)
    libraries = t.gpu_environment()["LD_LIBRARY_PATH"].split(":")[0]
    done = t.run([compiler, os.path.join(SOURCES, source), "-o", out, *flags.split(), "-L" + libraries, "-l:libcudart.so.13"])
    t.equal((done.ending, done.err), ("status 0", b""), f"{compiler} {flags} {source}")


def check(t, command, told, sources, what):
    recording = t.record(command, env=t.gpu_environment())
    t.equal((recording.ending, recording.err), ("status 0", b""), what)
    t.equal(recording.losses(), {}, what)
    calls = recording.trace().calls(name="cudaDeviceSynchronize")
    found = {call.args["where"] for call in calls}
    marked = {}
    for source in sources:
        with open(os.path.join(SOURCES, source)) as file:
            for number, line in enumerate(file, 1):
                match = re.search(r"[/!]+ waits (.+)\n", line)
                if match:
                    marked[match[1]] = f"{os.path.join(SOURCES, source)}:{number} {match[1]}()"
    module = {name: "libplug.so" if name == "plug" else os.path.basename(command[0]) for name in marked}
    if told == "lines":
        t.equal(found, set(marked.values()), what)
        deep = [call.args["stack"] for call in calls if "recurse" in call.args["where"]]
        if "solver::recurse" in marked and "-O0" in what:
            t.equal([stack.count("solver::recurse()") for stack in deep], [61], f"frames of the recursion, {what}")
    elif told == "functions":
        inlined = {"solver::converge": "main"}
        t.equal(found, {f"{module[name]} {inlined.get(name, name)}()" for name in marked}, what)
    else:
        t.equal({where.partition("+0x")[0] for where in found}, {"solver", "libplug.so plug()"}, what)
