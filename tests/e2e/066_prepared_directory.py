# SPDX-License-Identifier: Apache-2.0
"""A directory, or a link, that another user has put where everybody can write is not written to: the program is recorded
elsewhere. A colleague's directory elsewhere is."""

import os
import shutil
import tempfile

MODES = ("launcher",)
OTHER = 61066


def test(t):
    t.need_root()
    place, aim = tempfile.mkdtemp(dir="/tmp"), t.path("aim")
    os.mkdir(aim)
    try:
        for kind in ("directory", "link", "run", "default"):
            out = os.path.join(place, "syncline-out" if kind == "default" else kind)
            os.symlink(aim, out) if kind == "link" else os.mkdir(out)
            if kind == "run":  # the user's own mistake of a directory that everybody can write to
                os.chmod(out, 0o777)
                os.mkdir(f"{out}/run")
            prepared = f"{out}/run" if kind == "run" else out
            os.chown(prepared, OTHER, OTHER, follow_symlinks=False)
            for mode, trusted in ((0o1777, False), (0o755, kind != "run")):
                os.chmod(place, mode)
                command = t.launch([t.victim("deep"), "1"], directory=out)
                if kind == "default":
                    command = [t.syncline, "run", "--", t.victim("deep"), "1"]
                result = t.run(command, {"TMPDIR": t.directory}, cwd=t.directory if kind != "default" else place)
                t.equal(result.ending, "status 0", f"{kind}: {result}")
                if trusted:
                    t.said(result, "wrote")
                else:
                    t.said(result, "This run is recorded into", prepared, f"uid {OTHER}", "-o DIR")
                    t.equal(os.listdir(prepared), [], f"{kind}: {result}")  # also where the link leads
    finally:
        shutil.rmtree(place, ignore_errors=True)
