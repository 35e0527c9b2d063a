# SPDX-License-Identifier: Apache-2.0
"""view serves a run's traces to the Perfetto UI from 127.0.0.1 alone, and nothing else of the
machine."""

import os
import re
import signal
import urllib.error
import urllib.request

MODES = ("launcher",)


def test(t):
    recording = t.record([t.victim("deep"), "2"])
    for at, message in (("soon", "no moment"), ("1.5m", "no moment")):
        refused = t.run([t.syncline, "view", "--no-open", "--at", at, recording.directory])
        t.equal(refused.status, 125, f"{refused}")
        t.said(refused, message)
    refused = t.run([t.syncline, "view", "--no-open", "/etc/passwd"])
    t.equal(refused.status, 125, f"{refused}")
    t.said(refused, "/etc/passwd is not a trace. Name the directory of a run")
    started = t.start([t.syncline, "view", "--no-open", "--keep", "--at", "0.1ms", recording.directory])
    text = t.until(lambda: address(started), "an address is printed")
    port = int(re.search(r"127\.0\.0\.1:(\d+)", text).group(1))
    begin, end = map(int, re.search(r"&visStart=(\d+)&visEnd=(\d+)", text).groups())
    spans = [(event["ts"], event["ts"] + event.get("dur", 0)) for event in recording.trace().events if "ts" in event]
    t.check(min(spans)[0] * 1000 <= begin + 1 and begin < end, f"{begin} to {end} is not within {min(spans)}")
    name = re.search(rf"127\.0\.0\.1:{port}/([^\s&\"']+)", text).group(1)
    body = urllib.request.urlopen(f"http://127.0.0.1:{port}/{name}", timeout=10).read()
    with open(recording.trace().path, "rb") as file:
        t.check(body == file.read(), "what is served is not the trace")
    for other in (name.rsplit("/")[-1], "../../etc/passwd", "run/job.json", "%2e%2e/%2e%2e/etc/passwd"):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/{other}", timeout=10)
            t.check(False, f"{other} is served")
        except urllib.error.HTTPError as error:
            t.check(error.code in (403, 404), f"{other}: {error}")
        except OSError:
            pass  # served once, then gone
    if started.process.poll() is None:
        started.process.send_signal(signal.SIGINT)
    started.wait(10)
    cut_off(t, recording)


def cut_off(t, recording):
    """A file that lost its end is served, with a word."""
    path = recording.trace().path
    whole = os.path.getsize(path)
    os.truncate(path, whole - 1)
    for options in ([], ["--all"]):
        started = t.start([t.syncline, "view", "--no-open", "--keep", *options, recording.directory])
        text = t.until(lambda started=started: address(started), "an address is printed")
        t.check("is cut off: it has" in text, text)
        started.process.send_signal(signal.SIGINT)
        started.wait(10)


def address(started):
    out, err = started.output()
    text = (out + err).decode(errors="replace")
    return text if "127.0.0.1:" in text else None
