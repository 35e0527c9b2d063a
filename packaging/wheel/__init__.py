# SPDX-License-Identifier: Apache-2.0
"""Syncline records any command into a timeline per rank: run `syncline --help`. Nothing is imported into recorded programs."""
