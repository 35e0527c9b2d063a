// SPDX-License-Identifier: Apache-2.0
// Recovery of file segments.
#include "inject/consumer/left_segments.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "inject/consumer/guarded_mapping.h"
#include "inject/consumer/segment_drain.h"
#include "inject/core/options.h"
#include "inject/core/spool_format.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr int kLockTries = 1000;
constexpr uint64_t kLockStepNs = 10000000;

bool Runs(int32_t pid, uint64_t start_time) {
  char stat_line[1024];
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  if (ReadSmallFile(path.c_str(), stat_line, sizeof(stat_line)) <= 0) return false;
  const char* state = std::strrchr(stat_line, ')');
  const bool dead = state != nullptr && (state[2] == 'Z' || state[2] == 'X');
  return !dead && StatField(stat_line, 22) == start_time;
}

// Whether the process that made the link FOLDER/PID-START-N.segment runs.
bool MakerRuns(const fs::path& link) {
  const std::string name = link.filename().string();
  char* end = nullptr;
  const long pid = std::strtol(name.c_str(), &end, 10);
  return pid > 0 && *end == '-' &&
         Runs(static_cast<int32_t>(pid), std::strtoull(end + 1, nullptr, 10));
}

int OpenSpool(const std::string& path, int access = O_RDONLY) {
  return open(path.c_str(), access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

// The link is made first, then the file, then the spool, whose first block is written before the
// first record: without that block, whole, nothing was recorded. What is no spool at all is not
// ours to judge.
bool HasRecords(const std::string& spool) {
  std::error_code error;
  const auto bytes = fs::file_size(spool, error);
  if (error || bytes == 0) return false;
  BlockHead head{};
  const int fd = OpenSpool(spool);
  const ssize_t got = fd < 0 ? 0 : pread(fd, &head, sizeof(head), 0);
  if (fd >= 0) close(fd);
  const size_t known = std::min<size_t>(got > 0 ? static_cast<size_t>(got) : 0, sizeof(head.magic));
  if (known == 0 || std::memcmp(&head.magic, &kBlockMagic, known) != 0) return true;
  return static_cast<size_t>(got) == sizeof(head) && bytes >= sizeof(head) + head.bytes;
}

// Whether the spool says how its process ended: all was drained into it.
bool EndsComplete(const std::string& spool) {
  BlockHead head{};
  const int fd = OpenSpool(spool);
  if (fd < 0) return false;
  const off_t at = lseek(fd, -static_cast<off_t>(sizeof(head) + sizeof(SpoolEnd)), SEEK_END);
  const bool whole = at >= 0 && read(fd, &head, sizeof(head)) == sizeof(head);
  close(fd);
  return whole && head.magic == kBlockMagic && head.bytes == sizeof(SpoolEnd) &&
         head.type == static_cast<uint16_t>(BlockType::kEnd);
}

// Whether the spool's writer lives, as its lock on the spool tells. There is none on a network file
// system: what is left is that no process here is the spool's.
bool WriterHolds(const std::string& spool) {
  const int fd = OpenSpool(spool);
  if (fd < 0) return false;
  const bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return held;
}

// The link may be anybody's: only a file with the name that the link's maker gives is a segment to
// be drained and removed, syncline-STEM.segment, or syncline-STEM-N.segment where that was taken.
bool IsNamedAfter(const fs::path& target, const fs::path& link) {
  const std::string name = target.filename().string();
  const std::string stem = "syncline-" + link.stem().string();
  if (!target.is_absolute() || !name.starts_with(stem) || !name.ends_with(kSegmentLinkSuffix))
    return false;
  const std::string number =
      name.substr(stem.size(), name.size() - stem.size() - std::strlen(kSegmentLinkSuffix));
  return number.empty() ||
         (number[0] == '-' && number.find_first_not_of("0123456789", 1) == std::string::npos);
}

// Whether `path`, not followed, belongs to `owner`, or is not there.
bool IsOf(uid_t owner, const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) != 0 || info.st_uid == owner;
}

bool IsOf(uid_t owner, int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_uid == owner;
}

// A link says where its maker's memory is, and anybody can make one: memory is drained only into a
// spool of the user who owns it, beside a link and in a folder of that user. False: they are of
// two.
bool OwnerOf(const fs::path& link, uid_t* owner) {
  struct stat folder;
  if (stat(link.parent_path().c_str(), &folder) != 0) return false;
  *owner = folder.st_uid;
  return IsOf(*owner, link.string());
}

std::string OfAnotherUser(const std::string& target) {
  return target +
         " is not of the user who owns this directory and all in it: it is left alone, and "
         "recovered "
         "with the directory in which its process recorded";
}

// What a process left that was killed while it began to record.
void RemoveUnborn(const fs::path& link, const fs::path& target, const std::string& spool) {
  std::error_code error;
  uid_t owner;
  if (!OwnerOf(link, &owner) || !IsOf(owner, target.string()) || !IsOf(owner, spool)) return;
  if (IsNamedAfter(target, link)) fs::remove(target, error);
  fs::remove(spool, error);
  fs::remove(link, error);
}

// The link says where its maker saw the file. The maker may have had another root directory
// (chroot), which is then one of the folders above the spool; only a file with the name that it
// gives counts.
fs::path FindSegment(const fs::path& link, const fs::path& target) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error))) return target;
  if (!target.is_absolute() || !IsNamedAfter(target, link)) return target;
  for (fs::path root = link.parent_path(); root.has_relative_path(); root = root.parent_path()) {
    const fs::path candidate = root / target.relative_path();
    if (fs::exists(fs::symlink_status(candidate, error))) return candidate;
  }
  return target;
}

// A mapped file segment that closes itself.
struct Mapped {
  int fd = -1;
  GuardedMapping memory;
  ~Mapped() {
    if (fd >= 0) close(fd);
  }
};

std::string Map(const std::string& path, uid_t owner, Mapped* mapped) {
  mapped->fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (mapped->fd < 0 && errno == ENOENT) return "";  // drained and removed meanwhile
  if (mapped->fd < 0) return "cannot open " + path + ": " + std::strerror(errno);
  struct stat info;
  if (fstat(mapped->fd, &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<size_t>(info.st_size) < sizeof(SegmentHeader))
    return path + " is not a segment";
  if (info.st_uid != owner) return OfAnotherUser(path);
  // The launchers of one node's ranks all look here: who comes second waits until the first is
  // done.
  for (int tries = 0; flock(mapped->fd, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (tries == kLockTries) return "another command has been recovering it for too long";
    SysSleepNs(kLockStepNs);
  }
  if (fstat(mapped->fd, &info) != 0 || info.st_nlink == 0)
    return "";  // drained and removed meanwhile
  const int error = mapped->memory.Map(mapped->fd, static_cast<size_t>(info.st_size));
  return error == 0 ? "" : "cannot map " + path + ": " + std::strerror(error);
}

std::string DrainOne(const std::string& target, uint64_t disk_reserve, LeftSegment* left) {
  uid_t owner;
  if (!OwnerOf(left->link, &owner) || !IsOf(owner, left->spool)) return OfAnotherUser(target);
  Mapped mapped;
  std::string problem = Map(target, owner, &mapped);
  if (!problem.empty() || mapped.memory.memory() == nullptr) return problem;
  auto* header = static_cast<SegmentHeader*>(mapped.memory.memory());
  if (std::memcmp(header->magic, kSegmentMagic, sizeof(kSegmentMagic)) != 0)
    return target + " is not a segment";
  if (Runs(header->facts.pid, header->facts.start_time)) {
    left->alive = true;
    return "";
  }
  if (header->layout_version != kLayoutVersion) {
    left->other_layout = true;
    return "its last records are in memory of layout " + std::to_string(header->layout_version) +
           ", and this `syncline` reads layout " + std::to_string(kLayoutVersion) +
           ": run `syncline recover` of the version that recorded it (run/job.json names it)";
  }
  DiskBudget budget{UINT64_MAX, UINT64_MAX, disk_reserve, {}};
  SpoolFile spool;
  const int fd = OpenSpool(left->spool, O_RDWR);
  if (fd >= 0 && !IsOf(owner, fd)) {
    close(fd);
    return OfAnotherUser(target);
  }
  if (fd < 0 || !spool.Continue(fd, left->spool.c_str(), &budget, *header, false)) {
    return "cannot continue " + left->spool + ": " + std::strerror(fd < 0 ? errno : spool.error());
  }
  auto drain = std::make_unique<SegmentDrain>();
  if (!drain->Resume(header, mapped.memory.bytes(), &spool)) {
    spool.Close();
    return target + " is " + drain->why();
  }
  const uint64_t before = drain->dropped_bytes();
  drain->Finish(true, false, 0);
  const bool dropped = drain->dropped_bytes() != before;
  spool.Close();
  unlink(target.c_str());
  if (mapped.memory.broken())
    return "the memory of its last records was cut short: what it recorded last is lost";
  return dropped ? "not all of its last records could be written" : "";
}

}  // namespace

void DrainLeftSegments(const std::string& folder, bool here, uint64_t disk_reserve,
                       const std::function<void(const LeftSegment&)>& report) {
  std::error_code error;
  std::vector<fs::path> links;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == kSegmentLinkSuffix &&
        fs::is_symlink(entry.symlink_status(error)))
      links.push_back(entry.path());
  }
  for (const fs::path& link : links) {
    LeftSegment left{link.string(),
                     fs::path(link).replace_extension(kSpoolSuffix).string(),
                     "",
                     false,
                     false,
                     false,
                     false};
    const fs::path target = FindSegment(link, fs::read_symlink(link, error));
    if (!HasRecords(left.spool)) {
      if (here && !MakerRuns(link)) RemoveUnborn(link, target, left.spool);
      continue;
    }
    if (!fs::exists(fs::symlink_status(target, error))) {
      // Whoever drains it ends the spool first, and removes the link last.
      const bool drained = EndsComplete(left.spool);
      left.gone = !drained && here && !MakerRuns(link) && !WriterHolds(left.spool);
      left.elsewhere = !drained && !left.gone;
    } else if (!IsNamedAfter(target, link)) {
      left.problem = target.string() + " is not a segment of this process";
    } else {
      left.problem = DrainOne(target.string(), disk_reserve, &left);
    }
    if (left.problem.empty() && !left.alive && !left.elsewhere) fs::remove(link, error);
    report(left);
  }
}

}  // namespace syncline
