# SPDX-License-Identifier: Apache-2.0
"""Runs commands and leaves nothing behind: own sessions, time limits, and a reaper for orphans."""

import ctypes
import os
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36
_started = set()  # pids of commands that are not waited for yet


def become_reaper():
    """Orphaned descendants become our children, so that they can be found, waited for and ended."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(pid):
    """Direct children of a process, over all its threads."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child] + descendants(child)
    return found


def end_tree(pid):
    """Kills a process and all that it started, the deepest last, so that none can start more
    unseen."""
    for each in [pid] + descendants(pid):
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass


def reap():
    """Collects orphans that ended, but no command whose ending somebody will ask for."""
    for pid in children(os.getpid()):
        if pid not in _started:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass


def describe(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return f"{pid} ({file.read().replace(bytes(1), b' ').decode(errors='replace').strip()[:120]})"
    except OSError:
        return str(pid)


def left_behind(wait, before=()):
    """Processes that we started, directly or not, and that still run after `wait` seconds; without
    those below the
    direct children in `before`."""
    deadline = time.monotonic() + wait
    while True:
        reap()
        left = []
        for child in children(os.getpid()):
            if child not in before:
                left += [child] + descendants(child)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.01)


def end_all(deadline_s=5):
    """Kills every descendant and waits until all are gone."""
    deadline = time.monotonic() + deadline_s
    _started.clear()
    while time.monotonic() < deadline:
        reap()
        left = descendants(os.getpid())
        if not left:
            return True
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
    return False


class Finished:
    """What a command did: exit status or signal, and its bytes on stdout and stderr."""

    def __init__(self, code, out, err, seconds):
        self.status = code if code >= 0 else None
        self.signal = -code if code < 0 else None
        self.out, self.err, self.seconds = out, err, seconds

    @property
    def ending(self):
        return f"signal {self.signal}" if self.signal else f"status {self.status}"

    def __repr__(self):
        return (
            f"{self.ending}\n--- stdout\n{self.out.decode(errors='replace')[-1500:]}"
            f"\n--- stderr\n{self.err.decode(errors='replace')[-1500:]}"
        )


class Started:
    """A command that runs, its output going to files (so that no reader can block it)."""

    def __init__(self, command, directory, **how):
        number = len([n for n in os.listdir(directory) if n.endswith(".out")])
        self.paths = [os.path.join(directory, f"{number}{suffix}") for suffix in (".out", ".err")]
        self.begin = time.monotonic()
        files = [open(path, "ab") for path in self.paths]
        how.setdefault("stdin", subprocess.DEVNULL)
        how.setdefault("start_new_session", True)
        how.setdefault("stdout", files[0])
        how.setdefault("stderr", files[1])
        self.process = subprocess.Popen([str(word) for word in command], **how)
        _started.add(self.process.pid)
        for file in files:
            file.close()

    @property
    def pid(self):
        return self.process.pid

    def output(self):
        texts = []
        for path in self.paths:
            with open(path, "rb") as file:
                texts.append(file.read())
        return texts

    def wait(self, timeout=60):
        """Waits for the command itself, not for what it left; raises subprocess.TimeoutExpired."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            print(
                f"time limit of {timeout} s; still running: {', '.join(map(describe, descendants(os.getpid())))}"
            )
            print(b"\n".join(self.output()).decode(errors="replace")[-3000:])
            end_all()
            raise
        _started.discard(self.process.pid)
        return Finished(code, *self.output(), time.monotonic() - self.begin)
