# SPDX-License-Identifier: Apache-2.0
"""torch.compile makes the same graphs with --torch modules: a compiled module has its range, those that were compiled into it have none, and
what is called as before has its own."""

LABELS = ("torch",)
MODES = ("launcher",)
TIMEOUT = 240


def test(t):
    t.simulated_only()
    t.venv("torch-compile")
    recording = t.transparent(t.torch_program("graphs", environment="torch-compile"), ["--torch", "modules"], env=t.torch_environment())
    t.equal(recording.losses(), {}, f"{recording}")
    names = sorted(r.name for r in recording.trace().modules())
    plain = ["Net", "Net.head", *[f"Net.blocks.{block}{below}" for block in range(2) for below in ("", ".linear", ".relu")]]
    t.equal(names, sorted([*plain, *["Block", "OptimizedModule", "OptimizedModule._orig_mod"] * 3]), "modules")
