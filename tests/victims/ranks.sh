#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What batch scripts do around a rank: helper processes, then the program as a child. The shell has the rank's variables too.
hostname > /dev/null
date > /dev/null
"$@"
status=$?
exit $status
