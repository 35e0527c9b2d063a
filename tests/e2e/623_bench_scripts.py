# SPDX-License-Identifier: Apache-2.0
"""`syncline bench-script` writes a Python file for each function with a signature. Each runs as it is, or says what must be filled in, and
runs when that is done; under `syncline --` it is recorded. Damaged files of signatures are errors."""

import json
import os
import re

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
TIMEOUT = 300
MODES = ("launcher",)
PROGRAM = os.path.join(ROOT, "tests", "python_programs", "signed_calls.py")
CHOSEN = ["--signatures", "--python-ranges", "__main__.*do_*"]
TO_FILL_IN = {"Engine.do_step": ('"self": lambda: sys.modules["benched"].Engine()', "self: Engine")}
INNER = "do_closure.<locals>.<lambda>"


def test(t):
    for version, python in interpreters.found(t):
        if version in ("3.8", "3.13"):
            recording = t.record([python, PROGRAM, t.path("truth")], CHOSEN)
            scripts(t, [python], recording, TO_FILL_IN, fails=("do_fail",))
            errors(t, recording)


def scripts(t, python, recording, to_fill_in, env=None, fails=(), most=99):
    """Of all functions with signatures, of each signature."""
    with open(os.path.join(recording.directory, "report", "io_signature.json")) as file:
        functions = json.load(file)["functions"]
    recorded = False
    for one in functions:
        name = one["name"].removeprefix("__main__.")
        for number in range(1, min(len(one["signatures"]), most) + 1):
            script = write(t, recording, one["name"], number)
            done = t.run([*python, script], env=env)
            if name == INNER:
                t.check(b"is made inside of another function" in done.err and done.status == 1, done)
            elif name == "do_lack":  # a text that was cut, and a class of the program's
                t.check(b"fill in, in BY_HAND: value: " in done.err and b"other" not in done.err and done.status == 1, done)
            elif name in to_fill_in:
                filling, said = to_fill_in[name]
                t.check(f"fill in, in BY_HAND: {said}" in done.err.decode() and done.status == 1, done)
                text = open(script).read()
                with open(script, "w") as file:
                    file.write(text.replace("BY_HAND = {}", "BY_HAND = {" + filling + "}"))
                judge(t, t.run([*python, script], env=env), one["name"])
            elif name in fails:  # as it did in the program
                t.check(b"ValueError" in done.err and done.status == 1, done)
            else:
                judge(t, done, one["name"])
                if not recorded:
                    record(t, [*python, script], env)
                    recorded = True
    t.check(recorded, "no script ran as it is")


def write(t, recording, name, number):
    path = t.path(f"bench-{len(os.listdir(t.directory))}.py")
    done = t.run([t.syncline, "bench-script", recording.directory, "--stage", name, "--signature", str(number), "-o", path])
    t.equal(done.status, 0, done)
    return path


def judge(t, done, name):
    t.equal(done.status, 0, done)
    t.check(re.match(re.escape(name) + r": 20 calls, median [\d.]+ ms, mean [\d.]+ ms, [\d.]+ to [\d.]+ ms$", done.out.decode().strip()), done)


def record(t, command, env):
    """As its own text says: one call, and nothing else."""
    trace = t.record(command, ["--python-ranges", "__main__.once"], env).trace()
    t.equal(len(trace.ranges(name="__main__.once")), 23, "warm-up and calls")
    one = t.record(command, ["--python-ranges", "__main__.once", "--step-range", "__main__.once", "--steps", "3:4"], env).trace()
    t.equal(len(one.ranges(name="__main__.once")), 1, "one step")


def errors(t, recording):
    path = os.path.join(recording.directory, "report", "io_signature.json")
    good = open(path).read()
    bench = [t.syncline, "bench-script", recording.directory, "--stage", "__main__.do_scale", "-o", t.path("never.py")]
    says(t, bench[:4] + ["__main__.do_scales", *bench[5:]], "did you mean __main__.do_scale?")
    says(t, bench[:4] + ["*do_*", *bench[5:]], "several functions")
    says(t, [*bench, "--signature", "99"], "has no signature 99")
    says(t, [*bench[:-1], "/nowhere/at/all.py"], "cannot write")
    says(t, [*bench[:-1], "/dev/full"], "/dev/full is a pipe or a device")
    says(t, bench[:3], "say which function: --stage NAME. There are: ")
    edited = write(t, recording, "__main__.do_scale", 1)
    t.equal(t.run([*bench[:-1], edited]).status, 0, "nothing to lose")
    with open(edited, "a") as file:
        file.write("# mine\n")
    says(t, [*bench[:-1], edited], "is there already, maybe with changes of yours")
    for bad in ("", "{", "[]", '{"schema": "syncline.report/1"}', good.replace('"functions"', '"other"')):
        write_text(path, bad)
        says(t, bench, "it is no file of signatures")
    deep = good.replace('"inputs": [', '"inputs": [' + '{"name": "a", "value": ' + '{"list": [' * 30000 + "]}" * 30000 + "},", 1)
    write_text(path, deep)
    says(t, bench, "nested too deep")
    for damaged in (good.replace('"inputs"', '"other"'), re.sub(r'"value": [^\n]*', '"value": {"tensor": 3},', good), good.replace('"name": "', '"name": "\\\\\\"\\n')):
        write_text(path, damaged)
        done = t.run(bench)
        t.check(done.status in (0, 125) and not done.signal, done)
        if done.status == 0:
            compile(open(t.path("never.py")).read(), "never.py", "exec")
    os.unlink(path)
    says(t, bench, "Record the run with")
    write_text(path, good)


def write_text(path, text):
    with open(path, "w") as file:
        file.write(text)


def says(t, command, words):
    done = t.run(command)
    t.equal(done.status, 125, done)
    t.check(words in done.err.decode(), done)
