# SPDX-License-Identifier: Apache-2.0
"""The manifest keeps of each device its UUID and, where the source tells it, its PCI address."""

LABELS = ("gpu",)
MODES = ("launcher",)
TWO = {"SIMGPU_DEVICES": "2"}


def test(t):
    t.simulated_only("its devices are known")
    cuda = devices_of(t, [t.cuda_program("vector_add")], "cuda")
    t.equal([device["device"] for device in cuda], [0, 1])
    t.equal(len({device["uuid"] for device in cuda}), 2)
    only = devices_of(t, [t.cuda_program("vector_add")], "cuda", {"CUDA_VISIBLE_DEVICES": "1"})
    t.equal([(device["device"], device["uuid"]) for device in only], [(0, cuda[1]["uuid"])], "the number is the process's, the UUID is not")
    level_zero = devices_of(t, t.level_zero_program("immediate"), "level_zero")
    t.equal([device["pci"] for device in level_zero], ["0000:01:00.0"], "of what it used")


def devices_of(t, program, source, more={}):
    recording = t.record(program, env={**t.gpu_environment(), **TWO, **more})
    devices = [device for process in recording.manifest()["processes"] for device in process["devices"]]
    t.equal({device["source"] for device in devices}, {source})
    return devices
