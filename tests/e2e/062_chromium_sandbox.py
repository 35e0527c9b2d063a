# SPDX-License-Identifier: Apache-2.0
"""Chromium with its own sandbox, as an ordinary user, runs as it does without us."""

import os
import shutil
import tempfile

TIMEOUT = 120
MODES = ("launcher",)
NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups"]


def test(t):
    t.need_root()
    browser, setpriv = t.need("chromium-headless-shell", "setpriv")
    home = tempfile.mkdtemp(dir="/tmp")
    os.chmod(home, 0o777)
    try:
        command = [setpriv, *NOBODY, browser, "--disable-gpu", "--dump-dom", "about:blank"]
        env = {"HOME": home, "TMPDIR": home}
        bare = t.run(command, env, timeout=50)
        if bare.status != 0:
            t.skip(f"it does not run here without us either: {bare}")
        recorded = t.run([*command[:4], "env", f"LD_PRELOAD={t.library}", *command[4:]], env, timeout=50)
        t.equal((recorded.ending, recorded.out), (bare.ending, bare.out), f"{recorded}")
    finally:
        shutil.rmtree(home, ignore_errors=True)
