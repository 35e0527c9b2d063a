// SPDX-License-Identifier: Apache-2.0
// The length of what is served has to be known before, so the part is written first.
#include "launcher/show/part_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "inject/core/options.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/view_moment.h"
#include "writers/chrome/trace_part.h"
#include "writers/files/gzip_sink.h"

namespace syncline {
namespace {

class NamelessFile : public TraceSource, public ByteSink {
 public:
  explicit NamelessFile(std::string name) : name_(std::move(name)) {}
  ~NamelessFile() override {
    if (fd_ >= 0) close(fd_);
  }

  // Of its owner only.
  Status Open() {
    const char* folder = Environment("TMPDIR");
    std::string path =
        Text(folder == nullptr || *folder == 0 ? "/tmp" : folder, "/syncline-XXXXXX");
    fd_ = mkostemp(path.data(), O_CLOEXEC);
    if (fd_ < 0) return Fail();
    unlink(path.c_str());
    return {};
  }
  Status Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t wrote = write(fd_, bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return Fail();
      bytes_ += static_cast<uint64_t>(wrote);
      bytes.remove_prefix(static_cast<size_t>(wrote));
    }
    return {};
  }

  std::string name() const override { return name_; }
  uint64_t bytes() const override { return bytes_; }
  bool Send(const std::function<bool(const char*, size_t)>& write) const override {
    std::vector<char> buffer(1 << 18);
    for (uint64_t done = 0; done < bytes_;) {
      const ssize_t got = pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0 || !write(buffer.data(), static_cast<size_t>(got))) return false;
      done += static_cast<uint64_t>(got);
    }
    return true;
  }

 private:
  static Status Fail() {
    return Status::Error(Text("cannot write a part of the trace: ", strerror(errno),
                              ". TMPDIR names another folder for it."));
  }

  const std::string name_;
  int fd_ = -1;
  uint64_t bytes_ = 0;
};

// False: it is no length.
bool ParseLength(const char* option, const std::string& text, uint64_t* ns, std::string* error) {
  if (ParseMoment(text, ns) && *ns != 0) return true;
  *error = Text(option, " ", ShellQuote(text),
                " is no time: name seconds, or a number with s, ms, ", "us or ns, as 10s.");
  return false;
}

}  // namespace

bool ChoosePart(const std::string& last, const std::string& around, const std::string& at,
                const RankManifest& manifest, PartOfRank* part, std::string* error) {
  error->clear();
  if (last.empty() && around.empty()) return false;
  uint64_t ns = 0, at_ns = 0;
  const uint64_t length = manifest.end_ns - std::min(manifest.begin_ns, manifest.end_ns);
  if (!last.empty()) {
    if (!around.empty()) *error = "--last and --around are two parts: name one.";
    if (!error->empty() || !ParseLength("--last", last, &ns, error)) return false;
    *part = {length - std::min(ns, length), length};
    return true;
  }
  if (at.empty()) *error = "--around needs --at, the moment in its middle.";
  if (!error->empty() || !ParseLength("--around", around, &ns, error)) return false;
  if (!ParseMoment(at, &at_ns)) return false;  // WhereToOpen says so
  *part = {at_ns - std::min(ns / 2, at_ns), std::min(at_ns + ns / 2, length)};
  return true;
}

std::unique_ptr<TraceSource> OpenTracePart(const std::string& path, const RankManifest& manifest,
                                           const PartOfRank& part, std::string* error) {
  auto file = std::make_unique<NamelessFile>("part-of-" + path.substr(path.rfind('/') + 1));
  Status status = file->Open();
  GzipSink zipped(file.get());
  if (status.ok())
    status = WriteTracePart(path, manifest.begin_ns + part.begin_ns,
                            manifest.begin_ns + part.end_ns, &zipped);
  if (status.ok()) return file;
  *error = Text(ShellQuote(path), ": ", status.message());
  return nullptr;
}

}  // namespace syncline
