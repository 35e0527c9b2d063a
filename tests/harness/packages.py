# SPDX-License-Identifier: Apache-2.0
"""What the tests of packages share: the packages of dist/, environments and root file systems to install them into."""

import glob
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIP = ("pip", "--disable-pip-version-check", "-q", "--no-cache-dir")
# What package managers note for themselves.
NOTED = ("var/lib/dpkg/", "var/log/", "var/cache/", "proc/", "dev/", "sys/", "tmp/", "root/")


def package(t, pattern):
    """The package of this build, from dist/."""
    found = glob.glob(os.path.join(ROOT, "dist", pattern))
    if len(found) != 1:
        t.skip(f"dist/{pattern} is not there: run scripts/package")
    return found[0]


def files(folder):
    """What lies below: all but folders, bytecode and what package managers note."""
    found = set()
    for place, folders, names in os.walk(folder):
        inside = os.path.relpath(place, folder) + "/"
        folders[:] = [name for name in folders if not (inside + name + "/").removeprefix("./").startswith(NOTED)]
        found |= {os.path.normpath(inside + name) for name in names if not name.endswith(".pyc")}
    return found


def unpack(t, folder):
    """The tarball below `folder`: its root."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["tar", "--zstd", "-xf", package(t, "*-linux-x86_64.tar.zst"), "-C", folder], check=True)
    [tree] = glob.glob(os.path.join(folder, "syncline-*"))
    return tree


def new_venv(t, python, name):
    """A fresh environment with the pip that comes with this Python."""
    folder = t.path(name)
    done = t.run([python, "-m", "venv", folder])
    if done.status != 0:
        t.skip(f"{python} -m venv does not work: {done}")
    return folder


def pip(t, venv, *arguments):
    done = t.run([f"{venv}/bin/python", "-m", *PIP, *arguments])
    t.equal(done.ending, "status 0", f"{done}")


def site_packages(venv):
    return glob.glob(f"{venv}/lib/python3*/site-packages")


def see(t, venv, name):
    """The environment sees the packages of another one, of tests/harness/make_venvs.sh."""
    [other] = site_packages(os.path.dirname(os.path.dirname(t.venv(name))))
    [site] = site_packages(venv)
    with open(os.path.join(site, "beside.pth"), "w") as file:
        file.write(os.path.realpath(other) + "\n")


def nvtx_program(t):
    """A program with NVTX ranges for glibc 2.17, so that it runs in every root file system."""
    compiler = os.path.join(ROOT, "build/deps/zig/bin/portable-cc")
    cache = os.path.join(ROOT, "build/portable/CMakeCache.txt")
    if not os.path.exists(compiler) or not os.path.exists(cache):
        t.skip("the portable preset was not built: run scripts/build portable")
    with open(cache) as file:
        [headers] = [line.split("=", 1)[1].strip() for line in file if line.startswith("SYNCLINE_NVTX_INCLUDE_DIR:")]
    program = t.path("nvtx_c")
    source = os.path.join(ROOT, "tests/victims/nvtx_c.c")
    subprocess.run([compiler, "-O1", "-I", headers, source, "-o", program, "-ldl", "-lpthread"], check=True)
    return program


class RootFileSystem:
    """One of build/roots (tests/harness/make_roots.sh), with the test's folder at the same path inside."""

    def __init__(self, t, name):
        t.need_root()
        if not os.environ.get("E2E_ISOLATED"):
            t.skip("mounts need a mount namespace of the test's own")
        self.t, self.path = t, os.path.join(ROOT, "build/roots", name)
        if not os.path.exists(os.path.join(self.path, "complete")):
            t.skip(f"build/roots/{name} is not there: run tests/harness/make_roots.sh {name}")
        inside = self.path + t.directory
        os.makedirs(inside, exist_ok=True)
        for mount in (["-t", "proc", "proc", self.path + "/proc"], ["--rbind", "/dev", self.path + "/dev"],
                      ["--bind", t.directory, inside]):
            subprocess.run(["mount", *mount], check=True)

    def close(self):
        """The mounts go with the test's mount namespace; the folder is empty then."""
        inside = self.path + self.t.directory
        subprocess.run(["umount", inside], check=True)
        os.rmdir(inside)

    def hide(self, folder):
        """What lies there outside is not seen inside."""
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.path + folder], check=True)

    def show(self, folder):
        subprocess.run(["umount", self.path + folder], check=True)

    def command(self, *command):
        return ["chroot", self.path, *command]

    def run(self, *command):
        done = self.t.run(self.command(*command))
        self.t.equal(done.ending, "status 0", f"{' '.join(command)}: {done}")
        return done
