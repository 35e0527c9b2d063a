// SPDX-License-Identifier: Apache-2.0
// Rank, size, local rank and node of this process, from the variables of its launcher. The table is
// rank.def.
#pragma once

#include <cstddef>

#include "inject/core/segment.h"

namespace syncline {

// Reads the environment through `lookup` (Environment in production; a map in tests). All fields -1
// / kNone if unknown.
RankFacts FindRank(const char* (*lookup)(const char* name));

// Fills in `job` and `starter`. They take longer, and only who is recorded needs them.
void FindJob(const char* (*lookup)(const char* name), RankFacts* facts);

// "openmpi", "slurm", ...; "none".
const char* LauncherName(uint32_t kind);

// Name of this node: SLURMD_NODENAME, PMIX_HOSTNAME, ..., else gethostname. Pretend nodes share a
// hostname.
void FindNodeName(const char* (*lookup)(const char* name), char* out, size_t bytes);

// The job's key, the same in all ranks of one job and in no other job (design: Options, `-o`):
// Slurm job.step+restart, torchrun run id+restart, PMIx namespace+URI, hydra's control port. Empty:
// no launcher, the command is its own job.
void FindJobKey(const char* (*lookup)(const char* name), char* out, size_t bytes);

}  // namespace syncline
