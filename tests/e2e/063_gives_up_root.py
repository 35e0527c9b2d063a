# SPDX-License-Identifier: Apache-2.0
"""A process that gives up root below a launcher of root's (gosu, setpriv, daemons) is recorded by that launcher."""

import os
import shutil
import tempfile

MODES = ("launcher",)
NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups"]


def test(t):
    t.need_root()
    setpriv = t.need("setpriv")
    home = tempfile.mkdtemp(dir="/tmp")  # the scratch folder is root's alone
    os.chmod(home, 0o755)
    try:
        victim, library = (shutil.copy(path, home) for path in (t.victim("deep"), t.library))
        for path in (victim, library):
            os.chmod(path, 0o755)
        inner = [setpriv, *NOBODY, "env", f"LD_PRELOAD={library}", f"NVTX_INJECTION64_PATH={library}", victim, "2"]
        recording = t.record(inner)
        t.equal(recording.ending, "status 0", f"{recording}")
        t.check(recording.trace().ranges(), f"nothing was recorded: {recording}")
        t.equal(recording.manifest()["processes"][-1]["recorded_by"], "launcher", f"{recording}")
        t.check(not any("not recorded" in line for line in recording.said), f"{recording}")
    finally:
        shutil.rmtree(home, ignore_errors=True)
