#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds #include lines to the direction of docs/design.md: who may see whom, and vendor headers in their folder only."""

import re

import checklib

# Room -> rooms whose headers it may include; itself is always allowed. collectors/X is treated as a room of its own.
ALLOWED = {
    "inject/core": set(),
    "inject/consumer": {"inject/core"},
    "inject/runtime": {"inject/core", "inject/consumer"},
    "model": {"inject/core"},
    "writers": {"inject/core", "model"},
    "analysis": {"inject/core", "model"},
    "offline": {"inject/core", "model", "writers", "analysis"},
    "launcher": {"inject/core", "inject/consumer", "model", "writers", "analysis", "offline"},
    "collectors": {"inject/core"},
    "facts": {"inject/core", "model"},
    "tests/fake_session": {"inject/core"},
}
# What a room's tests, and the helpers test_*.h and .cc that they share, may include beside that.
ALLOWED_IN_TESTS = {
    "collectors": {"tests/fake_session"},
    "inject/core": {"tests/fake_session"},
    "analysis": {"collectors/cuda", "writers", "offline"},  # the roles that CUDA's collector gives to its calls; whole traces
    "writers": {"offline"},  # whole traces
}
# Vendor headers and the only room that may include each.
VENDOR = [
    (re.compile(r"^(cupti|generated_cu|cuda(_|\.h|rt)|nvperf)"), "collectors/cuda"),
    (re.compile(r"^(level_zero/)?ze[st]?_"), "collectors/level_zero"),
    (re.compile(r"^(nvtx3/|nvToolsExt)"), "collectors/nvtx"),
    (re.compile(r"^mpi\.h$"), "collectors/mpi"),
    (re.compile(r"^nccl"), "collectors/nccl"),
]
# What is said in one place only: a pattern, where it may stand, and what it is.
SAID = [
    (re.compile(r'"_*cu(da)?[A-Z]\w*"'), ("collectors/cuda/",), "the name of a CUDA call"),
    (re.compile(r'\\"ph\\"|\\"traceEvents\\"'), ("writers/chrome/",), "the text of a trace event"),
]
# Of a collector's folder, but linked into the launcher only. It may see that folder, too: what calls do is told there.
FACTS = "/source_facts.cc"
# Libraries that never enter a traced process.
OUTSIDE = re.compile(r"^(spdlog/|fmt/|nlohmann/|CLI/|isa-l|igzip|zlib\.h)")
TEST = re.compile(r"_(test|fuzzer|bench)\.cc$|/test_\w+\.(cc|h)$|/testing(/|\.h$)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room_of(path):
    parts = path.split("/")
    if parts[0] == "collectors" and path.endswith(FACTS):
        return "facts"
    if (parts[0] in ("inject", "collectors") or path.startswith("tests/fake_session/")) and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0] if len(parts) > 1 else ""


def allowed(room, target, test):
    if target == room:
        return True
    kind = "collectors" if room.startswith("collectors/") else room
    if kind not in ALLOWED:
        return True  # tests and the like may see everything
    if test and target in ALLOWED_IN_TESTS.get(kind, ()):
        return True
    return target in ALLOWED[kind]


def check(root, unused_arguments):
    problems = []
    rooms = {"inject", "collectors", "model", "writers", "analysis", "offline", "launcher", "tests"}
    for path in checklib.files(root, checklib.CODE):
        name = path.relative_to(root).as_posix()
        room = room_of(name)
        injected = room.startswith(("inject/", "collectors/"))
        test = TEST.search(name) is not None
        for number, line in enumerate(checklib.text(path).splitlines(), 1):
            for pattern, where, what in SAID:
                if not test and not name.startswith((*where, "tests/", "docs/")) and pattern.search(line):
                    problems.append(f"{name}:{number}: {what} stands here: only {', '.join(where)} may say it")
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(2)
            where = f"{name}:{number}: includes {target}"
            if match.group(1) == '"' and target.split("/")[0] in rooms and not allowed(
                    room, room_of(target), test) and not (room == "facts" and room_of(target) == room_of(
                        name.removesuffix(FACTS) + "/x.h")):
                problems.append(f"{where}: {room} must not see {room_of(target)}")
            if target.startswith("../") or target.startswith("./"):
                problems.append(f"{where}: includes are written from the root")
            for vendor, owner in VENDOR:
                if vendor.match(target) and room not in (owner, "tests", "docs"):
                    problems.append(f"{where}: only {owner} may")
            if injected and not test and OUTSIDE.match(target):
                problems.append(f"{where}: this library never enters a traced process")
    return problems


def self_test():
    good = {
        "inject/core/a.h": '#include "inject/core/b.h"\n#include <atomic>\n',
        "inject/runtime/r.cc": '#include "inject/consumer/c.h"\n#include "inject/core/a.h"\n',
        "collectors/nvtx/n.cc": '#include "nvtx3/nvToolsExt.h"\n#include "inject/core/emit.h"\n',
        "collectors/cuda/source_facts.cc": '#include "model/source_facts.h"\n',
        "writers/chrome/c.cc": 'out->append("{\\"ph\\": ");\n',
        "launcher/l.cc": '#include "writers/w.h"\n#include <CLI/CLI.hpp>\n#include "inject/core/options.h"\n',
        "tests/t.cc": '#include "launcher/l.h"\n#include "nvtx3/nvToolsExt.h"\n',
        "tests/fake_session/s.h": '#include "inject/core/record.h"\n',
        "collectors/nvtx/n_test.cc": '#include "tests/fake_session/s.h"\n',
        "collectors/nvtx/test_n.h": '#include "tests/fake_session/s.h"\n',
    }
    checklib.expect_faults(check, good, {
        "inject/core/x.h": '#include "inject/runtime/session.h"',
        "inject/consumer/x.cc": '#include "writers/w.h"',
        "inject/runtime/x.cc": '#include "collectors/nvtx/n.h"',
        "collectors/nvtx/x.cc": '#include "collectors/cuda/cuda.h"',
        "collectors/nvtx/y.cc": '#include "tests/fake_session/s.h"',
        "collectors/nvtx/y_test.cc": '#include "tests/t.h"',
        "tests/fake_session/x.cc": '#include "collectors/nvtx/n.h"',
        "tests/fake_session/y.cc": "#include <nvtx3/nvToolsExt.h>",
        "collectors/cuda/x.cc": "#include <nvtx3/nvToolsExt.h>",
        "collectors/cuda/y.cc": '#include "inject/runtime/session.h"',
        "collectors/cuda/source_facts.cc": '#include "analysis/waits.h"',
        "collectors/cuda/z.cc": '#include "model/source_facts.h"',
        "analysis/y.cc": 'if (name == "cudaMemcpyAsync") return;',
        "writers/sink.cc": 'out->append("{\\"ph\\": ");',
        "writers/x.cc": '#include "launcher/command.h"',
        "writers/y.cc": '#include "analysis/waits.h"',
        "writers/chrome/y.cc": '#include "offline/rank_pipeline.h"',
        "analysis/z.cc": '#include "offline/rank_pipeline.h"',
        "offline/x.cc": '#include "launcher/files.h"',
        "model/x.cc": '#include "writers/manifest.h"',
        "model/y.cc": '#include "analysis/waits.h"',
        "analysis/x.cc": '#include "writers/json.h"',
        "launcher/x.cc": '#include "inject/runtime/session.h"',
        "launcher/y.cc": '#include "collectors/nvtx/n.h"',
        "inject/core/y.cc": "#include <spdlog/spdlog.h>",
        "writers/z.cc": '#include "../inject/core/a.h"',
    })


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test)
