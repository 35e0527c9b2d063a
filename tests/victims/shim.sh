#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A wrapper such as version managers install: dozens of helper processes, several execs in one pid, then the program.
set -e
name=$(echo "$1" | sed 's/x/x/g' | cut -d/ -f1- | tr -d '\n')
for i in 1 2 3 4 5; do
  value=$(printf '%s\n' "$i" | grep -o . | head -n 1)
  test "$value" = "$i"
done
shift
exec /usr/bin/env bash -c 'exec "$@"' shim "$name" "$@"
