# SPDX-License-Identifier: Apache-2.0
"""Ranks that all compute on one GPU while another is idle: the first finding, and none where each has its own or sees no other."""

import json

LABELS = ("gpu", "mpi")
MODES = ("launcher",)
CHOICES = {"forgotten": "", "own": "CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_LOCAL_RANK ", "no other": "CUDA_VISIBLE_DEVICES=0 "}


def test(t):
    t.simulated_only("it needs two GPUs")
    mpirun = [t.need("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    for choice, chosen in CHOICES.items():
        program = ["sh", "-c", f"{chosen}exec {t.cuda_program('vector_add')}"]
        directory = t.new_directory()
        recording = t.record_command(t.launch([*mpirun, *program], (), directory), directory, env={**t.gpu_environment(), "SIMGPU_DEVICES": "2", "SIMGPU_DURATIONS": "*=300ms"})
        t.equal(recording.ranks(), [0, 1], choice)
        told = json.loads(t.run([t.syncline, "report", directory, "--format", "json"]).out)
        shared = [(place, finding["rank"], finding["problem"]) for place, finding in enumerate(told["findings"]) if finding["kind"] == "shared_device"]
        wanted = [(0, "ranks 0 and 1", "2 ranks compute on one GPU, while 1 other has nothing to do")]
        t.equal(shared, wanted if choice == "forgotten" else [], choice)
        sentences = [text for text in told["health"] if text.startswith("ranks 0 and 1 compute on one GPU")]
        t.equal(len(sentences), 0 if choice == "own" else 1, f"{choice}: {told['health']}")
