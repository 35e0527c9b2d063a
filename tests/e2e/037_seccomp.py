# SPDX-License-Identifier: Apache-2.0
"""Where memfd_create is refused, the segment is a file, and everything is recorded all the same."""


def test(t):
    program = [t.victim("threads"), "parallel", "4", "100"]
    # In process mode it is always one: its records are kept over a kill.
    t.equal("file_memory" in degraded(t.record(program)), t.mode == "process", "a file, though memory can be had")
    recording = t.transparent([t.victim("seccomp_refuse"), "memfd", *program])
    t.check("file_memory" in degraded(recording), f"memory, or nothing said of the file: {recording.manifest()}")
    t.counted(recording.trace().names(), {"round": 400})
    t.equal(recording.losses(), {}, "losses")


def degraded(recording):
    """What the manifest says of the rank's one process, and of the rank."""
    manifest = recording.manifest()
    [process] = manifest["processes"]
    return set(manifest["degraded"]) & set(process["degraded"])
