// SPDX-License-Identifier: Apache-2.0
// Opening without waiting, following or guessing.
#include "base/run_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace syncline {
namespace {

constexpr uint64_t kPiece = 1 << 16;

int Refuse(int fd, int error, const char* text, std::string* why) {
  if (fd >= 0) close(fd);
  *why = text;
  errno = error;
  return -1;
}

int ReadAll(int fd, uint64_t most, std::string* text) {
  // What was told is a hint: files of /proc tell none, and others grow.
  for (;;) {
    const size_t done = text->size();
    const size_t piece = static_cast<size_t>(std::min(kPiece, most + 1 - done));
    text->resize(done + piece);
    const ssize_t got = read(fd, text->data() + done, piece);
    text->resize(done + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    if (text->size() > most) return EFBIG;
  }
}

}  // namespace

int OpenRunFile(const std::string& path, uint64_t* bytes, std::string* why) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 && errno == ELOOP)
    return Refuse(fd, ELOOP, "it is a link, which is not followed", why);
  if (fd < 0) return Refuse(fd, errno, std::strerror(errno), why);
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    return Refuse(fd, EINVAL, "it is not a regular file", why);
  *bytes = static_cast<uint64_t>(info.st_size);
  return fd;
}

int ReadRunFile(const std::string& path, uint64_t most, std::string* text, std::string* why) {
  text->clear();
  std::string reason;
  uint64_t bytes = 0;
  const int fd = OpenRunFile(path, &bytes, &reason);
  int error = fd < 0 ? errno : ReadAll(fd, most, text);
  if (fd >= 0) {
    close(fd);
    reason = error == EFBIG ? "it is far too large" : std::strerror(error);
  }
  if (error != 0) text->clear();
  if (why != nullptr && error != 0) *why = reason;
  return error;
}

}  // namespace syncline
