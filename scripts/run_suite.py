#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the test suite, run one after the other and summed up. Called by scripts/test, which installs first."""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
FUZZ_SECONDS = 8
PROCESSORS = len(os.sched_getaffinity(0))
OF_BUILD = ("check_exports.py", "check_options.py")  # the checks that look at what was built
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
# What parts need beside packages and builds. What cannot be made, their tests name and skip.
FETCHED = {"end_to_end": [("make_venvs.sh",)], "packages": [("make_venvs.sh", "packages"), ("make_roots.sh",)]}
FAIL = re.compile(r"^FAIL (.+)(\n(?:     .*\n)*)", re.M)  # with what the test said
TOLD_LINES = 12  # of a failed test, below the sum


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


PASSED, FAILED, SKIPPED = Count(1, 0, 0), Count(0, 1, 0), Count(0, 0, 1)


def say(text):
    print(text, flush=True)


def run(command, **more):
    """Runs a command with its output shown; returns its exit status."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, check=False, **more).returncode


def run_and_read(command, **more):
    """Runs a command with its output shown and returned: (status, text)."""
    process = subprocess.Popen([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    lines = []
    for line in process.stdout:
        lines.append(line)
        sys.stdout.write(line)
        sys.stdout.flush()
    return process.wait(), "".join(lines)


def shared_options():
    """Those with which another build of the same sources finds what the release's has compiled."""
    cache = (BUILD / "release/CMakeCache.txt").read_text()
    return [f"-D{name}={value}" for name, value in re.findall(r"^(SYNCLINE_(?:WERROR|CCACHE)):BOOL=(\w+)$", cache, re.M)]


class Suite:
    def __init__(self, arguments):
        self.arguments = arguments
        self.failures = []  # names of end-to-end tests and units, and how they failed: a long log is often shortened before the sum
        self.install = ["--no-install"] if arguments.no_install else []
        self.beside = concurrent.futures.ThreadPoolExecutor(1)
        self.fetched = {}

    def fetch(self, parts):
        """Begins to fetch what the parts need, one after the other and once each; returns what can be waited for."""
        if self.arguments.no_install or self.arguments.quick:
            return []
        commands = [command for part in parts for command in FETCHED.get(part, ())]
        for script, *words in commands:
            if (script, *words) not in self.fetched:
                self.fetched[script, *words] = self.beside.submit(run, [f"tests/harness/{script}", *words])
        return [self.fetched[command] for command in commands]

    def build(self, preset, *more):
        """Builds a preset; its log is shown only if it fails."""
        log = BUILD / f"build-{preset}.log"
        BUILD.mkdir(exist_ok=True)
        begin = time.monotonic()
        with log.open("w") as file:
            status = run(["scripts/build", *self.install, *more, preset], stdout=file, stderr=subprocess.STDOUT)
        say(f"built {preset} in {time.monotonic() - begin:.0f} s" if status == 0
            else log.read_text()[-6000:] + f"\nthe {preset} build failed; its log is {log.relative_to(ROOT)}")
        return PASSED if status == 0 else FAILED

    def ctest(self, preset, *more):
        """Runs ctest on all processors and counts its entries."""
        report = BUILD / preset / "ctest.xml"
        report.unlink(missing_ok=True)
        run(["ctest", "--test-dir", BUILD / preset, "--parallel", PROCESSORS, "--output-on-failure",
             "--output-junit", report, *more])
        if not report.exists():
            say("ctest left no report")
            return FAILED
        suite = xml.etree.ElementTree.parse(report).getroot()
        self.failures += [case.get("name") for case in suite.iter("testcase") if case.get("status") == "fail"]
        total, failed = int(suite.get("tests", 0)), int(suite.get("failures", 0))
        skipped = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
        return Count(total - failed - skipped, failed, skipped) if total else FAILED

    def end_to_end(self, *more):
        status, text = run_and_read([sys.executable, "tests/harness/run_tests.py", *more])
        self.failures += ["\n".join([name, *said.splitlines()[1 : TOLD_LINES + 1]]) for name, said in FAIL.findall(text)]
        found = CLOSING.findall(text)
        if not found:
            return FAILED
        count = Count(*(int(number) for number in found[-1]))
        return count if count.failed or status == 0 else Count(count.passed, 1, count.skipped)

    def checks(self, scripts):
        count = Count()
        for script in scripts:
            for extra in (["--self-test"], []):
                count.add(PASSED if run([sys.executable, script, *extra]) == 0 else FAILED)
        return count

    # The parts; PARTS says in which order they run.

    def part_checks(self):
        late = (*OF_BUILD, "check_tidy.py")
        return self.checks(path for path in sorted((ROOT / "scripts").glob("check_*.py")) if path.name not in late)

    def part_build(self):
        """Beside it all is fetched, which waits for the network for most of its time. What is measured later has the machine for itself."""
        fetching = self.fetch(self.arguments.parts)
        count = self.build("release", "--werror")
        concurrent.futures.wait(fetching)
        return count

    def part_build_checks(self):
        return self.checks(ROOT / "scripts" / name for name in OF_BUILD)

    def part_unit(self):
        return self.ctest("release")

    def part_end_to_end(self):
        fetching = self.fetch(["end_to_end"])
        concurrent.futures.wait(fetching)
        if fetching and self.build("release").failed:  # the simulated libraries for the PyTorch that is there now
            return FAILED
        return self.end_to_end("--skip-label", "packages", *([] if self.arguments.quick else ["--full"]))

    def part_install(self):
        """An installed tree that was moved records; the manual page and the completion are there."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            done = subprocess.run(["cmake", "--install", str(BUILD / "release"), "--prefix", str(folder / "first")],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                say(done.stdout + done.stderr)
                return FAILED
            (folder / "first").rename(folder / "moved")
            tree = folder / "moved"
            recorded = run([tree / "bin/syncline", "--quiet", "-o", folder / "out", "--", BUILD / "release/tests/victims/nvtx_c"])
            wanted = [tree / "share/man/man1/syncline.1", tree / "share/bash-completion/completions/syncline",
                      tree / "share/doc/syncline/LICENSE", folder / "out/rank-0.trace.json.gz"]
            missing = [str(path.relative_to(folder)) for path in wanted if not path.exists() or not path.stat().st_size]
            if recorded or missing:
                say(f"status {recorded}; missing: {' '.join(missing) or 'nothing'}")
                return FAILED
            say("installed, moved, recorded")
            return PASSED

    def part_portable(self):
        """The build for old glibc: its symbols, and recordings made with it."""
        count = Count()
        count.add(self.build("portable"))
        if count.failed:
            return count
        count.add(PASSED if run([sys.executable, "scripts/check_exports.py", "--portable"]) == 0 else FAILED)
        tree = self.tree_with("portable")
        shutil.copy2(BUILD / "portable/bin/syncline", tree / "bin")
        count.add(self.end_to_end("--build", tree, "--label", "thin"))
        return count

    def part_packages(self):
        """Wheel, Debian package and tarball of the portable build: the same bytes each time, and what users do with them."""
        sums = []
        for _ in range(2):
            with (BUILD / "package.log").open("w") as log:
                status = run(["scripts/package", *self.install, "--no-build"], stdout=log, stderr=subprocess.STDOUT)
            if status:
                say((BUILD / "package.log").read_text()[-4000:])
                return FAILED
            sums.append((ROOT / "dist/SHA256SUMS").read_text())
        count = Count()
        count.add(PASSED if sums[0] == sums[1] else FAILED)
        concurrent.futures.wait(self.fetch(["packages"]))
        count.add(self.end_to_end("--full", "--label", "packages"))
        return count

    def part_no_exit_hooks(self):
        """Nothing depends on exit hooks: the same endings with a library that has none."""
        folder = BUILD / "no-exit-hooks"
        with (BUILD / "build-no-exit-hooks.log").open("w") as log:
            status = run(["cmake", "--preset", "release", "-B", folder, "-DSYNCLINE_EXIT_HOOKS=OFF", *shared_options()], stdout=log,
                         stderr=subprocess.STDOUT)
            status = status or run(["cmake", "--build", folder, "--target", "lib/libsyncline.so"], stdout=log,
                                   stderr=subprocess.STDOUT)
        if status:
            say((BUILD / "build-no-exit-hooks.log").read_text()[-4000:])
            return FAILED
        count = Count(1)
        count.add(self.end_to_end("--build", self.tree_with("no-exit-hooks"), "--label", "endings"))
        return count

    def tree_with(self, name):
        """A build tree of the release's programs and another build's library: copies, for the command looks beside itself."""
        tree = BUILD / f"{name}-tree"
        shutil.rmtree(tree, ignore_errors=True)
        for source in (BUILD / "release/bin/syncline", BUILD / name / "lib/libsyncline.so"):
            (tree / source.parent.name).mkdir(parents=True)
            shutil.copy2(source, tree / source.parent.name)
        for folder in ("tests", "simulated_gpu"):
            (tree / folder).symlink_to(f"../release/{folder}")
        return tree

    def part_asan(self):
        return self.sanitized("asan")

    def part_ubsan(self):
        return self.sanitized("ubsan")

    def part_tsan(self):
        return self.sanitized("tsan")

    def sanitized(self, preset):
        """Units and stress with a sanitizer; then its launcher, writers and victims with the release's library."""
        os.environ.setdefault("TSAN_OPTIONS", "atexit_sleep_ms=100")  # a process with threads waits for a second at its end otherwise
        count = self.build(preset)
        if count.failed:
            return count
        total = Count()
        total.add(count)
        total.add(self.ctest(preset, "--timeout", "600"))
        (BUILD / preset / "lib").mkdir(exist_ok=True)
        link = BUILD / preset / "lib/libsyncline.so"
        link.unlink(missing_ok=True)
        link.symlink_to("../../release/lib/libsyncline.so")
        total.add(self.end_to_end("--build", BUILD / preset, "--label", "sanitized"))
        return total

    def part_tidy(self):
        return self.checks(["scripts/check_tidy.py"])

    def part_fuzz(self):
        count = self.build("asan", "--target", "fuzzers")
        if count.failed:
            return count
        total = Count()
        total.add(count)
        fuzzers = sorted(path for path in (BUILD / "asan").rglob("*_fuzzer") if path.is_file())
        with concurrent.futures.ThreadPoolExecutor(PROCESSORS) as pool:  # one thread each
            for result in pool.map(self.fuzz, fuzzers):
                total.add(result)
        if not fuzzers:
            say("no fuzzer was built")
            total.add(FAILED)
        return total

    def fuzz(self, fuzzer):
        findings = BUILD / "asan/findings"
        findings.mkdir(exist_ok=True)
        corpus = BUILD / "asan/corpus" / fuzzer.name
        corpus.mkdir(parents=True, exist_ok=True)
        log = BUILD / f"asan/{fuzzer.name}.log"
        with log.open("w") as file:
            status = run([fuzzer, corpus, f"-max_total_time={FUZZ_SECONDS}",
                          "-max_len=65536", "-print_final_stats=1", f"-artifact_prefix={findings}/{fuzzer.name}-"],
                         stdout=file, stderr=subprocess.STDOUT)
        say(f"{fuzzer.name}: {FUZZ_SECONDS} s" + (f"\n{log.read_text()[-6000:]}" if status else ""))
        return FAILED if status else PASSED


# In the order in which failures show fastest: first what takes seconds and fails most often, then by what a part takes, the
# sanitizers last. A part stands behind those that it needs: all but `checks` behind `build`, `packages` behind `portable`, whose
# build it packs, and `tidy` behind `tsan`, which has clang's flags. Only a failed `build` ends the suite.
PARTS = ["checks", "build", "build_checks", "install", "unit", "end_to_end", "no_exit_hooks", "portable", "packages", "fuzz",
         "tsan", "tidy", "asan", "ubsan"]
# What continuous integration runs: asan has UndefinedBehaviorSanitizer in it.
DEFAULT = [part for part in PARTS if part != "ubsan"]
QUICK = PARTS[:PARTS.index("end_to_end") + 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-install", action="store_true")
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    parts = arguments.parts = arguments.part or (QUICK if arguments.quick else DEFAULT)
    if arguments.list:
        print("\n".join(parts))
        return 0
    suite, total, rows = Suite(arguments), Count(), []
    for part in parts:
        say(f"\n== {part.replace('_', ' ')}")
        begin = time.monotonic()
        count = getattr(suite, f"part_{part}")()
        rows.append((part.replace("_", " "), count, time.monotonic() - begin))
        total.add(count)
        if part == "build" and count.failed:
            break
    say("\n== sum")
    for name, count, seconds in rows:
        say(f"{name:15} {seconds:6.0f} s  {count}")
    for failure in suite.failures:
        say(f"failed: {failure}")
    say(str(total))
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
