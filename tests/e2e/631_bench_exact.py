# SPDX-License-Identifier: Apache-2.0
"""The scripts of `syncline bench-script` run what was recorded: the program's arguments byte by byte, texts, named tuples, enumerations, dtypes,
devices, gradients, as the program prints them itself. What is not known is named, never made up in silence."""

import json
import os

import forked

LABELS = ("torch", "gpu")
TIMEOUT = 300
MODES = ("launcher",)
ARGUMENTS = ["--prompt", "a red 'cat'", "", "quo\"ted", "back\\slash $HOME `x`", "two\nlines\t", os.fsdecode(b"\xff\xfe bytes"), "\u00e9\U0001f600", "\x7f", ""]
LONG = "a text that is longer than what is recorded of it"
NAMED = {"do_long_text": f"prompt: {LONG}", "do_huge_text": "prompt: str", "do_no_text": "prompt: str", "do_tokens": "tokens: Tokens",
         "do_name": "name: Named", "do_table": "entries: a dict of 20 entries", "do_many": "last: it was not recorded",
         "do_full": "second: it was not recorded"}


def test(t):
    env = t.torch_environment({"SIMGPU_DEVICES": "1"})
    program = [*t.torch_program("odd_inputs"), *ARGUMENTS]
    recording = t.record(program, ["--signatures", "--python-ranges", "__main__.do_*"], env, timeout=120)
    true = [line for line in got(recording.out) if line[0] != "do_text" or line[2]]
    t.equal(true[0][1], ARGUMENTS, "the program's arguments")
    functions = {name: line for line in reversed(true) for name in [line[0]]}
    t.check(len(functions) > 12, f"{sorted(functions)}")
    python = program[:3]
    scripts = [script(t, recording, name, 1) for name in functions]
    for (name, line), done in zip(functions.items(), forked.run(t, python, scripts, env)):
        if name in NAMED:
            said = "fill in, in BY_HAND: "
            t.check(said in done.err.decode() and NAMED[name] in done.err.decode() and done.status == 1, f"{name}: {done}")
        else:
            t.equal((done.status, got(done.out)), (0, [line] * 23), f"{name}: {done}")
            t.check(b"fill in" not in done.err, f"{name}: {done}")
    signatures = {one["name"]: one["signatures"] for one in read(recording)["functions"]}
    t.equal([one.get("gradients") for one in signatures["__main__.do_text"]], [True, False], "a form for each")
    unknown(t, recording, python, env)
    cut(t, python, program[3], env)
    command = t.run([t.syncline, "run", "--python-ranges", "(x)", "--", "true"])
    t.check(command.status == 125 and b"is right" not in command.err and b"at character 1. Write" in command.err, f"{command}")


def got(out):
    return [json.loads(line[4:]) for line in out.decode().splitlines() if line.startswith("GOT ")]


def read(recording):
    with open(os.path.join(recording.directory, "report", "io_signature.json")) as file:
        return json.load(file)


def script(t, recording, name, number):
    path = t.path(f"bench-{len(os.listdir(t.directory))}.py")
    done = t.run([t.syncline, "bench-script", recording.directory, "--stage", f"__main__.{name}", "--signature", str(number), "-o", path])
    t.equal(done.status, 0, f"{name}: {done}")
    return path


def bench(t, recording, python, name, number, env):
    path = script(t, recording, name, number)
    return t.past_exit_race(lambda: t.run([*python, path], env=env, timeout=100), env)


def unknown(t, recording, python, env):
    """Where nobody knew whether gradients are kept, the script says so."""
    told = read(recording)
    for function in told["functions"]:
        for one in function["signatures"]:
            del one["gradients"]
    with open(os.path.join(recording.directory, "report", "io_signature.json"), "w") as file:
        json.dump(told, file)
    done = bench(t, recording, python, "do_train", 1, env)
    t.check(b"fill in: GRADIENTS" in done.err and done.status == 0, f"{done}")


def cut(t, python, program, env):
    """A command line that is longer than its room."""
    recording = t.record([*python, program, "x" * 5000], ["--signatures", "--python-ranges", "__main__.do_pair"], env, timeout=120)
    done = bench(t, recording, python, "do_pair", 1, env)
    t.check(b"fill in: ARGUMENTS" in done.err and done.status == 1, f"{done}")
    done = t.run([t.syncline, "ncu", recording.directory])
    t.check(done.status == 125 and b"longer than what is recorded" in done.out, f"{done}")
