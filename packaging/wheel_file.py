# SPDX-License-Identifier: Apache-2.0
"""The wheel: the launcher among the environment's programs, the library below its libexec/.

Nothing of Python runs between the user's command and the launcher. The package `syncline` holds `python -m syncline` and the program's own
door (docs/door.md), which loads nothing where nobody records.
"""

import re
import shutil

import stage

TAG = "py3-none-manylinux_2_17_x86_64"
# What an environment gets below its prefix: neither headers nor the documentation.
DATA = {
    "lib/libsyncline.so": "libexec/syncline/libsyncline.so",  # `pip install --target` drops what a wheel has in lib/
    "share/man/man1/syncline.1": "share/man/man1/syncline.1",
    "share/bash-completion/completions/syncline": "share/bash-completion/completions/syncline",
}
WHEEL = f"""Wheel-Version: 1.0
Generator: syncline scripts/package
Root-Is-Purelib: false
Tag: {TAG}
"""


def description():
    """README without what needs a repository around it: pictures with their captions, and links to files."""
    text = (stage.ROOT / "README.md").read_text()
    text = re.sub(r"!\[[^]]*\]\([^)]*\)\n*(\*(?! )[^\n]*\*\n+)?", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


def copy(source, target, mode):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def make(tree, work, dist):
    version = stage.version()
    folder = work / f"syncline-{version}"
    folder.mkdir()
    source = stage.ROOT / "packaging/wheel"
    for path in sorted(source.glob("*.py")):
        copy(path, folder / "syncline" / path.name, 0o644)
    data = folder / f"syncline-{version}.data"
    copy(tree / "bin/syncline", data / "scripts/syncline", 0o755)
    for name, place in DATA.items():
        copy(tree / name, data / "data" / place, 0o644)
    info = folder / f"syncline-{version}.dist-info"
    info.mkdir()
    metadata = (source / "METADATA.in").read_text().replace("@VERSION@", version)
    (info / "METADATA").write_text(metadata + "\n" + description())
    (info / "WHEEL").write_text(WHEEL)
    for path in [stage.ROOT / "LICENSE", stage.ROOT / "THIRD_PARTY_NOTICES.md", *(tree / "share/doc/syncline/licenses").iterdir()]:
        copy(path, info / "licenses" / path.name, 0o644)
    stage.run(stage.ROOT / "build/deps/venv/bin/wheel", "pack", "--dest-dir", dist, folder)
    shutil.rmtree(folder)
