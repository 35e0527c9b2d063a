# SPDX-License-Identifier: Apache-2.0
"""mpirun over two nodes with a host name, network, /dev/shm and TMPDIR of their own and an agent
that hands down no
environment: the launcher's socket is out of reach there, and still each rank's trace lands in the
one directory.
"""

import importlib.util
import os

from pretend_nodes import Nodes

LABELS = ("mpi",)


def test(t):
    t.need_root()
    t.need("ip", "nsenter")
    check_ranks = load("300_mpi").check_ranks
    with Nodes(t) as nodes:
        for mpi in ("openmpi", "mpich"):
            mpirun = [t.need(f"mpirun.{mpi}"), *options(mpi, nodes), "-n", "4"]
            program = [t.victim(f"mpi_{mpi}")]
            for order in ("inside", "outside"):
                directory = t.new_directory()
                launch = t.launch(program, (), directory)
                command = (
                    [*mpirun, *launch]
                    if order == "inside"
                    else t.launch([*mpirun, *program], (), directory)
                )
                recording = t.record_command(nodes.command(command), directory, timeout=100)
                check_ranks(t, recording, mpi, f"{mpi} {order}")
                hosts = {
                    process["host"]
                    for rank in range(4)
                    for process in recording.manifest(rank)["processes"]
                }
                t.check(hosts >= {"n1", "n2"}, f"{mpi} {order}: hosts {hosts}")


def options(mpi, nodes):
    if mpi == "openmpi":
        return [
            "--allow-run-as-root",
            "--mca",
            "plm_rsh_agent",
            nodes.agent,
            "--mca",
            "btl",
            "self,tcp",
            "--mca",
            "pml",
            "ob1",
            "--host",
            "n1:2,n2:2",
        ]
    return ["-launcher", "ssh", "-launcher-exec", nodes.agent, "-hosts", "n1:2,n2:2"]


def load(name):
    spec = importlib.util.spec_from_file_location(
        "other", os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
