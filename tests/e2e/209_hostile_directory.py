# SPDX-License-Identifier: Apache-2.0
"""A run's directory that somebody else prepared: no command waits for a pipe, takes or removes what is outside, or lets a name
control the terminal."""

import glob
import os
import shutil
import unicodedata

import kills

MODES = ("launcher",)
EVIL = "a\x1b[31m\x07\u2028\u202e\x9b31mb".encode() + b"\x9b\xff"  # ESC, BEL, line and direction, CSI of 8 bits twice
# view writes what is left first: rank 0 would be served then, without end.
COMMANDS = (["view", "--no-open", "--rank", "99"], ["report", "--no-files"], ["findings"], ["ncu"], ["recover"])


def test(t):
    original = kills.crashed(t)
    pipes(t, original)
    notes(t, original)
    links(t, original)
    names(t, original)


def ends(t, *command):
    """The command ends by itself, and says nothing that controls a terminal."""
    result = t.run([t.syncline, *command], timeout=30)
    t.check(result.status is not None, f"{command}: {result}")
    harmful = [c for c in (result.out + result.err).decode(errors="surrogateescape")
               if c != "\n" and (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in "\u202a\u202b\u202c\u202d\u202e")]
    t.equal(harmful, [], f"{command}: {result}")
    return result


def folder_of(directory):
    [folder] = glob.glob(os.path.join(directory, "run", "spool", "*"))
    return folder


def copy(t, original, name):
    directory = t.path(name)
    shutil.copytree(original, directory, symlinks=True)
    return directory


def pipes(t, original):
    directory = copy(t, original, "pipes")
    node = folder_of(directory)
    for name in ("run/job.json", "run/rank-0.json", "run/rank-0.findings", "run/base-time", "rank-0.trace.json.gz", "rank-1.trace.json.gz",
                 "run/rank-1.json", f"{node}/1-1-0.spool", f"{node}/local-folder-1", f"{node}/launcher-1.lock"):
        path = os.path.join(directory, name)
        if os.path.exists(path):
            os.unlink(path)
        os.mkfifo(path)
    for command in COMMANDS:
        ends(t, command[0], directory, *command[1:])


def notes(t, original):
    directory = copy(t, original, "notes")
    node = folder_of(directory)
    other = folder_of(copy(t, original, "other"))
    precious = t.path("empty")
    os.mkdir(precious)
    spools = sorted(os.listdir(other))
    for number, target in enumerate((node, other, precious, directory)):
        for text in (f"{target}\n", f"{target}\n{'0' * 32}\n"):
            with open(f"{node}/local-folder-{number}{len(text)}", "w", encoding="utf-8") as file:
                file.write(text)
    result = ends(t, "recover", directory)
    t.said(result, "does not carry its mark")
    t.equal(sorted(os.listdir(other)), spools, "what is left of the other run")
    t.check(os.path.isdir(precious), "an empty directory elsewhere is gone")
    t.check(os.path.exists(f"{directory}/rank-0.trace.json.gz"), f"its own records: {result}")


def links(t, original):
    directory = copy(t, original, "links")
    other = folder_of(copy(t, original, "linked"))
    spools = sorted(os.listdir(other))
    os.symlink(other, os.path.join(directory, "run", "spool", "elsewhere"))
    ends(t, "recover", directory)
    t.equal(sorted(os.listdir(other)), spools, "what is left of the linked run")
    whole = t.path("whole")
    os.makedirs(f"{whole}/run")
    os.mkdir(f"{os.path.dirname(other)}/empty")
    os.symlink(os.path.dirname(other), f"{whole}/run/spool")
    ends(t, "recover", whole)
    t.equal(sorted(os.listdir(other)), spools, "what is left of a run of which all spools are linked")
    t.check(os.path.isdir(f"{os.path.dirname(other)}/empty"), "an empty directory of the linked run is gone")
    outside = t.path("outside")
    os.mkdir(outside)
    os.symlink(outside, f"{directory}/report")
    result = ends(t, "report", directory)
    t.said(result, "it is a link")
    t.equal(os.listdir(outside), [], "files outside of the run")


def names(t, original):
    top = os.fsencode(t.path("names"))
    directory = top + b"/" + EVIL
    os.mkdir(top)
    for command in COMMANDS:
        ends(t, command[0], directory, *command[1:])
    shutil.copytree(os.fsencode(original), directory, symlinks=True)
    node = os.fsencode(folder_of(os.fsdecode(directory)))
    os.mkdir(os.path.join(os.path.dirname(node), EVIL))
    for number, text in enumerate((b"/" + EVIL + b"\nx\n", b"/tmp\n" + EVIL + b"\n")):
        with open(node + b"/local-folder-%d" % number, "wb") as file:
            file.write(text)
    with open(node + b"/" + EVIL + b".spool", "wb") as file:
        file.write(EVIL * 100)
    with open(directory + b"/run/rank-7" + EVIL + b".findings", "wb") as file:
        file.write(EVIL)
    for command in (*COMMANDS[1:], ["view", "--no-open", "--rank", "9"]):
        ends(t, command[0], directory, *command[1:])
