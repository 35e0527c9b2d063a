# SPDX-License-Identifier: Apache-2.0
"""What packages promise of themselves: auditwheel and twine find no fault, no symbol is newer than glibc 2.17, no path of the machine
that built them is inside, the sums are right, and the tarball's modulefile loads wherever the tree lies."""

import os
import re
import subprocess

import packages

MODES = ("launcher",)
LABELS = ("packages",)


def output(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def test(t):
    dist = os.path.dirname(packages.package(t, "syncline-*.whl"))
    output("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=dist)
    tree = packages.unpack(t, t.path("anywhere"))
    for name in ("bin/syncline", "lib/libsyncline.so"):
        binary(t, os.path.join(tree, name))
    documents = os.path.join(tree, "share/doc/syncline")
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md", "licenses/isa-l.txt", "licenses/llvm-libcxx.txt"):
        t.check(os.path.getsize(os.path.join(documents, name)) > 500, name)
    t.syncline = os.path.join(tree, "bin/syncline")
    t.check("overlap a" in t.record([t.victim("nvtx_c")]).trace().names(), "the tarball's")
    modules(t, tree)
    wheel_checks(t, packages.package(t, "syncline-*.whl"))


def binary(t, path):
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", path))
    t.check(max((int(a), int(b)) for a, b in versions) <= (2, 17), f"{path}: {sorted(set(versions))}")
    dynamic = output("readelf", "-dW", path)
    t.check("RELR" not in dynamic and "RUNPATH" not in dynamic, dynamic)
    t.check("Build ID: " in output("readelf", "-n", path), f"{path} has no build id")
    found = [line for line in output("strings", path).splitlines() if packages.ROOT in line or "site-packages/ziglang" in line]
    t.equal(found, [], f"paths in {path}")


def modules(t, tree):
    tcl = t.need("tclsh")
    script = """
        proc prepend-path {name value} { puts "$name $value" }
        proc module-whatis {text} {}
        proc conflict {name} {}
        set ModulesCurrentModulefile [lindex $argv 0]
        source [lindex $argv 0]
    """
    with open(t.path("load.tcl"), "w") as file:
        file.write(script)
    [version] = os.listdir(os.path.join(tree, "share/modulefiles/syncline"))
    told = output(tcl, t.path("load.tcl"), os.path.join(tree, "share/modulefiles/syncline", version), env={"MANPATH": "/x"})
    t.equal(told, f"PATH {tree}/bin\nMANPATH {tree}/share/man\n")


def wheel_checks(t, wheel):
    python = t.venv("packages")
    audit = output(python, "-m", "auditwheel", "show", wheel)
    t.check('is consistent with\nthe following platform tag: "manylinux_2_17_x86_64"' in audit, audit)
    output(python, "-m", "twine", "check", "--strict", wheel)
