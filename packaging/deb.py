# SPDX-License-Identifier: Apache-2.0
"""The Debian package, by CPack: the tree below /usr, with what Debian wants compressed or at other places."""

import gzip
import shutil

import stage


def compress(path):
    """As `gzip -9n`: without name and time."""
    with gzip.GzipFile(path.with_name(path.name + ".gz"), "wb", 9, mtime=0) as file:
        file.write(path.read_bytes())
    path.unlink()


def make(tree, work, dist):
    root = work / "deb"
    shutil.copytree(tree, root / "usr", symlinks=True)
    documents = root / "usr/share/doc/syncline"
    compress(root / "usr/share/man/man1/syncline.1")
    (documents / "CHANGELOG.md").rename(documents / "changelog")
    compress(documents / "changelog")
    shutil.copyfile(stage.ROOT / "packaging/debian-copyright", documents / "copyright")
    (documents / "LICENSE").unlink()  # /usr/share/common-licenses has the text
    stage.run("cpack", "-G", "DEB", "--config", stage.ROOT / "packaging/deb.cmake", "-B", work / "cpack",
              "-D", f"CPACK_PACKAGE_VERSION={stage.version()}", "-D", f"CPACK_PACKAGE_FILE_NAME=syncline_{stage.version()}_amd64", "-D", f"CPACK_INSTALLED_DIRECTORIES={root};/",
              stdout=(work / "cpack.log").open("w"))
    [package] = (work / "cpack").glob("*.deb")
    shutil.move(str(package), str(dist / package.name))
