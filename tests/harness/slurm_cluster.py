# SPDX-License-Identifier: Apache-2.0
"""A Slurm of two pretend nodes n1 and n2 on this machine, as root, in a folder of its own; ends all
that it started."""

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import processes

HERE = os.path.dirname(os.path.abspath(__file__))
DAEMONS = ("slurmctld.pid", "slurmd.n1.pid", "slurmd.n2.pid", "munge/pid")


def free_ports(count):
    """Ports in a row below the ephemeral range, by chance, so that two clusters at once do not
    meet."""
    while True:
        first = random.randrange(20000, 32000)
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return list(range(first, first + count))
        except OSError:
            continue
        finally:
            for each in sockets:
                each.close()


class Cluster:
    """`with Cluster() as cluster`: run srun with cluster.environment."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="syslurm", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.environment = {"SLURM_CONF": os.path.join(self.folder, "slurm.conf")}

    def __enter__(self):
        try:
            self._configure()
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _configure(self):
        for name in ("munge", "state", "spool.n1", "spool.n2", "log"):
            os.mkdir(os.path.join(self.folder, name))
        with open(os.path.join(HERE, "slurm", "slurm.conf")) as file:
            text = file.read()
        words = {"FOLDER": self.folder, "HOST": socket.gethostname().split(".")[0]}
        words.update({f"PORT{i}": str(port) for i, port in enumerate(free_ports(3))})
        for word, value in words.items():
            text = text.replace(word, value)
        with open(self.environment["SLURM_CONF"], "w") as file:
            file.write(text)
        key = os.path.join(self.folder, "munge", "key")
        with open(key, "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(key, 0o400)

    def _daemon(self, *command):
        result = subprocess.run(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **self.environment},
        )
        if result.returncode:
            raise RuntimeError(
                f"{command[0]} does not start: {result.stderr.decode(errors='replace')}\n{self.logs()}"
            )

    def _start(self):
        munge, conf = os.path.join(self.folder, "munge"), self.environment["SLURM_CONF"]
        # munged refuses folders that others may write to, unless forced; /tmp is such a parent.
        self._daemon(
            "munged",
            "--force",
            f"--key-file={munge}/key",
            f"--socket={munge}/socket",
            f"--pid-file={munge}/pid",
            f"--log-file={self.folder}/log/munged.log",
            f"--seed-file={munge}/seed",
        )
        self._daemon("slurmctld", "-i", "-f", conf)
        for node in ("n1", "n2"):
            self._daemon("slurmd", "-N", node, "-f", conf)
        deadline = time.monotonic() + 30
        while self._ask("sinfo", "-h", "-t", "idle", "-o", "%D").strip() != "2":
            if time.monotonic() > deadline:
                raise RuntimeError(f"the nodes are not idle after 30 s\n{self.logs()}")
            time.sleep(0.1)

    def _ask(self, *command):
        try:
            return subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=5,
                env={**os.environ, **self.environment},
            ).stdout.decode()
        except subprocess.TimeoutExpired:
            return ""

    def logs(self):
        text = ""
        for name in os.listdir(os.path.join(self.folder, "log")):
            with open(os.path.join(self.folder, "log", name), errors="replace") as file:
                text += f"--- {name}\n{file.read()[-2000:]}"
        return text

    def _pids(self):
        pids = []
        for name in DAEMONS:
            try:
                with open(os.path.join(self.folder, name)) as file:
                    pids.append(int(file.read()))
            except (OSError, ValueError):
                pass
        mark = f"SLURM_CONF={self.folder}/".encode()
        for name in os.listdir("/proc"):  # a slurmstepd stays if its job was killed hard
            try:
                with open(f"/proc/{name}/comm") as comm, open(
                    f"/proc/{name}/environ", "rb"
                ) as environ:
                    if comm.read().strip() == "slurmstepd" and mark in environ.read():
                        pids.append(int(name))
            except OSError:
                pass
        return [pid for pid in pids if os.path.exists(f"/proc/{pid}")]

    def __exit__(self, *unused):
        """Jobs first, while the daemons can still report their end."""
        if os.path.exists(os.path.join(self.folder, "slurmctld.pid")) and self._ask("squeue", "-h"):
            self._ask("scancel", "--user=root")
            for _ in range(50):
                if not self._ask("squeue", "-h"):
                    break
                time.sleep(0.1)
        pids = self._pids()
        for number in (signal.SIGTERM, signal.SIGKILL):
            for pid in pids:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
            deadline = time.monotonic() + 5
            while pids and time.monotonic() < deadline:
                processes.reap()  # they became our children when they went into the background
                pids = [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
                time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)
