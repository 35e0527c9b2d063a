// SPDX-License-Identifier: Apache-2.0
// Names of spools, and where they find a place.
#include "launcher/record/spool_maker.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "inject/core/spool_format.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr int kMostSpools = 100000;  // of one process: each fork without exec makes one

// Under a low `ulimit -n` the last descriptor may be away for a moment: another thread reads a file
// of /proc.
bool TryCreate(const std::string& path, DiskBudget* budget, SpoolFile* spool) {
  constexpr timespec kMoment = {0, 1000000};
  constexpr int kMoments = 50;
  for (int i = 0; i < kMoments; ++i) {
    if (spool->Create(path.c_str(), budget)) return true;
    if (spool->error() != EMFILE && spool->error() != ENFILE) return false;
    nanosleep(&kMoment, nullptr);
  }
  return false;
}

// Removed by somebody, or full.
bool HasNoPlace(int error) { return error == ENOENT || error == ENOSPC || error == EDQUOT; }

}  // namespace

std::string MakeSpoolIn(const std::string& folder, int pid, uint64_t start_time, DiskBudget* budget,
                        SpoolFile* spool) {
  const std::string stem = Text(folder, "/", pid, "-", start_time, "-");
  for (int number = 0; number < kMostSpools; ++number) {
    const std::string path = Text(stem, number, kSpoolSuffix);
    if (TryCreate(path, budget, spool)) return path;
    if (spool->error() != EEXIST) return "";
  }
  return "";
}

std::string SpoolMaker::MakeLocalFolder() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return make_local_folder_();
}

std::string SpoolMaker::Make(int pid, uint64_t start_time, DiskBudget* budget, SpoolFile* spool,
                             const std::function<bool()>& begin) const {
  for (const bool beside : {false, true}) {
    const std::string folder = beside ? MakeLocalFolder() : folder_;
    if (folder.empty()) return "";
    const std::string path = MakeSpoolIn(folder, pid, start_time, budget, spool);
    if (!path.empty() && begin()) return path;
    const int error = spool->error();
    if (!path.empty()) {
      spool->Close();
      unlink(path.c_str());
    }
    if (!HasNoPlace(error)) return "";
  }
  return "";
}

std::string SpoolMaker::SaveIfRemoved(const SpoolFile& spool, const std::string& path) const {
  struct stat info;
  if (!spool.is_open() || fstat(spool.descriptor(), &info) != 0 || info.st_nlink != 0) return path;
  const std::string folder = MakeLocalFolder();
  // A later one of the process may lie there already.
  const std::string saved = Text(folder, "/saved-", path.substr(path.rfind('/') + 1));
  const bool is_saved =
      !folder.empty() && CopyFile(Text("/proc/self/fd/", spool.descriptor()), saved);
  return is_saved ? saved : path;
}

}  // namespace syncline
