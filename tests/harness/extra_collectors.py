# SPDX-License-Identifier: Apache-2.0
"""Builds Syncline with collectors from outside of collectors/, once for all tests that have some.

What was built stays below the build folder: the next run builds what has changed since.
"""

import contextlib
import fcntl
import os
import re
import shutil

import syncline_test

PAGE = os.path.join(syncline_test.ROOT, "docs", "adding-a-collector.md")
MESSAGES = os.path.join(syncline_test.ROOT, "tests", "made_up_messages")
VENDOR = os.path.join(syncline_test.ROOT, "tests", "made_up_vendor")
FILE = re.compile(r"^`([\w./]+)`\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT = 800  # for the compiler


def folder_of(t):
    return os.path.join(t.build, "tests", "extra_collectors")


def build(t):
    """The `syncline` that has the page's collector, the made-up vendor's and that of made-up messages."""
    cmake, _, _ = t.need("cmake", "gcc", "ninja")
    folder = folder_of(t)
    with alone(folder):
        write_page(t, folder)
        collectors = [os.path.join(folder, "tick"), os.path.join(VENDOR, "mu"), os.path.join(MESSAGES, "ms")]
        configured = configure(t, cmake, collectors, build_folder())
        t.equal(configured.status, 0, f"{configured}")
        succeed(t, [cmake, "--build", build_folder(), "--target", "syncline", "syncline_inject"])
    return os.path.join(build_folder(), "bin", "syncline")


def build_folder():
    """Beside the release's: then what was compiled there need not be compiled here, where there is ccache."""
    return os.path.join(syncline_test.ROOT, "build", "extra-collectors")


@contextlib.contextmanager
def alone(folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_page(t, folder):
    with open(PAGE, encoding="utf-8") as page:
        files = FILE.findall(page.read())
    t.equal(len(files), 10, f"files in {PAGE}: {[name for name, _ in files]}")
    for name, text in files:
        write(os.path.join(folder, name), text)


def write(path, text):
    """Writes a file if it is not so already: what is not changed is not built again."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        file.seek(0)
        if file.read() != text:
            file.truncate(0)
            file.write(text)


def succeed(t, command):
    done = t.run(command, timeout=LIMIT)
    t.equal(done.status, 0, f"{done}")


def configure(t, cmake, collectors, folder):
    options = {"SYNCLINE_EXTRA_COLLECTORS": ";".join(collectors), "BUILD_TESTING": "OFF", **options_of(t.build)}
    if options.get("SYNCLINE_CCACHE") != "ON":
        options |= {"CMAKE_BUILD_TYPE": "None", "CMAKE_CXX_FLAGS": "-O0"}
        if clang := shutil.which("clang++"):  # needs a third less time than gcc
            options["CMAKE_CXX_COMPILER"] = clang
    defined = [f"-D{name}={value}" for name, value in options.items()]
    return t.run([cmake, "--preset", "release", "-S", syncline_test.ROOT, "-B", folder, *defined], timeout=LIMIT)


def options_of(release):
    """Those with which compilations are the release's own."""
    path = os.path.join(release, "CMakeCache.txt")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as cache:
        return dict(re.findall(r"^(SYNCLINE_(?:WERROR|CCACHE)):BOOL=(\w+)$", cache.read(), re.MULTILINE))
