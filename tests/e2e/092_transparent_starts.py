# SPDX-License-Identifier: Apache-2.0
"""However a program is started, it finds the environment, the files, the threads and the signals that it would find without us, and says
and answers the same."""

LABELS = ("python", "mpi")
MODES = ("launcher",)
TIMEOUT = 120
CLUSTER = {
    "KUBERNETES_SERVICE_HOST": "10.0.0.1",
    "KUBERNETES_PORT": "tcp://10.0.0.1:443",
    "KUBERNETES_PORT_443_TCP_PROTO": "tcp",
    "SYNCLINE_SERVICE_HOST": "10.0.0.2",
    "SYNCLINE_SERVICE_PORT": "80",
    "SYNCLINE_SERVICE_PORT_HTTP": "80",
    "SYNCLINE_PORT": "tcp://10.0.0.2:80",
    "SYNCLINE_PORT_80_TCP": "tcp://10.0.0.2:80",
    "SYNCLINE_PORT_80_TCP_ADDR": "10.0.0.2",
}
INTO_FILES = 'exec "$@" >"$0.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"'
MPIS = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "mpich": ["mpiexec.mpich"]}


def test(t):
    state = ["python3", t.victim("print_state.py")]
    recording = t.transparent(state, env=CLUSTER, complete=False)
    t.equal([line for line in recording.said if "not known" in line], [], "variables of a service are no slip")
    script = 'cd /; "$@" one; env -i A=b "$@" two; (exec -c "$@" three)'
    recording = t.transparent(["bash", "-c", script, "-", "/usr/bin/python3", state[1]], ["--follow-env"], complete=False)
    t.equal(len({line.split()[0] for line in recording.out.splitlines()}), 3)
    in_rank = 'for word in one two; do "$@" $word; "$0"; done'
    recording = t.transparent(["sh", "-c", in_rank, t.victim("hello"), *state], env={"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0"}, complete=False)
    for launcher in MPIS.values():
        same(t, [t.need(launcher[0]), *launcher[1:], "-n", "2", "sh", "-c", INTO_FILES, t.path("rank"), *state])
    # Debian's MPICH refuses MPI_Comm_spawn by itself.
    recording = t.transparent([*MPIS["openmpi"], "-n", "1", t.victim("mpi_spawn_sum")])
    t.equal(recording.out, b"sum 3\n", str(recording))


def same(t, program):
    """Of two ranks, each of which writes a file: MPI's launchers mix what they print within a line."""
    said = []
    for run in (t.run, lambda program: t.record(program, complete=False)):
        result = run(program)
        said.append((result.ending, result.out, result.err, [read(t.path(f"rank.{rank}")) for rank in range(2)]))
    t.equal(said[1], said[0], "ending, output and what the ranks found")
    t.check(all(b"LC_ALL=" in found for found in said[0][3]), f"{said[0]}")


def read(path):
    with open(path, "rb") as file:
        return file.read()
