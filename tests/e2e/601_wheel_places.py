# SPDX-License-Identifier: Apache-2.0
"""The wheel where people put it: by uv, below --user, below --target, and in an environment that cannot be written to."""

import os
import subprocess

import packages

MODES = ("launcher",)
LABELS = ("packages",)


def test(t):
    wheel = packages.package(t, "syncline-*.whl")
    venv = packages.new_venv(t, "/usr/bin/python3", "venv")
    user = {"PYTHONUSERBASE": t.path("user"), "PIP_BREAK_SYSTEM_PACKAGES": "1"}
    done = t.run(["/usr/bin/python3", "-m", *packages.PIP, "install", "--no-index", "--user", wheel], user)
    t.equal(done.ending, "status 0", f"--user: {done}")
    records(t, t.path("user/bin/syncline"))
    python_m(t, ["/usr/bin/python3"], user)

    packages.pip(t, venv, "install", "--no-index", "--target", t.path("target"), wheel)
    records(t, t.path("target/bin/syncline"))
    python_m(t, ["/usr/bin/python3"], {"PYTHONPATH": t.path("target")})

    packages.pip(t, venv, "install", "--no-index", wheel)
    if os.environ.get("E2E_ISOLATED"):  # root writes wherever it may not, but not here
        subprocess.run(["mount", "--bind", venv, venv], check=True)
        subprocess.run(["mount", "-o", "remount,ro,bind", venv], check=True)
    records(t, f"{venv}/bin/syncline")
    if os.environ.get("E2E_ISOLATED"):
        subprocess.run(["umount", venv], check=True)

    uv = os.path.join(os.path.dirname(t.venv("packages")), "uv")
    other = t.path("uv")
    for command in ([uv, "venv", "--python", "/usr/bin/python3", other], [uv, "pip", "install", "--no-index", "--python", other, wheel]):
        done = t.run(command)
        t.equal(done.ending, "status 0", f"{done}")
    records(t, f"{other}/bin/syncline")


def records(t, launcher):
    t.syncline = launcher
    t.check("overlap a" in t.record([t.victim("nvtx_c")]).trace().names(), launcher)


def python_m(t, python, env):
    asked = t.run([*python, "-m", "syncline", "--version"], env)
    t.equal(asked.out, t.run([t.syncline, "--version"]).out, f"{asked}")
