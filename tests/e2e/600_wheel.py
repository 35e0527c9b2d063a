# SPDX-License-Identifier: Apache-2.0
"""The wheel in a fresh environment of each Python at hand: installed without a network, it records; uninstalled, no file stays."""

import glob
import os
import pwd

import packages

MODES = ("launcher",)
LABELS = ("packages",)
TIMEOUT = 240


def pythons(full):
    """One of each version, the system's and those of pyenv. The pip that comes with 3.6 does not know the wheel's tag."""
    home = pwd.getpwuid(os.geteuid()).pw_dir
    found = {}
    for path in ["/usr/bin/python3"] + sorted(glob.glob(f"{home}/.pyenv/versions/3.*/bin/python3")):
        version = os.path.basename(os.path.realpath(path))
        if version.removeprefix("python3.").isdigit() and int(version.removeprefix("python3.")) >= 7:
            found.setdefault(version, path)
    return found if full else dict(list(found.items())[:1])


def test(t):
    wheel = packages.package(t, "syncline-*.whl")
    size = os.path.getsize(wheel)
    t.check(size <= 3.3e6, f"the wheel has {size} bytes, at most 3.3 MB")
    for version, python in pythons(t.full).items():
        venv = packages.new_venv(t, python, version)
        before = packages.files(venv)
        packages.pip(t, venv, "install", "--no-index", wheel)
        records(t, venv, version)
        asked = t.run([f"{venv}/bin/python", "-m", "syncline", "--version"])
        t.equal(asked.out, t.run([t.syncline, "--version"]).out, f"{version} -m syncline")
        packages.pip(t, venv, "uninstall", "-y", "syncline")
        t.equal(packages.files(venv) - before, set(), f"left behind in {version}")


def records(t, venv, version):
    t.syncline = f"{venv}/bin/syncline"
    doctor = t.run([t.syncline, "doctor"])
    t.equal(doctor.ending, "status 0", f"{doctor}")
    t.check(f"{venv}/libexec/syncline/libsyncline.so".encode() in doctor.out, f"{version}: {doctor}")
    trace = t.record([t.victim("nvtx_c")]).trace()
    t.check("overlap a" in trace.names(), f"{version}: {sorted(set(trace.names()))}")
