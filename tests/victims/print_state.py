# SPDX-License-Identifier: Apache-2.0
"""Prints what a process has from its start: environment, open files, threads, signals, limits. What differs from run to run is written as #.
print_state.py [WORD]; a function for others."""

import os
import re
import resource
import sys

OURS = ("SYNCLINE_", "LD_PRELOAD=", "NVTX_INJECTION64_PATH=", "CUDA_INJECTION64_PATH=", "ASAN_OPTIONS=")


def masked(text):
    return re.sub(r"_\w{8}(?=/)|[0-9a-f]{8,}|\d+", "#", text)  # the first: as mkdtemp names folders


def state(word=""):
    # As it was at the start, and as it is.
    with open("/proc/self/environ", "rb") as file:
        began = file.read().decode(errors="replace").split("\0")
    now = [f"{name}={value}" for name, value in os.environ.items()]
    lines = [masked(line) for line in {*began, *now} if line and not line.startswith(OURS)]
    files = os.listdir("/proc/self/fd")
    lines += [f"file {name}: {masked(os.readlink('/proc/self/fd/' + name))}" for name in files if os.path.exists("/proc/self/fd/" + name)]
    with open("/proc/self/status") as file:
        lines += [line.strip() for line in file if re.match("Threads|Sig(Ign|Cgt|Blk)|NoNewPrivs|Seccomp:|Umask", line)]
    lines.append(f"limits {resource.getrlimit(resource.RLIMIT_NOFILE)} {resource.getrlimit(resource.RLIMIT_CORE)} {os.getcwd()}")
    return [f"{word} {line}" for line in sorted(lines)]


if __name__ == "__main__":
    print("\n".join(state(" ".join(sys.argv[1:2]))), flush=True)
