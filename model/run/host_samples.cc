// SPDX-License-Identifier: Apache-2.0
// A damaged file gives what stands before the damage.
#include "model/run/host_samples.h"

#include <algorithm>
#include <cstring>

#include "base/run_file.h"

namespace syncline {
namespace {

template <typename T>
bool Load(std::string_view* bytes, T* value) {
  if (bytes->size() < sizeof(T)) return false;
  std::memcpy(value, bytes->data(), sizeof(T));
  bytes->remove_prefix(sizeof(T));
  return true;
}

// How many of a row of like samples, evenly apart, lie within the time.
uint64_t CountWithin(const HostSample& sample, uint64_t begin_ns, uint64_t end_ns) {
  if (sample.first_ns >= begin_ns && sample.last_ns < end_ns) return sample.count;
  if (sample.count < 2 || sample.last_ns <= sample.first_ns) return 0;
  const double step =
      static_cast<double>(sample.last_ns - sample.first_ns) / static_cast<double>(sample.count - 1);
  const auto before = [&](uint64_t ns) -> uint64_t {  // how many lie before it
    if (ns <= sample.first_ns) return 0;
    if (ns > sample.last_ns) return sample.count;
    return 1 + static_cast<uint64_t>(static_cast<double>(ns - 1 - sample.first_ns) / step);
  };
  return std::min<uint64_t>(before(end_ns), sample.count) - before(begin_ns);
}

}  // namespace

bool HostSamples::AddFile(const std::string& path) {
  std::string text;
  return ReadRunFile(path, kMostBytes, &text) == 0 && Add(text);
}

bool HostSamples::Add(std::string_view file) {
  SampleHeader header;
  if (!Load(&file, &header) || std::memcmp(header.magic, kSampleMagic, sizeof(kSampleMagic)) != 0 ||
      header.version != kSampleVersion)
    return false;
  facts_.hertz = std::max(facts_.hertz, header.hertz);
  first_code_ = codes_.size();
  first_stack_ = stacks_.size();
  SampleEntryHead head;
  while (Load(&file, &head) && head.bytes <= file.size()) {
    if (!Take(static_cast<SampleEntry>(head.kind), file.substr(0, head.bytes))) break;
    file.remove_prefix(head.bytes);
  }
  for (auto& [thread, samples] : threads_) {
    std::sort(samples.begin(), samples.end(),
              [](const HostSample& a, const HostSample& b) { return a.first_ns < b.first_ns; });
  }
  return true;
}

// False: it is damaged. What a later version adds is passed over.
bool HostSamples::Take(SampleEntry kind, std::string_view bytes) {
  switch (kind) {
    case SampleEntry::kCode:
      return TakeCode(bytes);
    case SampleEntry::kStack:
      return TakeStack(bytes);
    case SampleEntry::kSample:
      return TakeSample(bytes);
    case SampleEntry::kCounts:
      facts_.has_counts = Load(&bytes, &facts_.counts);
      return facts_.has_counts;
  }
  return true;
}

bool HostSamples::TakeCode(std::string_view bytes) {
  CodeDefinition code;
  if (!Load(&bytes, &code) || code.number != codes_.size() - first_code_ + 1 ||
      uint64_t{code.file_bytes} + code.function_bytes != bytes.size())
    return false;
  codes_.push_back(
      {std::string(bytes.substr(0, code.file_bytes)), std::string(bytes.substr(code.file_bytes))});
  return true;
}

bool HostSamples::TakeStack(std::string_view bytes) {
  StackDefinition stack;
  if (!Load(&bytes, &stack) || stack.number != stacks_.size() - first_stack_ + 1 ||
      uint64_t{stack.frames} * sizeof(SampledFrame) != bytes.size())
    return false;
  CodeStack read;
  read.cut = stack.is_cut != 0;
  for (SampledFrame frame; Load(&bytes, &frame);) {
    const size_t code = first_code_ + frame.code - 1;
    if (frame.code == 0 || code >= codes_.size()) return false;
    CodeStack::Frame& shown = frames_[{static_cast<uint32_t>(code), frame.line}];
    shown.kind = FrameKind::kPython;
    shown.file = codes_[code].file;
    shown.function = codes_[code].function;
    shown.line = frame.line;
    read.frames.push_back(&shown);
  }
  stacks_.push_back(std::move(read));
  return true;
}

bool HostSamples::TakeSample(std::string_view bytes) {
  HostSample sample;
  const auto known = [this](uint32_t stack) { return stack <= stacks_.size() - first_stack_; };
  if (!Load(&bytes, &sample) || !known(sample.stack) || !known(sample.holder) ||
      sample.last_ns < sample.first_ns || sample.count == 0 || sample.state >= kSampleStates)
    return false;
  const auto first = static_cast<uint32_t>(first_stack_);
  if (sample.stack != 0) sample.stack += first;
  if (sample.holder != 0) sample.holder += first;
  threads_[{sample.pid, sample.tid}].push_back(sample);
  return true;
}

void HostSamples::Each(uint32_t pid, uint32_t tid, uint64_t begin_ns, uint64_t end_ns,
                       const std::function<void(const HostSample&, uint64_t)>& visit) const {
  const auto found = threads_.find({pid, tid});
  if (found == threads_.end()) return;
  const std::vector<HostSample>& samples = found->second;  // apart from each other
  auto at = std::partition_point(
      samples.begin(), samples.end(),
      [begin_ns](const HostSample& sample) { return sample.last_ns < begin_ns; });
  for (; at != samples.end() && at->first_ns < end_ns; ++at) {
    const uint64_t count = CountWithin(*at, begin_ns, end_ns);
    if (count != 0) visit(*at, count);
  }
}

const CodeStack* HostSamples::StackOf(uint32_t stack) const {
  return stack == 0 || stack > stacks_.size() ? nullptr : &stacks_[stack - 1];
}

}  // namespace syncline
