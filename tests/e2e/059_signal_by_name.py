# SPDX-License-Identifier: Apache-2.0
"""A signal for the launcher by its command line (pkill -f) reaches the program."""

MODES = ("launcher",)


def test(t):
    directory = t.new_directory()
    started = t.start(t.launch(["sh", "-c", 'trap "echo got it; exit 7" TERM; echo ready; while :; do sleep 0.05; done'], directory=directory))
    t.until(lambda: b"ready" in started.output()[0], "the program runs")
    killed = t.run([t.need("pkill"), "-TERM", "-f", f"run -o {directory}"])
    t.equal(killed.status, 0, f"{killed}")
    finished = started.wait(20)
    t.equal((finished.ending, finished.out), ("status 7", b"ready\ngot it\n"), f"{finished}")
