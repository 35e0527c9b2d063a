# SPDX-License-Identifier: Apache-2.0
"""ulimit -f, -v and -n 16 on the program, and on launcher and program: it runs as ever, and each
loss is counted."""

import os
import shutil
import sys

from syncline_test import ROOT

LABELS = ("fault",)
EMITTED = 100000


def test(t):
    victim = t.victim("fast")
    for limit in ("ulimit -f 2048", "ulimit -v 300000", "ulimit -n 16"):
        program = ["bash", "-c", f"{limit}; exec {victim} {EMITTED // 2} 2"]
        result = t.record(program)
        t.equal((result.out, result.ending), (b"done\n", "status 0"), limit)
        lost = result.losses()
        t.equal(
            len(result.trace().ranges()) + sum(lost.values()),
            EMITTED,
            f"{limit}: recorded + lost {lost}",
        )
    few_descriptors = t.record([t.victim("few_descriptors")], complete=False)
    t.equal((few_descriptors.out, few_descriptors.ending), (b"done\n", "status 0"), str(few_descriptors))
    t.said(few_descriptors, "cannot write records (ulimit -n is too small)")
    t.check("--output" not in str(few_descriptors.said), str(few_descriptors.said))
    for limit in ("ulimit -f 64", "ulimit -v 2000000", "ulimit -n 16"):
        directory = t.new_directory()
        inner = " ".join(t.launch([victim, str(EMITTED // 2), "2"], directory=directory))
        result = t.record_command(
            ["bash", "-c", f"{limit}; exec {inner}"], directory, complete="-f" not in limit
        )
        t.equal((result.out, result.ending), (b"done\n", "status 0"), f"outer {limit}")
        if "-f" in limit:
            t.said(result, "syncline")
    # What we say of it goes to a file that may not grow, or to a pipe that nobody reads: no signal of that is the program's.
    for silent in (f"2>{t.path('stderr')}) | cat", "2>&1 >/dev/null) | true"):
        script = f"(sleep 0.2; ulimit -f 0; exec {victim} 5 1 {silent}"
        result = t.record(["bash", "-o", "pipefail", "-c", script], complete=False)
        t.equal(result.ending, "status 0", f"{script}: {result}")
    forked_later(t)


def forked_later(t):
    """The limit comes while the program runs: its child has no room, and the line is the child's."""
    site = t.path("site")
    shutil.copytree(os.path.join(ROOT, "packaging", "wheel"), os.path.join(site, "syncline"))
    code = """import os, resource, syncline
with syncline.region("before"): pass
with open("/proc/self/statm") as file: pages = int(file.read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + 500000,) * 2)
with syncline.region("after"): pass
child = os.fork()
if child == 0:
    with syncline.region("child"): pass
    os._exit(0)
os.waitpid(child, 0)
print(child)
"""
    result = t.record([sys.executable, "-c", code], env={"PYTHONPATH": site})
    t.equal(result.ending, "status 0", str(result))
    t.equal([one.name for one in result.trace().ranges()], ["before", "after"], str(result))
    t.said(result, f"process {int(result.out)}, a fork's child, is not recorded")
