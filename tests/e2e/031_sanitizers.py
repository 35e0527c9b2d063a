# SPDX-License-Identifier: Apache-2.0
"""Programs built with ASan, TSan and UBSan (gcc and clang) run as before and are recorded."""


def test(t):
    for kind in ("asan", "ubsan", "tsan", "asan_clang", "tsan_clang"):
        recording = t.transparent([t.victim(f"sanitised_{kind}")])
        t.counted(recording.trace().names(), {"first": 1, "thread 3": 1, "work": 4000})
