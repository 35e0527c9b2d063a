// SPDX-License-Identifier: Apache-2.0
// Names of files.
#include "offline/rank_paths.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace syncline {

bool IsWholeRank(const std::string& name, int rank) {
  return rank >= 0 && name == Text("rank-", rank);
}

bool IsSpawnedRank(const std::string& name) {
  return name.starts_with("rank-") && name.find("-spawn-") != std::string::npos;
}

bool IsRankOfOtherJob(const std::string& name) {
  return name.starts_with("rank-") && name.find("-job-") != std::string::npos;
}

std::string TracePath(const std::string& directory, const std::string& name, int rank) {
  return Text(directory, IsWholeRank(name, rank) ? "/" : "/run/", name, ".trace.json.gz");
}

std::string ManifestPath(const std::string& directory, const std::string& name) {
  return Text(directory, "/run/", name, ".json");
}

std::string FindingsPath(const std::string& directory, const std::string& name) {
  return Text(directory, "/run/", name, ".findings");
}

std::string MemoryPath(const std::string& directory, const std::string& name) {
  return Text(directory, "/run/", name, ".memory");
}

constexpr char kSamplesEnd[] = ".samples";

std::string SamplesPath(const std::string& directory, const std::string& node, int launcher) {
  return Text(directory, "/run/", node, "-", launcher, kSamplesEnd);
}

std::vector<std::string> SampleFiles(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/run", error)) {
    if (entry.path().native().ends_with(kSamplesEnd)) paths.push_back(entry.path().native());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string LeftOutPath(const std::string& directory, int rank) {
  return Text(directory, "/run/rank-", rank, ".left-out");
}

}  // namespace syncline
