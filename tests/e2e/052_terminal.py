# SPDX-License-Identifier: Apache-2.0
"""On a terminal: Ctrl-C reaches the program once and the trace is still written; the terminal is left
as it was."""

import os
import pty
import termios
import time


def test(t):
    directory = t.new_directory()
    head, tail = pty.openpty()
    before = termios.tcgetattr(tail)
    how = dict(stdin=tail, stdout=tail, stderr=tail, preexec_fn=lambda: take_terminal(tail))
    command = t.launch([t.victim("signals")], directory=directory)
    started = t.start(command, t.mode_environment(), **how)
    seen = Reader(head)
    t.until(lambda: b"ready" in seen.text(), "the program is ready")
    os.write(head, b"\x03")
    time.sleep(0.3)
    os.write(head, b"\x1c")  # Ctrl-\ ends this victim
    result = started.wait(20)
    text = seen.text()
    t.equal(result.ending, "status 12", text)
    for line in (b"Interrupt 1", b"Quit 1", b"Terminated 0", b"Hangup 0"):
        t.check(line in text, f"{line}: {text}")
    t.equal(termios.tcgetattr(tail), before, "settings of the terminal")
    os.close(tail)
    os.close(head)
    t.finish(result, directory)


def take_terminal(terminal):
    import fcntl

    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


class Reader:
    """What came out of the terminal so far."""

    def __init__(self, head):
        os.set_blocking(head, False)
        self.head, self.seen = head, b""

    def text(self):
        try:
            while chunk := os.read(self.head, 65536):
                self.seen += chunk
        except OSError:
            pass
        return self.seen
