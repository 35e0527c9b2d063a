// SPDX-License-Identifier: Apache-2.0
// Sockets and spools on the own node.
#include "launcher/jobs/node_places.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/run_file.h"
#include "inject/core/handover.h"
#include "inject/core/options.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/local_folder.h"

namespace syncline {
namespace {

constexpr size_t kMaxPrefix = 90;
constexpr char kMarkPrefix[] = "/launcher-";
constexpr char kMarkSuffix[] = ".lock";

}  // namespace

std::vector<std::string> LocalParents() {
  std::vector<std::string> parents = {"/tmp"};
  const char* temporary = Environment("TMPDIR");
  if (temporary != nullptr && temporary[0] == '/') parents.emplace_back(temporary);
  parents.emplace_back("/dev/shm");
  parents.emplace_back("/var/tmp");
  return parents;
}

namespace {

// A new private directory on a local file system; "" if there is none, with the reasons in *error.
std::string MakePrivateDirectory(const char* purpose, size_t max_length, std::string* error) {
  std::vector<std::string> reasons;
  for (const std::string& parent : LocalParents()) {
    std::string path = Text(parent, "/syncline-", getuid(), "-XXXXXX");
    if (path.size() > max_length) {
      reasons.push_back(parent + " is too long");
    } else if (IsNetworkFileSystem(parent)) {
      reasons.push_back(parent + " is shared between nodes");
    } else if (mkdtemp(path.data()) != nullptr) {
      return path;
    } else {
      reasons.push_back(Text(parent, ": ", ErrorText(errno)));
    }
  }
  *error = Text("found no local directory for ", purpose, " (", JoinNames(reasons),
                "). Set TMPDIR to one that you can write to.");
  return "";
}

// Whether SocketPlace has made it: TMPDIR/syncline-UID-XXXXXX/s, a socket in a folder of ours.
bool IsLeftSocket(const std::string& prefix) {
  const size_t name = prefix.rfind('/');
  const size_t folder = name == std::string::npos ? name : prefix.rfind('/', name - 1);
  struct stat socket;
  struct stat directory;
  if (folder == std::string::npos || prefix.find("/../") != std::string::npos ||
      !prefix.ends_with("/s") ||
      prefix.compare(folder, name - folder - 6, Text("/syncline-", getuid(), "-")) != 0)
    return false;
  return lstat(prefix.c_str(), &socket) == 0 && S_ISSOCK(socket.st_mode) &&
         lstat(prefix.substr(0, name).c_str(), &directory) == 0 && S_ISDIR(directory.st_mode) &&
         directory.st_uid == geteuid();
}

}  // namespace

void DirectoryHold::Take(const std::string& path) {
  Release();
  fd_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ >= 0 && flock(fd_, LOCK_SH | LOCK_NB) != 0) Release();
}

void DirectoryHold::Release() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

SocketPlace::~SocketPlace() {
  if (directory_.empty()) return;
  unlink(prefix_.c_str());
  rmdir(directory_.c_str());
}

bool SocketPlace::Make(std::string* error) {
  directory_ = MakePrivateDirectory("sockets", kMaxPrefix - 2, error);
  prefix_ = directory_ + "/s";
  if (!directory_.empty()) hold_.Take(directory_);
  return !directory_.empty();
}

bool LauncherAnswers(const std::string& prefix) {
  if (prefix.empty() || prefix.size() > kMaxPrefix) return false;
  for (const bool abstract : {false, true}) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + (abstract ? 1 : 0), prefix.data(), prefix.size());
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + prefix.size() + 1);
    // A full queue is an answer too: somebody listens.
    const bool answered =
        connect(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0 || errno == EAGAIN;
    ucred peer = {};
    socklen_t bytes = sizeof(peer);
    const bool same_user = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
                           (peer.uid == geteuid() || peer.pid == 0);
    close(fd);
    if (answered && same_user) return true;
  }
  return false;
}

std::string SpoolRoot(const std::string& run_directory) { return run_directory + "/run/spool"; }

bool SpoolPlace::Make(const std::string& run_directory, const std::string& node, bool shared,
                      std::string* error) {
  run_directory_ = run_directory;
  final_ = SpoolRoot(run_directory) + "/" + node;
  if (const int failure = MakeDirectories(final_, 0700); failure != 0) {
    *error = Text("cannot make ", ShellQuote(final_), ": ", ErrorText(failure),
                  ". Choose another directory with -o DIR.");
    return false;
  }
  directory_ = final_;
  if (!shared) return true;
  std::string why;
  if (!TakeLocal(&why)) {
    SayWarning(Text(
        "records are written to a network file system, which may slow the program down: ", why));
    return true;
  }
  directory_ = local_;
  return true;
}

std::string SpoolPlace::MakeLocal() {
  std::string why;
  if (!local_.empty()) return local_;
  return TakeLocal(&why) ? local_ : "";
}

bool SpoolPlace::TakeLocal(std::string* why) {
  local_ = MakePrivateDirectory("spools", SIZE_MAX, why);
  if (local_.empty()) return false;
  MarkLocalFolder(local_, run_directory_);
  hold_.Take(local_);
  NoteLocal();
  return true;
}

void SpoolPlace::NoteLocal() {
  if (local_.empty()) return;
  MakeDirectories(final_, 0700);  // it may be what somebody has removed
  note_ = Text(final_, "/", NoteName());
  NoteLocalFolder(local_, note_);
}

void SpoolPlace::MoveTo(const std::string& run_directory, const std::string& node) {
  run_directory_ = run_directory;
  final_ = SpoolRoot(run_directory) + "/" + node;
  NoteLocal();
}

void SpoolPlace::Settle() {
  if (directory_.empty()) return;
  if (!local_.empty()) {
    if (!Exists(note_)) NoteLocal();  // without it nobody knows the folder
    for (const std::string& name : ListDirectory(local_)) {
      if (!IsMark(name) && CopyFile(local_ + "/" + name, final_ + "/" + name))
        unlink((local_ + "/" + name).c_str());
    }
    RemoveIfEmpty(note_);
  }
  rmdir(final_.c_str());
  rmdir(final_.substr(0, final_.rfind('/')).c_str());
  hold_.Release();
}

void LauncherMark::Remove() {
  if (fd_ < 0) return;
  unlink(path_.c_str());
  close(fd_);
  fd_ = -1;
  held_ = false;
  const std::string folder = path_.substr(0, path_.rfind('/'));
  rmdir(folder.c_str());
  rmdir(folder.substr(0, folder.rfind('/')).c_str());
}

void LauncherMark::Make(const std::string& run_directory, const std::string& node,
                        const std::string& socket_prefix) {
  const std::string folder = SpoolRoot(run_directory) + "/" + node;
  path_ = Text(folder, kMarkPrefix, getpid(), kMarkSuffix);
  // A launcher that leaves may take the empty folder away, and one that looks for others may hold
  // the lock for a moment.
  for (int tries = 0; tries < 50 && !held_; ++tries) {
    if (MakeDirectories(folder, 0700) != 0) return;
    if (fd_ < 0) {
      unlink(path_.c_str());  // of a launcher that had our pid, or put in our way
      fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
      if (fd_ < 0 && errno != ENOENT) return;
    }
    held_ = fd_ >= 0 && flock(fd_, LOCK_EX | LOCK_NB) == 0;
    if (!held_ && fd_ >= 0 && errno != EWOULDBLOCK) return;
    constexpr timespec kMoment = {0, 1'000'000};
    if (!held_) nanosleep(&kMoment, nullptr);
  }
  if (!held_) return;
  [[maybe_unused]] const ssize_t written = write(fd_, socket_prefix.data(), socket_prefix.size());
}

int LauncherAtWork(const std::string& path) {
  const size_t at = path.rfind('/');
  if (at == std::string::npos || path.compare(at, sizeof(kMarkPrefix) - 1, kMarkPrefix) != 0 ||
      !path.ends_with(kMarkSuffix))
    return 0;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return 0;
  const bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return locked ? std::atoi(path.c_str() + at + sizeof(kMarkPrefix) - 1) : 0;
}

bool IsLauncherAtWork(const std::string& run_directory) {
  const std::string root = SpoolRoot(run_directory);
  for (const std::string& node : ListDirectory(root)) {
    for (const std::string& name : ListDirectory(Text(root, "/", node))) {
      if (LauncherAtWork(Text(root, "/", node, "/", name)) != 0) return true;
    }
  }
  return false;
}

void TidyAfterLauncher(const std::string& path) {
  const size_t at = path.rfind('/');
  if (at == std::string::npos || path.compare(at, sizeof(kMarkPrefix) - 1, kMarkPrefix) != 0 ||
      !path.ends_with(kMarkSuffix))
    return;
  if (LauncherAtWork(path) != 0) return;
  std::string prefix;
  // The file could say anything.
  if (ReadRunFile(path, kMaxPrefix, &prefix) == 0 && IsLeftSocket(prefix)) {
    unlink(prefix.c_str());
    rmdir(prefix.substr(0, prefix.rfind('/')).c_str());
  }
  unlink(path.c_str());
}

void RemoveEmptySpools(const std::string& run_directory) {
  const std::string root = SpoolRoot(run_directory);
  if (!IsRealDirectory(root)) return;
  for (const std::string& name : ListDirectory(root)) {
    rmdir(Text(root, "/", name).c_str());
  }
  rmdir(root.c_str());
}

}  // namespace syncline
