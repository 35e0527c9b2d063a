# SPDX-License-Identifier: Apache-2.0
"""--config: options of a file; the line wins over variables, these over the file, the file over defaults. Mistakes are errors with their line."""

import json
import os
from collections import Counter

from syncline_test import ROOT

NAMES = ["load", "denoise", "vae_decode"]


def write(t, name, text):
    with open(t.path(name), "w") as file:
        file.write(text)
    return t.path(name)


def recorded(t, options, env=None, **how):
    trace = t.record([t.victim("stages"), "loop"], options, env, **how).trace()
    return {name for name in trace.names() if name in NAMES}


def test(t):
    good = write(t, "good.toml", '# what matters\nstages = ["load", "denoise"]\nmemory_process = 64M\n')
    t.equal(recorded(t, ["--config", good]), {"load", "denoise"}, "of the file")
    t.equal(recorded(t, [], {"SYNCLINE_CONFIG": good}), {"load", "denoise"}, "by the variable")
    t.equal(recorded(t, ["--config", good], {"SYNCLINE_STAGES": "vae_decode"}), {"vae_decode"}, "a variable wins")
    t.equal(recorded(t, ["--config", good, "--stages", "denoise"], {"SYNCLINE_STAGES": "vae_decode"}), {"denoise"}, "the line wins")
    t.equal(recorded(t, []), set(NAMES), "without")
    options = options_in_force(t, good)
    t.equal((options["memory.process"], options["stages"], options["memory.ring"]), ("64M", "load,denoise", "16M"), "in force")
    of_directory(t)
    of_the_page(t)
    mistakes(t)


def options_in_force(t, good):
    recording = t.record([t.victim("stages"), "loop"], ["--config", good])
    with open(os.path.join(recording.directory, "run", "job.json")) as file:
        return json.load(file)["options"]


def of_directory(t):
    """./syncline.toml only if it is asked for."""
    here = t.path("project")
    os.makedirs(here)
    with open(os.path.join(here, "syncline.toml"), "w") as file:
        file.write('stages = "load"\n')
    for options, wanted in (([], set(NAMES)), (["--config", "auto"], {"load"})):
        directory = t.new_directory()
        done = t.run([t.syncline, "-o", directory, *options, "--", t.victim("stages"), "loop"], cwd=here)
        trace = t.finish(done, directory).trace()
        t.equal({name for name in trace.names() if name in NAMES}, wanted, f"{options}")
    t.equal(recorded(t, ["--config", "auto"]), set(NAMES), "auto where there is none")


def of_the_page(t):
    """The example of docs/stages.md."""
    with open(os.path.join(ROOT, "docs", "stages.md")) as file:
        lines = file.read().split("in the syntax of TOML:\n\n", 1)[1].split("\n\n", 1)[0].splitlines()
    path = write(t, "page.toml", "\n".join(line.removeprefix("    ") for line in lines))
    t.equal(recorded(t, ["--config", path, "--no-quiet"]), {"denoise", "vae_decode"}, f"{lines}")


def mistakes(t):
    table = [
        ('stages = "x"\nstagse = "y"\n', ":2: there is no option stagse: did you mean stages?"),
        ("\n[run]\n", ":2: there are no tables in this file"),
        ('gate = "sometimes"', ":1: the value sometimes of gate is not valid: it must be one of"),
        ("memory-process = 1K", ":1: the value 1K of memory-process is not valid: it must be at least 548K."),
        ('quiet = "perhaps"', ":1: the value perhaps of quiet is not valid: it must be 0 or 1."),
        ("stages = denoise", ":1: `denoise` needs quotes"),
        ('config = "other.toml"', ":1: a file of options names no other one."),
        ('stages = "x', ":1: a text in quotes does not end on its line."),
        ("stages", ":1: `stages` has no value: write stages = ..."),
        ('collect = "nvtx,coda"', ":1: "),
    ]
    for text, said in table:
        path = write(t, "bad.toml", text)
        done = t.run([t.syncline, "--config", path, "--", "true"])
        t.check(done.status == 125 and done.err.decode().startswith(f"syncline: {path}{said}"), f"{text!r}: {done}")
        t.equal(done.err.count(b"\n"), 1, f"{text!r}: {done}")
    with open(t.path("bytes.toml"), "wb") as file:
        file.write(bytes(range(256)) * 64)
    for path, said in ((t.path("bytes.toml"), b"no text"), (t.path("gone.toml"), b"No such file"), (t.directory, b"directory")):
        done = t.run([t.syncline, "--config", path, "--", "true"])
        t.check(done.status == 125 and said in done.err, f"{path}: {done}")
    t.equal(Counter(t.run([t.syncline, "help"]).out.decode().count(word) > 0 for word in ("--config", "--preset")), Counter({True: 2}), "help")
