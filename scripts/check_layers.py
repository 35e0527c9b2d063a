#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds #include lines to the direction of docs/design.md: who may see whom, and vendor headers in their folder only."""

import re
import sys

import checklib

# Room -> rooms whose headers it may include. Its own are always allowed; a room without a subfolder stands for all its subfolders.
# collectors/X is treated as a room of its own.
ALLOWED = {
    "inject/core": "",
    "inject/consumer": "inject/core",
    "inject/runtime": "inject/core inject/consumer",
    "collectors": "inject/core",
    "facts": "inject/core model/devices model/findings",
    "base": "inject/core",
    "symbols": "inject/core base",
    "model/spool": "inject/core base symbols",
    "model/devices": "inject/core base model/spool",
    "model/findings": "inject/core base model/devices",
    "model/run": "inject/core base model/spool model/devices model/findings",
    "analysis/waits": "inject/core base model",
    "analysis/collectives": "inject/core base model",
    "analysis/sums": "inject/core base symbols model analysis/waits analysis/collectives",
    "analysis/prices": "inject/core base model analysis/waits analysis/sums",
    "analysis": "inject/core base symbols model",
    "report": "inject/core base model",
    "compare": "inject/core base model report",
    "writers/files": "inject/core base model",
    "writers/findings": "inject/core base model writers/files",
    "writers/memory": "inject/core base model writers/files",
    "writers/tables": "inject/core base model report compare writers/files",
    "contract": "inject/core base model report writers/files",
    "writers/chrome/text": "inject/core base symbols model writers/files",
    "writers/chrome/layout": "inject/core base symbols model writers/files writers/chrome/text",
    "writers/chrome": "inject/core base symbols model writers/files writers/findings",
    "sampler": "inject/core base symbols model",
    "offline": "inject/core base model analysis writers/files writers/findings writers/memory writers/chrome",
    "launcher/host": "inject/core base",
    "launcher/start": "inject/core base launcher/host",
    "launcher/jobs": "inject/core inject/consumer base model writers/files writers/findings offline launcher/host launcher/start",
    "launcher/record": "inject/core inject/consumer base model offline launcher/host launcher/start launcher/jobs sampler",
    "launcher/show": "inject/core base symbols model analysis report compare contract writers offline launcher/host launcher/start launcher/jobs launcher/record",
    "launcher": "inject/core inject/consumer base symbols model report compare contract writers offline sampler",
    "tests/fake_session": "inject/core",
}
ALLOWED = {room: set(seen.split()) for room, seen in ALLOWED.items()}
# These may see their own subfolders.
OUTER = ("analysis", "writers/chrome", "launcher")
# What a room's tests, and the helpers test_*.h and .cc and testing/ that they share, may include beside that. Tests of the offline
# half may include all of their outer room, too, and what any part of it may include.
ALLOWED_IN_TESTS = {
    "collectors": "tests/fake_session",
    "facts": "model",  # its fuzzer
    "inject/core": "tests/fake_session",
    "base": "model",  # its directories for tests
    "symbols": "model",
    "analysis": "collectors/cuda writers offline",  # the roles that CUDA's collector gives to its calls; whole traces
    "writers": "offline",  # whole traces
    "offline": "writers",  # their judge of traces
}
ALLOWED_IN_TESTS = {room: set(seen.split()) for room, seen in ALLOWED_IN_TESTS.items()}
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
    (re.compile(r'"(NCCL\b|nccl[A-Z])'), ("collectors/",), "a name of NCCL's"),
    (re.compile(r'"[^"]*(pin_memory|DataLoader|non_blocking|empty_cache| \(?(cudaMalloc|cudaEventS|zeMem|zeEvent))'), ("collectors/",), "a vendor's advice"),
    (re.compile(r'\\"ph\\"|\\"traceEvents\\"'), ("writers/chrome/",), "the text of a trace event"),
]
# Of a collector's folder, but linked into the launcher only, as is all in its folder facts/. It may see that folder, too: what calls do is
# told there.
FACTS = ("/source_facts.cc", "/wait_rules.cc")
# Libraries that never enter a traced process.
OUTSIDE = re.compile(r"^(spdlog/|fmt/|nlohmann/|CLI/|isa-l|igzip|zlib\.h)")
TEST = re.compile(r"_(test|fuzzer|bench)\.cc$|/test_\w+\.(cc|h)$|/testing(/|\.h$)")
ROOMS = {room.split("/")[0] for room in ALLOWED} | {"collectors", "tests"}
DRAWN = ("symbols", "model", "analysis", "report", "compare", "contract", "writers", "offline", "sampler", "launcher")
BEGIN, END = "<!-- scripts/check_layers.py --draw -->", "<!-- end of the picture -->"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room_of(path):
    """The innermost folder that has a row in ALLOWED."""
    parts = path.split("/")[:-1]
    if parts[:1] == ["collectors"]:
        return "facts" if path.endswith(FACTS) or parts[2:3] == ["facts"] else "/".join(parts[:2])
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in ALLOWED:
            return "/".join(parts[:length])
    return parts[0] if parts else ""


def within(room, rooms):
    return any(room == outer or room.startswith(outer + "/") for outer in rooms)


def allowed(room, target, test):
    if target == room or (room in OUTER and within(target, (room,))):
        return True
    kind = "collectors" if room.startswith("collectors/") else room
    outer = room.split("/")[0]
    if test and within(target, ALLOWED_IN_TESTS.get(kind, ALLOWED_IN_TESTS.get(outer, ()))):
        return True
    if test and outer in DRAWN:
        return within(target, {outer}.union(*(seen for part, seen in ALLOWED.items() if within(part, (outer,)))))
    if kind not in ALLOWED:
        return room.split("/")[0] not in ROOMS or room.startswith("tests")  # tests and the like may see everything
    return within(target, ALLOWED[kind])


def arrows(root):
    """Of the offline half: room -> rooms that it really includes, without what follows from others."""
    seen = {}
    for path in checklib.files(root, checklib.CODE):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] not in DRAWN or TEST.search(name):
            continue
        for line in checklib.text(path).splitlines():
            match = INCLUDE.match(line)
            if match and match.group(1) == '"' and match.group(2).split("/")[0] in DRAWN:
                room, target = room_of(name), room_of(match.group(2))
                seen.setdefault(room, set())
                if target not in ("base", room):
                    seen[room].add(target)
    reached = {}

    def reach(room):
        if room not in reached:
            reached[room] = set()
            for target in seen.get(room, ()):
                reached[room] |= {target} | reach(target)
        return reached[room]

    return {room: {target for target in targets
                   if not any(target in reach(other) for other in targets - {target})}
            for room, targets in seen.items()}


def draw(root):
    """The arrows as a picture in Mermaid's words."""
    lines = [BEGIN, "```mermaid", "graph LR"]
    found = arrows(root)
    for room in sorted(found):
        lines += [f"  {room.replace('/', '_')}[{room}] --> {target.replace('/', '_')}[{target}]" for target in sorted(found[room])]
    return "\n".join([*lines, "```", END])


def check_picture(root):
    """docs/design.md holds what `--draw` prints."""
    page = root / "docs" / "design.md"
    if not page.exists() or draw(root) in checklib.text(page):
        return []
    return ["docs/design.md: the picture of the rooms is not what scripts/check_layers.py --draw prints: put that between its two marks"]


def check(root, arguments):
    if getattr(arguments, "draw", False):
        print(draw(root))
        sys.exit(0)
    problems = check_picture(root)
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
            if match.group(1) == '"' and target.split("/")[0] in ROOMS and not allowed(
                    room, room_of(target), test) and not (room == "facts" and room_of(target) == "/".join(name.split("/")[:2])):
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
        "collectors/cuda/source_facts.cc": '#include "model/devices/source_facts.h"\n#include "collectors/cuda/facts/f.h"\n',
        "collectors/cuda/facts/f.h": '#include "model/devices/device_peaks.h"\n#include "collectors/cuda/calls.h"\n',
        "writers/chrome/c.cc": 'out->append("{\\"ph\\": ");\n',
        "launcher/commands/l.cc": '#include "writers/files/w.h"\n#include "launcher/show/s.h"\n#include <CLI/CLI.hpp>\n#include "inject/core/options.h"\n',
        "model/run/r_test.cc": '#include "model/testing/t.h"\n#include "model/spool/s.h"\n',
        "model/testing/t.h": '#include "inject/core/a.h"\n',
        "offline/o.cc": '#include "analysis/waits/w.h"\n#include "writers/chrome/c.h"\n#include "analysis/a.h"\n',
        "analysis/a.cc": '#include "analysis/prices/p.h"\n',
        "writers/chrome/c_test.cc": '#include "offline/o.h"\n',
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
        "collectors/cuda/z.cc": '#include "model/devices/source_facts.h"',
        "base/x.cc": '#include "model/run/r.h"',
        "symbols/x.cc": '#include "model/spool/s.h"',
        "model/spool/x.cc": '#include "model/run/r.h"',
        "model/findings/x_test.cc": '#include "report/r.h"',
        "analysis/waits/x.cc": '#include "analysis/prices/p.h"',
        "analysis/sums/x.cc": '#include "analysis/rank_analysis.h"',
        "report/x.cc": '#include "analysis/waits/w.h"',
        "writers/findings/x.cc": '#include "report/r.h"',
        "writers/chrome/text/x.cc": '#include "writers/chrome/c.h"',
        "launcher/host/x.cc": '#include "launcher/show/s.h"',
        "launcher/record/x.cc": '#include "launcher/commands/l.h"',
        "offline/y.cc": '#include "report/r.h"',
        "analysis/y.cc": 'if (name == "cudaMemcpyAsync") return;',
        "analysis/collectives/y.cc": 'if (domain == "NCCL") return;',
        "report/y.cc": 'advice = "pin the buffer (pin_memory=True)";',
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
    checklib.main(__doc__, check, self_test,
                  lambda parser: parser.add_argument("--draw", action="store_true", help="print the picture of docs/design.md"))
