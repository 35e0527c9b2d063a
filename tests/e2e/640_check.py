# SPDX-License-Identifier: Apache-2.0
"""`syncline check` of a training on the simulated GPU: the good one passes again and again; with one `.item()` more it fails with file and
line, in each format; a line that moved is no new one; what makes no sense, is misspelt, or is not known, is no pass, and no empty document."""

import json
import os
import xml.etree.ElementTree

import contracts
from syncline_test import ROOT

LABELS = ("gpu", "torch")
MODES = ("launcher",)
TIMEOUT = 300
OURS = 125


def test(t):
    t.simulated_only("the contract knows what the simulated kernels are")
    base = contracts.record(t, "good")
    bad = contracts.record(t, "item")
    passes(t, base)
    fails(t, bad, base)
    formats(t, bad)
    moved(t, base)
    nonsense(t, base, bad)
    unknown(t, base)
    documented(t)


def passes(t, base):
    for _ in range(2):
        done = contracts.check(t, contracts.record(t, "good"), "--file", contracts.contract(t), "--base", base)
        t.equal(done.status, 0, str(done))
        t.check(b"5 of 5 hold" in done.out, str(done))


def fails(t, bad, base):
    line = contracts.line_of("item")
    for expression in ("waits_per_step <= 0", "no new wait since BASE", f"no new wait since '{base}'"):
        done = contracts.check(t, bad, "--that", expression, "--base", base)
        t.equal(done.status, 1, str(done))
        t.check(f"contract.py:{line} watch(): return loss.item()" in done.out.decode(), f"{expression}: {done}")
    for expression, status in ((f"waits_per_step at 'contract.py:{line}' <= 1", 0), (f"waits_per_step at 'contract.py:{line}' < 1", 1),
                               ("waits_per_step at 'watch()' <= 0", 1), ("waits_per_step at 'contract.py:1' <= 0", 0),
                               ("waits_per_step <= 1.05 x BASE", 1), ("steps == 11", 0)):
        done = contracts.check(t, bad, "--that", expression, "--base", base)
        t.equal(done.status, status, f"{expression}: {done}")
    last = t.run([t.syncline, "check", "--that", "waits_per_step <= 0"], env={"SYNCLINE_OUTPUT": bad})
    t.equal(last.status, 1, f"the last run: {last}")


def formats(t, bad):
    line, expressions = contracts.line_of("item"), ["--that", "waits_per_step <= 0", "--that", "kernels_per_step > 0"]
    github = contracts.check(t, bad, *expressions, "--format", "github")
    t.equal(github.status, 1, str(github))
    command = github.out.decode().splitlines()[0]
    t.check(command.startswith("::error file=") and f"contract.py,line={line},title=syncline%3A waits_per_step <= 0::1 waits per step" in command, command)
    junit = contracts.check(t, bad, *expressions, "--format", "junit")
    suite = xml.etree.ElementTree.fromstring(junit.out).find("testsuite")
    t.equal((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("2", "1", "0"), str(junit))
    (failed,) = (case for case in suite if len(case))
    t.equal(failed.get("name"), "waits_per_step <= 0", str(junit))
    t.check(f"contract.py:{line} " in failed.find("failure").text, str(junit))
    told = json.loads(contracts.check(t, bad, *expressions, "--format", "json").out)
    t.equal([(one["expression"], one["outcome"]) for one in told["expressions"]],
            [("waits_per_step <= 0", "broken"), ("kernels_per_step > 0", "holds")], str(told))
    (place,) = told["expressions"][0]["lines"]
    t.equal((place["line"], place["function"], place["statement"], place["per_step"]), (line, "watch()", "return loss.item()", 1.0), str(told))


def moved(t, base):
    """The same program with lines before the others: of another file's name none is the same, of the same name all are."""
    with open(os.path.join(ROOT, contracts.PROGRAM)) as file:
        text = file.read()
    directory = t.path("moved")
    os.makedirs(directory)
    runs = []
    for lines in (0, 7):
        with open(os.path.join(directory, "contract.py"), "w") as file:
            file.write(text.replace("CASE = ", "\n" * lines + "CASE = ", 1))
        runs.append(contracts.record(t, "item", os.path.join(directory, "contract.py")))
    done = contracts.check(t, runs[1], "--that", "no new wait since BASE", "--base", runs[0])
    t.equal(done.status, 0, str(done))
    done = contracts.check(t, runs[1], "--that", "no new wait since BASE", "--base", base)
    t.equal(done.status, 1, str(done))


def nonsense(t, base, bad):
    for expression, words, marked in (
        ("wait_per_step <= 2", "did you mean `waits_per_step`?", "^~~~~~~~~~~~~"),
        ("step <= 3", "a unit has to stand here: ns, us, ms, s, min or h", "         ^"),
        ("waits_per_step at 'x <= 2", "the quote has no end", "                  ^~~~"),
        ("no wait since BASE", "`new` has to stand here", "     ^~~~"),
    ):
        done = contracts.check(t, bad, "--that", expression, "--that", "steps > 0")
        t.equal((done.status, done.out), (OURS, b""), str(done))
        t.check(words in done.err.decode() and marked in done.err.decode(), f"{expression}: {done}")
    documents(t, bad)
    for options in (["--that", "step <= 2 x BASE"], [], ["--that", "steps > 0", "--format", "xml"], ["--file", "/nowhere"],
                    ["--that", "steps > '/nowhere'"]):
        t.equal(contracts.check(t, base, *options).status, OURS, str(options))
    t.equal(t.run([t.syncline, "check", "/nowhere", "--that", "steps > 0"]).status, OURS, "no such run")


def documents(t, bad):
    """Who reads one would take an empty one for no tests."""
    for run, expression, why in ((bad, "wait_per_step <= 2", "did you mean `waits_per_step`?"), ("/nowhere", "steps < 9", "could not be read")):
        line = [t.syncline, "check", run, "--that", expression, "--that", "steps > 0", "--format"]
        junit, told, github = (t.run([*line, form]) for form in ("junit", "json", "github"))
        t.equal((junit.status, told.status, github.status), (OURS,) * 3, f"{junit}{told}{github}")
        suite = xml.etree.ElementTree.fromstring(junit.out).find("testsuite")
        t.equal((suite.get("tests"), suite.get("errors")), ("2", "2"), str(junit))
        t.check(why in suite.find("testcase/error").get("message"), str(junit))
        t.check(why in json.loads(told.out)["expressions"][0]["why"], str(told))
        t.check(github.out.decode().startswith(f"::error title=syncline%3A {expression}::not known: ") and why in github.out.decode(), str(github))


def unknown(t, base):
    """Times of a simulated GPU, stages that are not there, ranks that are one, steps that are few."""
    for expression, why in (("step <= 1 h", "simulated GPU"), ("gpu_busy >= 0 %", "simulated GPU"), ("peak_memory < 1 TiB", "simulated GPU"),
                            ("waits_per_step in 'forwrad' <= 9", "the run has no stage `forwrad`")):
        done = contracts.check(t, base, "--that", expression, "--that", "steps > 0")
        t.equal(done.status, OURS, str(done))
        t.check(why in done.out.decode() and "1 of 2 hold, 1 not known" in done.out.decode(), f"{expression}: {done}")
    done = t.run([t.syncline, "check", base, "--that", "waits_per_step at 'contrcat.py:9' <= 0"], cwd=t.directory)
    t.equal(done.status, OURS, str(done))
    t.check(b"have a file `contrcat.py`: did you mean `contract.py:9`?" in done.out, str(done))
    env = t.torch_environment()
    few = t.past_exit_race(lambda: t.record([*t.torch_program("contract"), "good", "3"], env=env), env)
    done = contracts.check(t, few.directory, "--that", "waits_per_step <= 9")
    t.equal(done.status, OURS, str(done))
    t.check(b"only 2 steps: at least 3 are needed" in done.out, str(done))
    alone = t.record([t.victim("host_only")])
    done = contracts.check(t, alone.directory, "--that", "waits_per_step <= 9")
    t.equal(done.status, OURS, str(done))


def documented(t):
    with open(os.path.join(ROOT, "docs", "check.md")) as file:
        page = file.read()
    listed = t.run([t.syncline, "check", "--measures"])
    t.equal(listed.status, 0, str(listed))
    names = [line.split()[0] for line in listed.out.decode().splitlines() if line.startswith("  ") and not line.startswith("   ")]
    t.check(len(names) > 20 and all(f"`{name}`" in page for name in names), f"docs/check.md lacks {[name for name in names if f'`{name}`' not in page]}")
