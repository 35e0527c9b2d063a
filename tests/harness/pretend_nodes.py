# SPDX-License-Identifier: Apache-2.0
"""Nodes on one machine: each has a host name, a network, a /dev/shm and a /tmp of its own, and is
reached by an agent that hands no environment down, as ssh does. Below /tmp they share only the
test's folder and the build. Needs root.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORK = "10.77.0."
SETUP = """set -e
mount -t tmpfs tmpfs /dev/shm
exec 3<{shared} 4<{build}
mount -t tmpfs tmpfs /tmp
mkdir -p {shared} {build}
mount -c --bind /proc/self/fd/3 {shared}
mount -c --bind /proc/self/fd/4 {build}
mount --bind {folder}/hosts /etc/hosts
hostname {name}
ip link set lo up
"""
AGENT = """#!/bin/bash
# Runs a command on a pretend node: agent [options] NODE COMMAND..., with an empty environment.
while [ "${{1#-}}" != "$1" ]; do shift; done
node=$1
shift
exec nsenter -t "$(cat {folder}/$node.pid)" -m -n -u env -i PATH=/usr/local/bin:/usr/bin:/bin HOME={folder} \\
  TMPDIR={folder}/tmp-$node LC_ALL=C.UTF-8 sh -c "cd {folder}; $*"
"""


class Nodes:
    """`with Nodes(t, count) as nodes`: nodes.names, nodes.agent, nodes.command(program) runs
    it on the head node."""

    def __init__(self, t, count=2):
        folder = t.path("nodes")
        self._words = {"folder": folder, "shared": t.directory, "build": t.build}
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.names = [f"n{i + 1}" for i in range(count)]
        self.agent = os.path.join(folder, "agent")
        self._holders = {}

    def __enter__(self):
        try:
            with open(os.path.join(self.folder, "hosts"), "w") as file:
                file.write("127.0.0.1 localhost\n")
                for i, name in enumerate(["head"] + self.names):
                    file.write(f"{NETWORK}{10 + i} {name}\n")
            with open(self.agent, "w") as file:
                file.write(AGENT.format(folder=self.folder))
            os.chmod(self.agent, 0o755)
            for name in ["head"] + self.names:
                self._make(name)
            self._connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self, name):
        os.makedirs(os.path.join(self.folder, f"tmp-{name}"), exist_ok=True)
        ready, done = os.pipe()
        hold = f"import ctypes, os, signal; ctypes.CDLL(None).prctl(1, 9); os.write({done}, b'1'); signal.pause()"
        self._holders[name] = subprocess.Popen(
            ["unshare", "-m", "-n", "-u", "--propagation", "private", sys.executable, "-c", hold],
            pass_fds=[done],
            stdin=subprocess.DEVNULL,
        )
        os.close(done)
        os.read(ready, 1)
        os.close(ready)
        with open(os.path.join(self.folder, f"{name}.pid"), "w") as file:
            file.write(str(self._holders[name].pid))
        self._inside(name, SETUP.format(**self._words, name=name))

    def _inside(self, name, script):
        subprocess.run(
            self._enter(name) + ["sh", "-c", script], check=True, stdin=subprocess.DEVNULL
        )

    def _enter(self, name):
        return ["nsenter", "-t", str(self._holders[name].pid), "-m", "-n", "-u"]

    def _connect(self):
        """A bridge on the head node, with a cable to each of the others."""
        self._inside(
            "head",
            f"ip link add br0 type bridge; ip link set br0 up; ip addr add {NETWORK}10/24 dev br0",
        )
        for i, name in enumerate(self.names):
            pid = self._holders[name].pid
            self._inside(
                "head",
                f"ip link add {name} type veth peer name eth0 netns {pid}; ip link set {name} master br0 up",
            )
            self._inside(name, f"ip link set eth0 up; ip addr add {NETWORK}{11 + i}/24 dev eth0")

    def command(self, program):
        """The command that runs `program` on the head node, environment and folder as they are."""
        return self._enter("head") + [
            "-w" + os.getcwd(),
            "env",
            f"TMPDIR={self.folder}/tmp-head",
            *program,
        ]

    def __exit__(self, *unused):
        for holder in self._holders.values():
            holder.kill()
            holder.wait()
