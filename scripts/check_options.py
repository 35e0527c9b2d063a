#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the option table together: rows, docs/options.md, what `syncline options` says, and getenv in one file only.

--fix writes docs/options.md anew.
"""

import json
import pathlib
import re
import subprocess

import checklib

ROW = re.compile(r'^SYNCLINE_(?:OPTION|RANGED)\(([a-z0-9_.]+),\s*(\w+),\s*"((?:[^"\\]|\\.)*)",\s*(?:"(\w*)",\s*"(\w*)",\s*)?(\w+),'
                 r'\s*"((?:[^"\\]|\\.)*)"\)\s*$')
TYPES = {"kFlag": "flag", "kText": "text", "kBytes": "size", "kInt": "number", "kSeconds": "time", "kWord": "word", "kWords": "words"}
GROUPS = {"kWhat": "What is recorded", "kWhere": "Where it goes", "kLimits": "Limits", "kControl": "Control"}
VALUES = {
    "kFlag": re.compile(r"^[01]$"),
    "kText": re.compile(r""),
    "kBytes": re.compile(r"^\d+[KMGT]?$"),
    "kInt": re.compile(r"^-?\d+$"),
    "kSeconds": re.compile(r"^(0|\d+(us|ms|s|m))$"),
    "kWord": re.compile(r"^[a-z]+(\|[a-z][a-z-]*)+$"),
    "kWords": re.compile(r"^[a-z]+(\|[a-z][a-z-]*)+$"),
}
GETENV = re.compile(r"\b(secure_)?getenv\s*\(")
GETENV_HOME = "inject/core/options.cc"


def read_tables(root):
    """Rows of all options.def files as (file, line, name, type, default, least, most, group, help), and problems."""
    rows, problems = [], []
    tables = [root / "inject/core/options.def"] + sorted((root / "collectors").glob("*/options.def"))
    for path in tables:
        if not path.exists():
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(checklib.text(path).splitlines(), 1):
            if not line.strip() or line.startswith("//"):
                continue
            match = ROW.match(line)
            if match:
                rows.append((name, number) + tuple(part or "" for part in match.groups()))
            else:
                problems.append(f"{name}:{number}: not a row: one line, SYNCLINE_OPTION(name, type, \"default\", group, \"help\")")
    return rows, problems


def check_rows(rows):
    problems, seen = [], {}
    for file, number, name, kind, default, least, most, group, help_text in rows:
        where = f"{file}:{number}: {name}"
        if name in seen:
            problems.append(f"{where}: also in {seen[name]}")
        seen[name] = f"{file}:{number}"
        if kind not in TYPES:
            problems.append(f"{where}: unknown type {kind}")
        elif not VALUES[kind].match(default):
            problems.append(f"{where}: the default \"{default}\" is not a {TYPES[kind]}")
        elif not all(VALUES[kind].match(limit) for limit in (least, most) if limit):
            problems.append(f"{where}: a limit is not a {TYPES[kind]}")
        if group not in GROUPS:
            problems.append(f"{where}: unknown group {group}")
        if not help_text or help_text.endswith("."):
            problems.append(f"{where}: help is one sentence without a full stop")
    return problems


def variable(name):
    return "SYNCLINE_" + name.replace(".", "_").upper()


def flag(name):
    return "--" + name.replace(".", "-").replace("_", "-")


def collectors(root):
    """The names of the tree's collectors, by source number: those that --collect takes."""
    found = []
    for path in (root / "collectors").glob("*/CMakeLists.txt"):
        if any(".is_companion = true" in checklib.text(source) for source in path.parent.glob("*_collector.cc")):
            continue
        found += re.findall(r"syncline_add_collector\((\w+) SOURCE (\d+)", checklib.text(path))
    return [name for name, _ in sorted(set(found), key=lambda row: int(row[1]))]


def document(rows, names=()):
    lines = [
        "# Options",
        "",
        "Made from the option tables (`inject/core/options.def`, `collectors/*/options.def`) by",
        "`scripts/check_options.py --fix`; do not edit. Each option is a flag of `syncline` and an environment variable.",
        "The flag wins. `--no-NAME` switches a flag option off. Sizes take K, M, G or T (1024-based). Times need us, ms, s or m.",
        "Where several words are listed, the first is the default. An empty variable counts as one that is not set. If the launcher does not",
        "know a variable, or its value is not of its kind or range, the launcher warns and ignores the variable. Those that Kubernetes sets for a service called `syncline` are passed over without a word. A name of `--collect` or `SYNCLINE_COLLECT` that no",
        "collector has is an error (status 125): the run would lack what the user wanted. Where there is no launcher, the program runs:",
        "the name is ignored, a list of nothing else counts as none, and the process's log in `run/rank-*.json` has a line about it.",
    ]
    for group, title in GROUPS.items():
        chosen = [row for row in rows if row[7] == group]
        if not chosen:
            continue
        lines += ["", f"## {title}", "", "| flag | variable | kind | default | meaning |", "|---|---|---|---|---|"]
        for _, _, name, kind, default, least, most, _, help_text in chosen:
            words = " or ".join(f"`{word}`" for word in default.split("|"))
            shown = words if default else ""
            if name == "collect":
                help_text += f": {', '.join(f'`{word}`' for word in names)}, or `all`, which stands for all of them and is the default"
            help_cell = help_text.replace('\\"', '"').replace("|", "\\|")
            of_kind = TYPES.get(kind, kind) + (f", {least} to {most}" if least and most else f", at least {least}" if least else "")
            lines.append(f"| `{flag(name)}` | `{variable(name)}` | {of_kind} | {shown} | {help_cell} |")
    return "\n".join(lines) + "\n"


def check_getenv(root):
    problems = []
    for path in checklib.files(root, checklib.CODE):
        name = path.relative_to(root).as_posix()
        if name == GETENV_HOME or name.startswith(("tests/", "examples/")) or name.endswith("_test.cc"):
            continue
        for number, line in enumerate(checklib.text(path).splitlines(), 1):
            if GETENV.search(line.split("//")[0]):
                problems.append(f"{name}:{number}: getenv is called in {GETENV_HOME} only; use Environment() or an option")
    return problems


def check_program(rows, program):
    """Does the built program have the rows as the files do?"""
    if not program.exists():
        return []
    said = subprocess.run([str(program), "options", "--json"], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    try:
        has = {row["name"]: row for row in json.loads(said.stdout)["options"]}
    except (ValueError, KeyError):
        return [f"`{program.name} options --json` is no option table: {(said.stderr or said.stdout).strip()[:200]}"]
    problems = []
    for _, _, name, _, default, *_ in rows:
        row = has.pop(name, None)
        if row is None:
            problems.append(f"`{program.name} options` lacks {name}: build again")
        elif (row["variable"], row["flag"], row["default"]) != (variable(name), flag(name), default):
            problems.append(f"`{program.name} options` says {row} of {name}")
    return problems + [f"`{program.name} options` has {name}, which no table has" for name in has]


def check(root, arguments):
    rows, problems = read_tables(root)
    problems += check_rows(rows)
    wanted, page = document(rows, collectors(root)), root / "docs/options.md"
    if getattr(arguments, "fix", False):
        page.write_text(wanted, encoding="utf-8")
    elif not page.exists() or checklib.text(page) != wanted:
        problems.append("docs/options.md: not what the tables say; run scripts/check_options.py --fix")
    problems += check_getenv(root)
    if arguments is not None:
        problems += check_program(rows, pathlib.Path(arguments.program))
    return problems


def self_test():
    table = "// SPDX\nSYNCLINE_OPTION(memory.ring, kBytes, \"16M\", kLimits, \"Most that a ring may grow to\")\n"
    good = {"inject/core/options.def": table, "inject/core/options.cc": "getenv(x);\n", "a.cc": "// getenv(\n"}
    with checklib.FakeTree(good) as tree:
        (tree.root / "docs").mkdir()
        page = document(read_tables(tree.root)[0])
    checklib.expect("`--memory-ring` | `SYNCLINE_MEMORY_RING` | size | `16M`" in page, "the page lacks a row")
    good["docs/options.md"] = page
    declared = {f"collectors/{name}/CMakeLists.txt": f"syncline_add_collector({name} SOURCE {number} SOURCES x.cc)\n"
                for name, number in (("amber", 12), ("zinc", 3))}
    with checklib.FakeTree({**declared, "inject/core/options.def": table.replace("memory.ring", "collect")}) as tree:
        checklib.expect(": `zinc`, `amber`, or" in document(read_tables(tree.root)[0], collectors(tree.root)), "names of collectors")
    with checklib.FakeTree(good) as tree:
        checklib.expect(check(tree.root, None) == [], "a clean tree is reported as faulty")
        fake = tree.root / "fake"
        said = {"name": "memory.ring", "variable": "SYNCLINE_MEMORY_RING", "flag": "--memory-ring", "default": "16M"}
        for options, faults in (([said], 0), ([], 1), ([{**said, "default": "1M"}], 1), ([said, {**said, "name": "x"}], 1)):
            fake.write_text(f"#!/bin/sh\ncat <<'EOF'\n{json.dumps({'options': options})}\nEOF\n")
            fake.chmod(0o755)
            checklib.expect(len(check_program(read_tables(tree.root)[0], fake)) == faults, f"{options} of a program")
    for name, content in {
            "inject/core/options.def": table.replace("16M", "32M"),
            "launcher/x.cc": "const char* x = getenv(\"HOME\");\n",
    }.items():
        with checklib.FakeTree({**good, name: content}) as tree:
            checklib.expect(len(check(tree.root, None)) == 1, f"{name}: the fault is not found")
    for row in (table + table.splitlines()[1] + "\n", table.replace("16M", "lots"), table.replace("kBytes", "kPounds"),
                table.replace("OPTION", "RANGED").replace("kLimits", "\"8K\", \"x\", kLimits"), table.replace("kLimits", "kMisc"), table.replace("grow to", "grow to."), table.replace("kBytes, ", "")):
        with checklib.FakeTree({**good, "inject/core/options.def": row}) as tree:
            rows, problems = read_tables(tree.root)
            checklib.expect(problems + check_rows(rows), f"a faulty row passes: {row}")


def add_arguments(parser):
    parser.add_argument("--fix", action="store_true", help="write docs/options.md")
    parser.add_argument("--program", default=str(checklib.ROOT / "build/release/bin/syncline"), help="the built command")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test, add_arguments)
