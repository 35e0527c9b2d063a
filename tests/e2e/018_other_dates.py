# SPDX-License-Identifier: Apache-2.0
"""Nothing depends on the date: the same at other dates, also where times on Kineto's grid are longest; nor on a program that lives in
another time than the launcher: in a time namespace, or under faketime."""

import calendar
import time

DATES = ("2026-11-21 21:00:00", "2027-02-18 12:00:00", "2030-06-30 23:59:58", "2038-01-19 03:14:06")
CASES = ((["nvtx_c"], []), (["fast", "2000", "2"], []), (["fast", "2000", "2"], ["--base-time", "kineto"]))


def test(t):
    faketime = t.need("faketime")
    env = {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC"}
    for date in DATES:
        wanted = calendar.timegm(time.strptime(date, "%Y-%m-%d %H:%M:%S"))
        for (victim, *arguments), options in CASES:
            directory = t.new_directory()
            command = t.launch([t.victim(victim), *arguments], options, directory)
            recording = t.record_command([faketime, "-m", date, *command], directory, env=env)
            t.equal(recording.ending, "status 0", f"{date}: {recording}")
            trace = recording.trace()
            first = trace.document["baseTimeNanoseconds"] + min(r.begin for r in trace.ranges())
            t.check(0 <= first / 1e9 - wanted < 60, f"{date}: first range {first}: {recording}")
    for other in ([faketime, "-f", "-1h"], ["unshare", "-T", "--monotonic", "100000", "--boottime", "100000", "-f"]):
        if t.run([*other, "true"]).ending != "status 0":
            continue
        recording = t.record([*other, t.victim("fast"), "1000", "2"])
        t.equal((recording.ending, len(recording.trace().ranges())), ("status 0", 2000), f"{other}: {recording}")
