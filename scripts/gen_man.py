#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the man page syncline(1) from what the built command says of itself: gen_man.py SYNCLINE OUT."""

import json
import pathlib
import re
import subprocess
import sys

GROUPS = {"what": "What is recorded", "where": "Where it goes", "limits": "Limits", "control": "Control"}
VALUES = {"flag": "", "text": "TEXT", "bytes": "SIZE", "int": "N", "seconds": "TIME"}


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def commands(help_text):
    """(synopsis, summary) of each command, from the block under "Commands:", where long rows are wrapped."""
    block = re.search(r"^Commands:\n((?:  .*\n)+)", help_text, re.M).group(1)
    rows = []
    for line in block.splitlines():
        if not line.startswith("   "):
            match = re.match(r"  (.+?)(?:\s{2,}(\S.*))?$", line)
            rows.append([match.group(1), match.group(2) or ""])
        else:
            rows[-1][1] = (rows[-1][1] + " " + line.strip()).strip()
    return rows


def page(program):
    version = said(program, "--version").split()[1]
    lines = [
        f'.TH SYNCLINE 1 "" "syncline {version}" "User commands"',
        ".SH NAME", r"syncline \- record any command into a timeline per rank",
        ".SH SYNOPSIS", ".B syncline", r"[run] [options] [\-\-] program [arguments]",
        ".SH DESCRIPTION",
        "Runs a program unmodified and records its NVTX ranges, and the life of the processes of each rank, into one Chrome",
        "trace per rank, which loads in Perfetto, chrome://tracing and Holistic Trace Analysis.",
        ".SH COMMANDS",
    ]
    for synopsis, summary in commands(said(program, "help")):
        lines += [".TP", f".B {roff(synopsis)}", roff(summary)]
    lines.append(".SH OPTIONS")
    options = json.loads(said(program, "options", "--json"))["options"]
    for group, title in GROUPS.items():
        lines.append(f".SS {title}")
        for row in options:
            if row["group"] != group:
                continue
            lines += [".TP", f".BR {roff(row['flag'])} \" \" \"{VALUES.get(row['type'], '')}\"", roff(row["help"])]
            default = f", default {row['default']}" if row["default"] else ""
            lines.append(roff(f"({row['variable']}{default})"))
    lines += [
        ".SH EXIT STATUS",
        "The program's; a death by signal is repeated. 125: Syncline failed; 126: the program is not executable; 127: not found.",
        ".SH FILES",
        ".TP", r".I syncline\-out/NAME\-JOB/rank\-N.trace.json.gz", "The traces; see the documentation for the rest of the run.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: gen_man.py SYNCLINE OUT")
    pathlib.Path(sys.argv[2]).write_text(page(sys.argv[1]), encoding="utf-8")
