// SPDX-License-Identifier: Apache-2.0
// Reads a file once, whole.
#include "model/run/source_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace syncline {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostFiles = 256;

// A pipe or a device in the file's place is not opened, nor waited for if it comes just then.
std::string BytesOf(const std::string& path) {
  std::string bytes;
  struct stat before = {};
  if (stat(path.c_str(), &before) != 0 || !S_ISREG(before.st_mode)) return bytes;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return bytes;
  struct stat facts = {};
  if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
      static_cast<uint64_t>(facts.st_size) <= kMostBytes) {
    bytes.resize(static_cast<size_t>(facts.st_size));
    size_t got = 0;
    while (got < bytes.size()) {
      const ssize_t part = read(fd, bytes.data() + got, bytes.size() - got);
      if (part < 0 && errno == EINTR) continue;
      if (part <= 0) break;
      got += static_cast<size_t>(part);
    }
    bytes.resize(got);
  }
  close(fd);
  return bytes;
}

}  // namespace

const std::vector<std::string_view>& SourceFiles::LinesOf(std::string_view file) {
  static const std::vector<std::string_view> kNone;
  const auto known = texts_.find(file);
  if (known != texts_.end()) return known->second.lines;
  if (file.empty() || file.front() == '<' || texts_.size() >= kMostFiles) return kNone;
  if (file.front() != '/' && directory_.empty()) return kNone;
  Text& text = texts_[std::string(file)];
  text.bytes =
      BytesOf(file.front() == '/' ? std::string(file) : directory_ + "/" + std::string(file));
  const auto lines =
      static_cast<size_t>(std::count(text.bytes.begin(), text.bytes.end(), '\n')) + 1;
  const size_t takes = text.bytes.size() + lines * sizeof(std::string_view);
  if (takes > room_) {
    text.bytes = std::string();
    return text.lines;
  }
  room_ -= takes;
  text.lines.reserve(lines);
  std::string_view rest = text.bytes;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    text.lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text.lines;
}

}  // namespace syncline
