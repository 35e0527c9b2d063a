# SPDX-License-Identifier: Apache-2.0
"""A helper on the program's memory that has no thread-local storage ends by _exit as it does without us."""


def test(t):
    t.transparent([t.victim("bare_clone")], complete=False)
    recording = t.transparent([t.victim("bare_clone"), "ranges"])
    t.equal(recording.trace().names(), ["before", "after"])
    t.equal(recording.losses(), {}, "losses")
