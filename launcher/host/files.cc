// SPDX-License-Identifier: Apache-2.0
// Small operations on files and directories.
#include "launcher/host/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

#include "inject/core/network_file_system.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr size_t kMaxFile = 16 << 20;

int WriteAll(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t bytes = write(fd, text.data() + done, text.size() - done);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return errno;
    done += static_cast<size_t>(bytes);
  }
  return 0;
}

// Writes and closes; a full disk may only show on close.
int Fill(int fd, const std::string& path, const std::string& text) {
  int error = WriteAll(fd, text);
  if (close(fd) != 0 && error == 0) error = errno;
  if (error != 0) unlink(path.c_str());
  return error;
}

bool IsPreparedByOther(const std::string& path) {
  struct stat entry;  // of the link where there is one: who made it chose where it leads
  struct stat parent;
  if (lstat(path.c_str(), &entry) != 0 || entry.st_uid == geteuid() || entry.st_uid == 0)
    return false;
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return stat(folder.c_str(), &parent) == 0 && (parent.st_mode & S_IWOTH) != 0;
}

}  // namespace

int MakeDirectories(const std::string& path, unsigned mode) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), end == std::string::npos ? mode : 0777) != 0 && errno != EEXIST) {
      const int error = errno;
      if (!IsDirectory(part)) return error;  // for example EROFS for a directory that is there
    }
    if (end == std::string::npos) break;
  }
  if (IsDirectory(path)) return 0;
  return Exists(path) ? ENOTDIR : ENOENT;  // the latter: moved away meanwhile
}

int MakeOwnDirectory(const std::string& path, unsigned mode) {
  const int error = MakeDirectories(path, mode);
  return error == 0 && IsPreparedByOther(path) ? kPreparedByOther : error;
}

int CreateExclusively(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return fd < 0 ? errno : Fill(fd, path, text);
}

int WriteFile(const std::string& path, const std::string& text) {
  const std::string temporary = Text(path, ".tmp-", getpid());
  unlink(temporary.c_str());  // of a process that had our pid before us, or put in our way
  const int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return errno;
  if (const int error = Fill(fd, temporary, text); error != 0) return error;
  if (rename(temporary.c_str(), path.c_str()) == 0) return 0;
  const int error = errno;  // a directory has the name
  unlink(temporary.c_str());
  return error;
}

int ReadFile(const std::string& path, std::string* text) {
  text->clear();
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  char buffer[16384];
  ssize_t bytes;
  while ((bytes = read(fd, buffer, sizeof(buffer))) > 0 && text->size() < kMaxFile) {
    text->append(buffer, static_cast<size_t>(bytes));
  }
  const int error = bytes < 0 ? errno : 0;
  close(fd);
  return error;
}

std::string ReadNamedFile(const std::string& path, std::string* text) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return "it is no file, but a pipe or a device";
  const int error = ReadFile(path, text);  // that takes its place now may be waited for
  return error == 0 ? "" : ErrorText(error);
}

std::string OutputProblem(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return "";
  const char* what = S_ISDIR(status.st_mode)   ? "a directory"
                     : S_ISLNK(status.st_mode) ? "a link"
                                               : "a pipe or a device";
  return Text(ShellQuote(path), " is ", what, ": name a file with -o.");
}

bool CopyFile(const std::string& from, const std::string& to) {
  const int in = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return false;
  const int out = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  ssize_t bytes = out < 0 ? -1 : 1;
  while (bytes > 0) bytes = sendfile(out, in, nullptr, 64 << 20);
  close(in);
  if (out >= 0 && close(out) != 0) bytes = -1;
  if (bytes < 0 && out >= 0) unlink(to.c_str());
  return bytes == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool IsRealDirectory(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool Exists(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

std::vector<std::string> ListDirectory(const std::string& path) {
  std::vector<std::string> names;
  DIR* directory = opendir(path.c_str());
  if (directory == nullptr) return names;
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(directory);
  std::sort(names.begin(), names.end());
  return names;
}

std::string AbsolutePath(const std::string& path) {
  std::string absolute = path;
  if (!path.starts_with("/")) {
    char here[PATH_MAX];
    if (getcwd(here, sizeof(here)) == nullptr) return path;
    absolute = path.empty() || path == "."
                   ? here
                   : Text(here, "/", path.starts_with("./") ? path.substr(2) : path);
  }
  while (absolute.size() > 1 && absolute.ends_with("/")) absolute.pop_back();
  return absolute;
}

bool IsNetworkFileSystem(const std::string& path) {
  struct statfs system;
  if (statfs(path.c_str(), &system) != 0) return false;
  return IsNetworkFileSystemType(static_cast<uint32_t>(system.f_type));
}

uint64_t FreeBytes(const std::string& path) {
  struct statvfs system;
  if (statvfs(path.c_str(), &system) != 0) return UINT64_MAX;
  return static_cast<uint64_t>(system.f_bavail) * system.f_frsize;
}

std::string RandomName() {
  uint64_t bits[2];
  const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);  // glibc 2.17 has no getrandom
  if (fd < 0) return "";
  const bool whole = read(fd, bits, sizeof(bits)) == sizeof(bits);
  close(fd);
  return whole ? HexText(bits[0]) + HexText(bits[1]) : "";
}

}  // namespace syncline
