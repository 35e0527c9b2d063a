# SPDX-License-Identifier: Apache-2.0
"""--torch-compile: a compilation before the program begins to record is shown where it was; a log that is torn, foreign or hostile
harms nothing."""

import json

LABELS = ("torch",)
MODES = ("launcher",)
ENTRY = "V1130 05:31:00.303000 $$ torch/_dynamo/utils.py:2132] "
LOG = ENTRY + """{"compilation_metrics": {"compile_id": "0/1", "co_name": "f", "co_filename": "/a/comp.py", "co_firstlineno": 4, \
"start_time": $START, "entire_frame_compile_time_s": 0.5, "recompile_reason": "0/0: size mismatch"}}
"""
HOSTILE = {"torn": f"head -c 70 <<END\n{LOG}END", "zeros": "head -c 3000000 /dev/zero", "random": "head -c 300000 /dev/urandom",
           "a line of 20 MB": "yes x | tr -d '\\n' | head -c 20000000",
           "deep": f"echo '{ENTRY}{{\"artifact\":'; yes '[{{\"a\":' | tr -d '\\n' | head -c 1000000; yes '\t[' | head -n 300000"}


def test(t):
    done = record(t, f"START=$(date +%s.%N); sleep 0.6; cat <<END\n{LOG}END")
    [row] = report(t, done)["compilations"]
    t.equal((row["where"], row["kind"], row["took_ms"]), ("/a/comp.py:4 f()", "compiled again", 500), f"{row}")
    [event] = [event for event in done.trace().events if event.get("cat") == "compile"]
    [life] = [event for event in done.trace().events if event.get("cat") == "process"]
    t.equal((event["name"], round(event["dur"])), ("torch.compile f (frame 0, recompile 1)", 500000), f"{event}")
    t.check(life["ts"] <= event["ts"] and event["ts"] + event["dur"] <= life["ts"] + life["dur"], f"{event} is not within {life}")
    for name, log in HOSTILE.items():
        t.equal(report(t, record(t, log)).get("compilations", []), [], name)


def record(t, log):
    done = t.record(["sh", "-c", f'{{ {log}\n}} >"$TORCH_TRACE/a.log"; exec "$@"', "sh", t.victim("nvtx_c")], ["--torch-compile"])
    t.equal(done.ending, "status 0", f"{done}")
    return done


def report(t, recording):
    return json.loads(t.run([t.syncline, "report", "--no-files", "--format", "json", recording.directory]).out)
