# SPDX-License-Identifier: Apache-2.0
"""The manifest keeps of each device its UUID and its PCI address."""

LABELS = ("gpu",)
MODES = ("launcher",)
TWO = {"SIMGPU_DEVICES": "2"}


def test(t):
    t.simulated_only("its devices are known")
    cuda = devices_of(t, [t.cuda_program("vector_add")], "cuda")
    t.equal([device["device"] for device in cuda], [0, 1])
    t.equal(len({device["uuid"] for device in cuda}), 2)
    t.equal([device["pci"] for device in cuda], ["0000:01:00.0", "0000:02:00.0"])
    only = devices_of(t, [t.cuda_program("vector_add")], "cuda", {"CUDA_VISIBLE_DEVICES": "1"})
    t.equal(only, [{**cuda[1], "device": 0}], "the number is the process's, all else is not")
    full = t.record([t.cuda_program("vector_add")], options=["--cuda-api", "full"], env=t.gpu_environment()).trace()
    t.check(full.calls(), "no calls")
    t.equal({call.tid for call in full.calls()}, {full.calls()[0].pid}, "the helper's question is no call of the program")
    level_zero = devices_of(t, t.level_zero_program("immediate"), "level_zero")
    t.equal([device["pci"] for device in level_zero], ["0000:01:00.0"], "of what it used")


def devices_of(t, program, source, more={}):
    recording = t.record(program, env={**t.gpu_environment(), **TWO, **more})
    devices = [device for process in recording.manifest()["processes"] for device in process["devices"]]
    t.equal({device["source"] for device in devices}, {source})
    return devices
