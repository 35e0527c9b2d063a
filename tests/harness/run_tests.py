#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the end-to-end tests of tests/e2e, each in its own process and in both ways of recording.

    run_tests.py [--build DIR] [--mode launcher|process] [--label L]... [--skip-label L]...
                 [--jobs N] [--full] [--keep] [--list] [NAME...]

NAME selects files whose name contains it. One line per test; a skipped test says why. The last line
is "N passed, N failed, N skipped"; the exit status is 1 if a test failed or nothing ran.
"""

import argparse
import ast
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import processes

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MODES = ("launcher", "process")
DEFAULTS = {"MODES": MODES, "LABELS": (), "TIMEOUT": 120, "FULL_TIMEOUT": 0, "ALONE": False, "WAITS": False}
OUTCOMES = {0: "ok", 3: "skip"}
# As root each test has a /dev/shm of its own, so that what a run leaves there is seen.
ISOLATE = ["unshare", "-m", "--propagation", "private", "sh", "-c"]
ISOLATE += ['mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh"]
print_lock = threading.Lock()


def settings(path):
    """The constants at the top of a test file (MODES, LABELS, TIMEOUT, FULL_TIMEOUT, ALONE,
    WAITS), without running it."""
    with open(path) as file:
        tree = ast.parse(file.read(), path)
    found = dict(DEFAULTS)
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id in DEFAULTS
        ):
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


def find_tests(options):
    tests = []
    folder = os.path.join(ROOT, "tests", "e2e")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py") or not name[:3].isdigit():
            continue
        if options.names and not any(want in name for want in options.names):
            continue
        found = settings(os.path.join(folder, name))
        labels = set(found["LABELS"])
        if options.label and not labels & set(options.label) or labels & set(options.skip_label):
            continue
        for mode in found["MODES"]:
            if options.mode in (None, mode):
                tests.append((os.path.join(folder, name), mode, found))
    return tests


def run_test(path, mode, found, options):
    """Runs one test; returns (outcome, what it printed)."""
    directory = tempfile.mkdtemp(prefix="sy", dir=options.scratch)
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("SYNCLINE_")
    }
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    limit = found["TIMEOUT"]
    if options.full:
        environment["E2E_FULL"] = "1"
        limit = max(limit, found["FULL_TIMEOUT"])
    command = [sys.executable, os.path.join(HERE, "syncline_test.py")]
    command += [path, mode, options.build, directory]
    if options.isolate:
        environment["E2E_ISOLATED"] = "1"
        command = ISOLATE + command
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
        cwd=directory,
    )
    try:
        output = process.communicate(timeout=limit)[0]
        code = process.returncode
    except subprocess.TimeoutExpired:
        processes.end_tree(process.pid)
        output = process.communicate()[0] + f"\nthe test took more than {limit} s\n".encode()
        code = 1
    text = output.decode(errors="replace").strip()
    if options.keep and code not in OUTCOMES:
        text += f"\nkept: {directory}"
    else:
        shutil.rmtree(directory, ignore_errors=True)
    return OUTCOMES.get(code, "FAIL"), text


def report(path, mode, outcome, seconds, text):
    name = os.path.basename(path)[:-3]
    with print_lock:
        reason = " - " + text.splitlines()[-1] if outcome == "skip" and text else ""
        print(f"{outcome:4} {name} [{mode}] {seconds:.1f} s{reason}", flush=True)
        if outcome == "FAIL":
            print("\n".join("     " + line for line in text.splitlines()), flush=True)


def run_tests(tests, options):
    """Runs the tests, those that want it alone at the end. Returns the outcome of each. With
    several jobs those that wait for most of their time run one after the other beside the
    others: a job of theirs would leave a processor idle."""

    def one(test):
        begin = time.monotonic()
        outcome, text = run_test(*test, options)
        report(test[0], test[1], outcome, time.monotonic() - begin, text)
        return outcome

    alone = [test for test in tests if test[2]["ALONE"]]
    waiting = [test for test in tests if test[2]["WAITS"] and options.jobs > 1]
    together = [test for test in tests if test not in alone and test not in waiting]
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            waited = beside.map(one, waiting)  # begun, not waited for
            results = [*pool.map(one, together), *waited]
    return results + [one(test) for test in alone]


def main():
    # A suite that a shell started in the background ignores SIGINT, and so would all it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--label", action="append", default=[])
    parser.add_argument("--skip-label", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--full", action="store_true", help="the long forms of tests, such as 200 random kills"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the scratch folders of failed tests"
    )
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.isolate = subprocess.run(ISOLATE + ["true"], stderr=subprocess.DEVNULL).returncode == 0
    tests = find_tests(options)
    if options.list:
        for path, mode, found in tests:
            print(os.path.basename(path)[:-3], mode, *found["LABELS"])
        return 0
    if not os.access(os.path.join(options.build, "bin", "syncline"), os.X_OK):
        sys.exit(
            f"run_tests: {options.build}/bin/syncline is not there: run scripts/build first, or name --build"
        )
    options.scratch = tempfile.mkdtemp(prefix="sye2e", dir="/tmp")  # short: it holds sockets
    os.chmod(options.scratch, 0o755)
    counts = {"ok": 0, "FAIL": 0, "skip": 0}
    try:
        for outcome in run_tests(tests, options):
            counts[outcome] += 1
    finally:
        (
            shutil.rmtree(options.scratch, ignore_errors=True)
            if not (options.keep and counts["FAIL"])
            else None
        )
    print(f"{counts['ok']} passed, {counts['FAIL']} failed, {counts['skip']} skipped")
    return 1 if counts["FAIL"] or not sum(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
