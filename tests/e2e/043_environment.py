# SPDX-License-Identifier: Apache-2.0
"""The program's environment is the user's but for our additions, and not one variable changes while
it runs."""

OURS = (
    "SYNCLINE_",
    "LD_PRELOAD=",
    "NVTX_INJECTION64_PATH=",
    "CUDA_INJECTION64_PATH=",
    "ASAN_OPTIONS=",
)


def test(t):
    env = {"LD_LIBRARY_PATH": "/nowhere", "EMPTY": "", "STRANGE": "a=b\nc", "LANG": "C"}
    for arguments in ([], ["range"]):
        bare = t.run([t.victim("print_env"), *arguments], env).out.decode().splitlines()
        recording = t.record([t.victim("print_env"), *arguments], env=env, complete=bool(arguments))
        found = recording.out.decode().splitlines()
        t.equal([line for line in found if not line.startswith(OURS)], bare, "environment")
        t.check(any(line.startswith("LD_PRELOAD=") for line in found), f"{found}")
