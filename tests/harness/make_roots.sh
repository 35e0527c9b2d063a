#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the root file systems that packages are tried in, under build/roots: make_roots.sh [NAME]..., as root, with debootstrap.
# NAME is a suite of Debian, at any date `oldoldstable` and `stable` (without arguments: these two), or an Ubuntu release
# such as `xenial` (glibc 2.23; not checked against a key, for Debian has no keyring of Ubuntu: only by hand).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
roots=$root/build/roots
mkdir -p "$roots"

make() {
  local name=$1 folder=$roots/$1 from=http://deb.debian.org/debian more=
  [ ! -f "$folder/complete" ] || return 0
  rm -rf "$folder"
  case $name in
    stable | sid) more=--include=python3-venv ;;
    xenial | bionic | focal | jammy | noble) from=http://archive.ubuntu.com/ubuntu; more=--no-check-gpg ;;
  esac
  if debootstrap --variant=minbase $more "$name" "$folder" "$from" >"$roots/$name.log" 2>&1; then
    rm -rf "$folder"/var/cache/apt/archives/*.deb
    touch "$folder/complete"
  else
    echo "make_roots: build/roots/$name could not be made; the log is build/roots/$name.log" >&2
    rm -rf "$folder"
    return 1
  fi
}

[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { echo "make_roots: needs root, and the package debootstrap" >&2; exit 1; }
[ $# -gt 0 ] || set -- oldoldstable stable
status=0
for name in "$@"; do make "$name" & done
for job in $(jobs -p); do wait "$job" || status=1; done
exit $status
