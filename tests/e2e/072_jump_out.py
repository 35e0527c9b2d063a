# SPDX-License-Identifier: Apache-2.0
"""A handler that leaves what it interrupted by siglongjmp does not mute its thread. (Not under a sanitizer: under ThreadSanitizer
such a program hangs without us too.)"""


def test(t):
    recording = t.record([t.victim("jump_out"), "40"], options=["--memory-ring", "64M", "--memory-process", "1G"])
    jumps = int(recording.out)
    t.check(jumps >= 40, f"{recording}")
    t.counted(recording.trace().names(), {"after": 1000})
    lost = recording.losses().get("nested_signal", 0)
    t.check(lost < jumps, f"{lost} records lost by {jumps} jumps")
