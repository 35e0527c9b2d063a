// SPDX-License-Identifier: Apache-2.0
// Where the files of a rank lie in its run's directory.
#pragma once

#include <string>
#include <vector>

namespace syncline {

// Whether this is a rank's trace, and not one beside it (of processes that outlived the run, whose
// collectives cannot be numbered).
bool IsWholeRank(const std::string& name, int rank);
// Whether this is a trace of a rank that MPI_Comm_spawn started: "rank-0-spawn-1".
bool IsSpawnedRank(const std::string& name);
// Whether this is a trace of a rank of another job of the run: "rank-0-job-2".
bool IsRankOfOtherJob(const std::string& name);

// DIR/rank-3.trace.json.gz; of no rank: DIR/run/launcher.trace.json.gz
std::string TracePath(const std::string& directory, const std::string& name, int rank);
// DIR/run/rank-3.json
std::string ManifestPath(const std::string& directory, const std::string& name);
// DIR/run/rank-3.findings
std::string FindingsPath(const std::string& directory, const std::string& name);
// DIR/run/rank-3.memory: what its allocator did, if it told.
std::string MemoryPath(const std::string& directory, const std::string& name);
// DIR/run/n1-1234.samples: those of the host that the launcher of this number took on a node.
std::string SamplesPath(const std::string& directory, const std::string& node, int launcher);
// All of these, of any node.
std::vector<std::string> SampleFiles(const std::string& directory);
// DIR/run/rank-3.left-out: --ranks leaves the rank out, nobody waits for its trace.
std::string LeftOutPath(const std::string& directory, int rank);

}  // namespace syncline
