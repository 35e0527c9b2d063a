# SPDX-License-Identifier: Apache-2.0
"""Programs built with ASan, TSan and UBSan (gcc and clang) run as before and are recorded."""


def test(t):
    for kind in ("asan", "ubsan", "tsan", "asan_clang", "tsan_clang"):
        recording = t.transparent([t.victim(f"sanitised_{kind}")])
        t.counted(recording.trace().names(), {"first": 1, "thread 3": 1, "work": 4000})
    for kind in ("tsan", "tsan_clang"):
        recording = t.transparent([t.victim(f"sanitised_{kind}"), "fork"])
        recorded = t.mode == "launcher"
        t.counted(recording.trace().names(), {"thread 3": 1, "child": int(recorded)})
        if not recorded:
            t.said(recording, "ThreadSanitizer", "die_after_fork=0")
