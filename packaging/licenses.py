# SPDX-License-Identifier: Apache-2.0
"""The licence texts of what the portable build links in, from where each came. THIRD_PARTY_NOTICES.md is the list for people."""

import shutil
import sys

SYSTEM = "/usr/share/doc/{}/copyright"
ZIG = "build/deps/zig/lib/python3*/site-packages/ziglang/"
SOURCES = {  # file name: path, absolute or a pattern below the checkout
    "spdlog.txt": SYSTEM.format("libspdlog-dev"),
    "fmt.txt": SYSTEM.format("libfmt-dev"),
    "nlohmann-json.txt": SYSTEM.format("nlohmann-json3-dev"),
    "cli11.txt": SYSTEM.format("libcli11-dev"),
    "zlib.txt": SYSTEM.format("zlib1g-dev"),
    "isa-l.txt": "build/deps/portable/licenses/isa-l.txt",
    "llvm-libcxx.txt": ZIG + "lib/libcxx/LICENSE.TXT",
    "llvm-libunwind.txt": ZIG + "lib/libunwind/LICENSE.TXT",
    "zig-compiler-rt.txt": ZIG + "LICENSE",
    "glibc-startup.txt": ZIG + "lib/libc/glibc/LICENSES",
    "nvtx.txt": "packaging/nvtx-license.txt",
}


def find(source, root):
    found = [source] if source.startswith("/") else sorted(root.glob(source))
    return found[0] if found else None


def collect(folder, root, names=tuple(SOURCES)):
    """Copies these texts. A package without them may not be given on."""
    folder.mkdir(parents=True)
    for name in names:
        source = SOURCES[name]
        found = find(source, root)
        try:
            shutil.copyfile(found or source, folder / name)
        except OSError as error:
            sys.exit(f"package: the licence {name} cannot be read ({error}). Install what the portable preset is built with, "
                     "by scripts/build portable, and its documentation (some container images leave out /usr/share/doc).")
        (folder / name).chmod(0o644)
