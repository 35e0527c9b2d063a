# SPDX-License-Identifier: Apache-2.0
"""In root file systems of the oldest and the newest Debian: the tarball, the Debian package and, where there is Python, the wheel are
installed, say what can be recorded, record an NVTX program, and leave no file behind."""

import os
import shutil

import packages

MODES = ("launcher",)
LABELS = ("packages",)
NAMES = ("oldoldstable", "stable")
PYTHON = "/usr/bin/python3"


def test(t):
    program, roots = packages.nvtx_program(t), 0
    wheel, deb = packages.package(t, "syncline-*.whl"), packages.package(t, "*.deb")
    for package in (wheel, deb):
        shutil.copy(package, t.directory)
    packages.unpack(t, t.path("opt"))
    for name in sorted(os.listdir(os.path.join(packages.ROOT, "build/roots")), key=str) if t.full else NAMES:
        if os.path.isdir(os.path.join(packages.ROOT, "build/roots", name)):
            root = packages.RootFileSystem(t, name)
            each(t, root, name, program, t.path(os.path.basename(wheel)), t.path(os.path.basename(deb)))
            root.close()
            roots += 1
    if roots == 0:
        t.skip("no root file system is there: run tests/harness/make_roots.sh")


def each(t, root, name, program, wheel, deb):
    before = packages.files(root.path)
    [tree] = os.listdir(t.path("opt"))
    records(t, root, t.path(f"opt/{tree}/bin/syncline"), program, f"{name}, tarball")
    root.run("dpkg", "-i", deb)
    records(t, root, "/usr/bin/syncline", program, f"{name}, Debian package")
    root.run("dpkg", "--purge", "syncline")
    if os.path.exists(root.path + PYTHON):
        root.run(PYTHON, "-m", "venv", t.path("venv"))
        root.run(t.path("venv/bin/pip"), "install", "-q", "--no-index", wheel)
        records(t, root, t.path("venv/bin/syncline"), program, f"{name}, wheel")
        root.run(t.path("venv/bin/pip"), "uninstall", "-q", "-y", "syncline")
        shutil.rmtree(t.path("venv"))
    t.equal(packages.files(root.path) - before, set(), f"left behind in {name}")


def records(t, root, launcher, program, what):
    t.syncline = launcher
    doctor = root.run(launcher, "doctor")
    t.check(b"\nno " not in b"\n" + doctor.out, f"{what}: {doctor}")
    directory = t.new_directory()
    recording = t.record_command(root.command(*t.launch([program], (), directory)), directory)
    t.equal(recording.ending, "status 0", f"{what}: {recording}")
    t.check("overlap a" in recording.trace().names(), f"{what}: {recording}")
