# SPDX-License-Identifier: Apache-2.0
"""The wheel syncline-simulated-gpu: libraries under NVIDIA's names, below the environment's libexec/syncline, where the launcher looks
(launcher/start/simulated_gpu.cc). Nothing of it is Python, and no loader finds it unless it is told."""

import shutil

import licenses
import stage
from wheel_file import TAG, WHEEL, copy

BUILD = stage.ROOT / "build/simulated-gpu"
PLACE = "libexec/syncline/simulated_gpu"
LICENSES = ("llvm-libcxx.txt", "llvm-libunwind.txt", "zig-compiler-rt.txt", "nvtx.txt")


def make(work, dist):
    version = stage.version()
    name = f"syncline_simulated_gpu-{version}"
    folder = work / name
    folder.mkdir(parents=True)
    data = folder / f"{name}.data/data" / PLACE
    source = stage.ROOT / "packaging/simulated_gpu"
    for library in sorted((BUILD / "simulated_gpu/lib").iterdir()):
        copy(library, data / "lib" / library.name, 0o644)
        stage.run("strip", "--strip-all", data / "lib" / library.name)
    copy(source / "README.md", data / "README.md", 0o644)
    info = folder / f"{name}.dist-info"
    info.mkdir()
    metadata = (source / "METADATA.in").read_text().replace("@VERSION@", version)
    (info / "METADATA").write_text(metadata + "\n" + (source / "README.md").read_text())
    (info / "WHEEL").write_text(WHEEL)
    licenses.collect(info / "licenses", stage.ROOT, LICENSES)
    copy(stage.ROOT / "LICENSE", info / "licenses/LICENSE", 0o644)
    for old in dist.glob(f"syncline_simulated_gpu-*-{TAG}.whl"):
        old.unlink()
    stage.run(stage.ROOT / "build/deps/venv/bin/wheel", "pack", "--dest-dir", dist, folder)
    shutil.rmtree(folder)
