// SPDX-License-Identifier: Apache-2.0
// Writes the file of samples (model/run/sample_format.h), in bounded memory and disk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/run/sample_format.h"

namespace syncline {

class SampleWriter {
 public:
  static constexpr uint64_t kMostFileBytes = uint64_t{512} << 20;
  static constexpr size_t kMostKeptBytes = size_t{64} << 20;  // of names and stacks

  SampleWriter() = default;
  ~SampleWriter();
  SampleWriter(const SampleWriter&) = delete;
  SampleWriter& operator=(const SampleWriter&) = delete;

  // 0, or errno.
  int Open(const std::string& path, uint32_t hertz);
  // Numbers of what is defined; 0: there is no room.
  uint32_t Code(const std::string& file, const std::string& function);
  uint32_t Stack(const std::vector<SampledFrame>& frames, bool is_cut);
  // Of a thread whose last one was alike, it is counted there. `at_ns` as first_ns.
  void Add(uint64_t at_ns, HostSample sample);
  // Writes what is pending. Once a second, and at the end.
  void Flush();
  void Finish(const SampleCounts& counts);
  uint64_t left_out() const { return left_out_; }

 private:
  uint32_t Define(std::unordered_map<std::string, uint32_t>* known, std::string key);
  bool Put(SampleEntry kind, std::string_view bytes, bool is_last = false);
  void Put(const HostSample& sample);
  void WriteOut();

  int fd_ = -1;
  bool is_broken_ = false;  // the file cannot be written to any more
  uint64_t written_ = 0;
  size_t kept_ = 0;
  uint64_t left_out_ = 0;  // samples
  uint64_t buffered_ = 0;  // of those in the buffer
  std::string buffer_;
  std::unordered_map<std::string, uint32_t> codes_, stacks_;
  std::map<std::pair<uint32_t, uint32_t>, HostSample> pending_;  // by pid and tid
};

}  // namespace syncline
