// SPDX-License-Identifier: Apache-2.0
// Magic links of /proc.
#include "launcher/host/held_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <string_view>

#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

struct HeldPlace {
  int fd = -1;
  std::string path;  // /proc/self/fd/N
  std::string name;  // that was asked for
};

HeldPlace& TheHeld() {
  static HeldPlace held;
  return held;
}

bool IsSame(const std::string& one, const std::string& other) {
  struct stat a, b;
  return stat(one.c_str(), &a) == 0 && stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

std::string NameNow(const HeldPlace& held) {
  if (IsSame(held.name, held.path)) return held.name;
  char now[PATH_MAX];
  const ssize_t bytes = readlink(held.path.c_str(), now, sizeof(now));
  const std::string_view name(now, bytes > 0 ? static_cast<size_t>(bytes) : 0);
  // " (deleted)" behind it, or "(unreachable)" before it
  return IsSame(std::string(name), held.path) ? std::string(name) : held.name;
}

}  // namespace

std::string HoldDirectory(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fd = open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  flock(fd, LOCK_SH | LOCK_NB);
  const std::string held = Text("/proc/self/fd/", fd);
  if (fd < 0 || !IsSame(held, path)) return path;  // the lock stays
  if (TheHeld().fd < 0) {
    TheHeld() = {fd, held, path};
  } else {  // paths below the old one lead here from now on
    dup3(fd, TheHeld().fd, O_CLOEXEC);
    close(fd);
    TheHeld().name = path;
  }
  return TheHeld().path;
}

std::string NameOfHeld(const std::string& path) {
  const HeldPlace& held = TheHeld();
  if (held.fd < 0 || !path.starts_with(held.path)) return path;
  const std::string below = path.substr(held.path.size());
  return below.empty() || below[0] == '/' ? NameNow(held) + below : path;
}

std::string WithNameOfHeld(std::string text) {
  const HeldPlace& held = TheHeld();
  if (held.fd < 0) return text;
  for (size_t at = 0; (at = text.find(held.path, at)) != std::string::npos;) {
    const size_t end = at + held.path.size();
    const bool longer = end < text.size() && text[end] >= '0' && text[end] <= '9';
    const std::string name = longer ? held.path : NameNow(held);
    text.replace(at, held.path.size(), name);
    at += name.size();
  }
  return text;
}

}  // namespace syncline
