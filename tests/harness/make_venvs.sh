#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the virtual environments that the tests use, under build/: make_venvs.sh [hta] [hta-old] [viewers] [torch]
# [torch-cuda] [pipelines] [torch-compile] [sycl]; all but the last two without arguments. One that is complete is left alone. Packages: tests/requirements-*.txt; a line
# "# no-deps: NAME" there installs NAME without what it pulls in but does not import; "# download: SIZE" is told before;
# "# beside: NAME" lets it see the packages of another environment.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root/build"
status=0

make() {
  local folder=$1 list=$2 site=$3 package
  /usr/bin/python3 -m venv $site "$folder" || return 1
  "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$list" || return 1
  for package in $(sed -n 's/^# no-deps: //p' "$list"); do
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps "$package" || return 1
  done
  for package in $(sed -n 's/^# beside: //p' "$list"); do
    if [ ! -f "$root/build/venv-$package/requirements.txt" ]; then
      echo "make_venvs: it needs build/venv-$package: run make_venvs.sh $package first" >&2
      return 1
    fi
    echo "$root/build/venv-$package"/lib/python3*/site-packages >"$(echo "$folder"/lib/python3*/site-packages)/beside.pth"
  done
  cp "$list" "$folder/requirements.txt"
}

[ $# -gt 0 ] || set -- hta hta-old viewers torch torch-cuda pipelines
for name in "$@"; do
  folder=$root/build/venv-$name
  list=$root/tests/requirements-$name.txt
  if [ ! -f "$list" ]; then
    echo "make_venvs: no such environment: $name (there is no tests/requirements-$name.txt)" >&2
    exit 2
  fi
  cmp -s "$list" "$folder/requirements.txt" && continue
  size=$(sed -n 's/^# download: //p' "$list")
  [ -z "$size" ] || echo "make_venvs: build/venv-$name downloads $size" >&2
  rm -rf "$folder"
  site=
  [ "$name" = torch ] && site=--system-site-packages  # Debian's python3-torch
  if ! make "$folder" "$list" "$site"; then
    echo "make_venvs: build/venv-$name could not be made (is python3-venv installed, and a package index in reach?)" >&2
    status=1
  fi
done
exit $status
