// SPDX-License-Identifier: Apache-2.0
// Files as they are, and the ustar format around them.
#include "launcher/show/trace_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/run_file.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr size_t kTarBlock = 512;

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// An open file whose length was taken once: exactly so many bytes are sent.
class OpenFile {
 public:
  OpenFile(const std::string& path, std::string* error) : name_(LastPart(path)) {
    std::string why;
    fd_ = OpenRunFile(path, &bytes_, &why);
    if (fd_ < 0) *error = Text("cannot read ", ShellQuote(path), ": ", why, ".");
  }
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const std::string& name() const { return name_; }
  uint64_t bytes() const { return bytes_; }

  bool Send(const std::function<bool(const char*, size_t)>& write) const {
    std::vector<char> buffer(1 << 18);
    for (uint64_t done = 0; done < bytes_;) {
      const size_t want = static_cast<size_t>(std::min<uint64_t>(buffer.size(), bytes_ - done));
      const ssize_t got = pread(fd_, buffer.data(), want, static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0 || !write(buffer.data(), static_cast<size_t>(got))) return false;
      done += static_cast<uint64_t>(got);
    }
    return true;
  }

 private:
  std::string name_;
  int fd_ = -1;
  uint64_t bytes_ = 0;
};

class FileSource : public TraceSource {
 public:
  FileSource(const std::string& path, std::string* error) : file_(path, error) {}
  std::string name() const override { return file_.name(); }
  uint64_t bytes() const override { return file_.bytes(); }
  bool Send(const std::function<bool(const char*, size_t)>& write) const override {
    return file_.Send(write);
  }

 private:
  OpenFile file_;
};

uint64_t Padding(uint64_t bytes) { return (kTarBlock - bytes % kTarBlock) % kTarBlock; }

void Octal(char* field, size_t width, uint64_t value) {
  std::snprintf(field, width, "%0*llo", static_cast<int>(width) - 1,
                static_cast<unsigned long long>(value));
}

// One ustar header. Sizes of 8 GiB and more are written in base 256, as GNU tar does.
std::vector<char> TarHeader(const std::string& name, uint64_t bytes) {
  std::vector<char> block(kTarBlock, 0);
  std::memcpy(block.data(), name.data(), std::min<size_t>(name.size(), 99));
  Octal(&block[100], 8, 0600);
  Octal(&block[108], 8, 0);
  Octal(&block[116], 8, 0);
  if (bytes < uint64_t{1} << 33) {
    Octal(&block[124], 12, bytes);
  } else {
    block[124] = static_cast<char>(0x80);
    for (int i = 0; i < 8; ++i)
      block[static_cast<size_t>(135 - i)] = static_cast<char>(bytes >> (8 * i));
  }
  Octal(&block[136], 12, 0);
  std::memset(&block[148], ' ', 8);
  block[156] = '0';
  std::memcpy(&block[257], "ustar", 6);
  std::memcpy(&block[263], "00", 2);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(&block[148], 8, "%06o", sum);
  block[155] = ' ';
  return block;
}

class ArchiveSource : public TraceSource {
 public:
  ArchiveSource(std::string name, const std::vector<std::string>& paths, std::string* error)
      : name_(std::move(name)) {
    for (const std::string& path : paths) {
      files_.push_back(std::make_unique<OpenFile>(path, error));
      if (!error->empty()) return;
    }
  }
  std::string name() const override { return name_; }

  uint64_t bytes() const override {
    uint64_t total = 2 * kTarBlock;
    for (const auto& file : files_) total += kTarBlock + file->bytes() + Padding(file->bytes());
    return total;
  }

  bool Send(const std::function<bool(const char*, size_t)>& write) const override {
    const std::vector<char> zeros(2 * kTarBlock, 0);
    for (const auto& file : files_) {
      const std::vector<char> header = TarHeader(file->name(), file->bytes());
      if (!write(header.data(), header.size()) || !file->Send(write)) return false;
      if (const uint64_t padding = Padding(file->bytes());
          padding > 0 && !write(zeros.data(), padding))
        return false;
    }
    return write(zeros.data(), zeros.size());
  }

 private:
  std::string name_;
  std::vector<std::unique_ptr<OpenFile>> files_;
};

}  // namespace

std::unique_ptr<TraceSource> OpenTraceFile(const std::string& path, std::string* error) {
  error->clear();
  auto source = std::make_unique<FileSource>(path, error);
  return error->empty() ? std::move(source) : nullptr;
}

std::unique_ptr<TraceSource> OpenTraceArchive(const std::string& name,
                                              const std::vector<std::string>& paths,
                                              std::string* error) {
  error->clear();
  auto source = std::make_unique<ArchiveSource>(name, paths, error);
  return error->empty() ? std::move(source) : nullptr;
}

}  // namespace syncline
