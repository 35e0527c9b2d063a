# SPDX-License-Identifier: Apache-2.0
"""The collector of docs/adding-a-collector.md is what the page says: it is built from the page's own
text, as a folder outside of the tree, and records.

What was built stays below the build folder: the next run builds what has changed since.
"""

import os
import re
import shutil

import syncline_test

PAGE = os.path.join(syncline_test.ROOT, "docs", "adding-a-collector.md")
FILE = re.compile(r"^`([\w./]+)`\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODES = ("launcher",)
TIMEOUT = 900
LIMIT = 800  # for the compiler
LOST = {"tick_unfinished": 2}


def test(t):
    cmake, gcc, _ = t.need("cmake", "gcc", "ninja")
    folder = os.path.join(t.build, "tests", "adding_a_collector")
    write_files(t, folder)
    program = build_program(t, gcc, folder)
    build_syncline(t, cmake, folder)
    t.syncline = os.path.join(folder, "build", "bin", "syncline")

    recording = t.transparent([program])
    t.counted(recording.trace().names(), {"tick": 3})
    t.equal(recording.losses(), LOST, "losses")
    recording = t.record([program], ["--tick-smallest", "2", "--consumer", "process"])
    t.counted(recording.trace().names(), {"tick": 2})
    t.equal(recording.losses(), LOST, "losses")
    recording = t.record([program], ["--collect", "nvtx"], complete=False)
    t.equal(recording.out, b"6\n", "what the program prints")
    t.equal(recording.ranks(), [], "traces of a collector that was not asked for")
    row = b"calls of tick() in libtick.so"
    t.check(row in t.run([t.syncline, "doctor"]).out, "doctor has no row of it")
    numbers_are_refused(t, cmake)


def numbers_are_refused(t, cmake):
    for number, complaint in (("", "number \"\""), ("16", "number \"16\""), ("2", "cuda and tick")):
        declared = f"syncline_add_collector(tick SOURCE {number} SOURCES tick_hook.cc)\n"
        write(t.path("tick/CMakeLists.txt"), declared)
        refused = configure(t, cmake, t.path("tick"), t.path("build"))
        said = b" ".join(refused.err.split()).decode()
        t.check(refused.status != 0 and complaint in said, f"{declared}: {refused}")


def write(path, text):
    """Writes a file if it is not so already: what is not changed is not built again."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        file.seek(0)
        if file.read() != text:
            file.truncate(0)
            file.write(text)


def write_files(t, folder):
    with open(PAGE, encoding="utf-8") as page:
        files = FILE.findall(page.read())
    t.equal(len(files), 10, f"files in {PAGE}: {[name for name, _ in files]}")
    for name, text in files:
        write(os.path.join(folder, name), text)


def succeed(t, command):
    done = t.run(command, timeout=LIMIT)
    t.equal(done.status, 0, f"{done}")


def build_program(t, gcc, folder):
    library, program = os.path.join(folder, "libtick.so"), os.path.join(folder, "ticker")
    succeed(t, [gcc, "-shared", "-fPIC", "-Wl,-soname,libtick.so", "-o", library, library[:-2] + "c"])
    link = ["-L" + folder, "-ltick", "-Wl,-rpath," + folder]
    succeed(t, [gcc, "-o", program, program + ".c", *link])
    return program


def configure(t, cmake, collector, build):
    options = {
        "SYNCLINE_EXTRA_COLLECTORS": collector,
        "BUILD_TESTING": "OFF",
        "CMAKE_BUILD_TYPE": "None",
        "CMAKE_CXX_FLAGS": "-O0",
    }
    if clang := shutil.which("clang++"):  # needs a third less time than gcc
        options["CMAKE_CXX_COMPILER"] = clang
    defined = [f"-D{name}={value}" for name, value in options.items()]
    return t.run([cmake, "-G", "Ninja", "-S", syncline_test.ROOT, "-B", build, *defined], timeout=LIMIT)


def build_syncline(t, cmake, folder):
    build = os.path.join(folder, "build")
    configured = configure(t, cmake, os.path.join(folder, "tick"), build)
    t.equal(configured.status, 0, f"{configured}")
    succeed(t, [cmake, "--build", build, "--target", "syncline", "syncline_inject"])
