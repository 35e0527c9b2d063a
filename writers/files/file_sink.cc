// SPDX-License-Identifier: Apache-2.0
// The temporary file, its errors, and its removal.
#include "writers/files/file_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace syncline {
namespace {

const char* Remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free space, or choose another directory with -o";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a directory that you may write to with -o";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f)";
    case EIO:
      return "the device has a fault; choose another directory with -o";
    case ENOENT:
    case ENOTDIR:
      return "create the directory, or choose another one with -o";
    default:
      return "choose another directory with -o";
  }
}

// So that after a crash of the machine the name is there too. Best effort: not every file system
// can.
void SyncDirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

FileSink::~FileSink() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

Status FileSink::Fail(const char* what, int error) {
  return Status::Error(std::string("cannot ") + what + " " + path_ + ": " + std::strerror(error) +
                       "; " + Remedy(error));
}

Status FileSink::Open(const std::string& path) {
  path_ = path;
  temporary_ = path + ".tmp";
  // Whatever bears the name is not ours any more: a crash left it, or somebody put a pipe or a link
  // there.
  ::unlink(temporary_.c_str());
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd_ < 0 ? Fail("create", errno) : Status();
}

Status FileSink::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return Fail("write", errno);
    if (done == 0) return Fail("write", ENOSPC);
    bytes.remove_prefix(static_cast<size_t>(done));
    bytes_ += static_cast<uint64_t>(done);
  }
  return Status();
}

Status FileSink::Commit() {
  // EINVAL: the file system cannot, and the data is as safe as it gets there.
  if (::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS) return Fail("write", errno);
  // A network file system may report a full disk only now.
  const int fd = fd_;
  fd_ = -1;
  int error = ::close(fd) != 0 && errno != EINTR ? errno : 0;
  if (error == 0 && std::rename(temporary_.c_str(), path_.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary_.c_str());
    return Fail("finish", error);
  }
  SyncDirectoryOf(path_);
  return Status();
}

Status WriteWholeFile(const std::string& path, std::string_view bytes) {
  FileSink file;
  Status status = file.Open(path);
  if (status.ok()) status = file.Write(bytes);
  if (status.ok()) status = file.Commit();
  return status;
}

}  // namespace syncline
