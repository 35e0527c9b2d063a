// SPDX-License-Identifier: Apache-2.0
// Samples one process: each of its Python threads once a round.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sampler/python_codes.h"
#include "sampler/python_place.h"
#include "sampler/python_threads.h"
#include "sampler/remote_memory.h"
#include "sampler/sample_writer.h"
#include "sampler/snapshot.h"
#include "sampler/thread_states.h"

namespace syncline {

class ProcessSampler {
 public:
  explicit ProcessSampler(int pid) : pid_(pid), memory_(pid), states_(pid), snapshot_(&memory_) {}

  // Reads the process once. `counts`: what was read, and what could not be.
  void Round(uint64_t now_ns, SampleWriter* writer, SampleCounts* counts);
  // Why there are no samples of it, for the user; empty: there are, or it has no Python.
  const std::string& why_not() const { return why_not_; }

 private:
  // Of which two walks have not agreed yet.
  struct OpenThread {
    RemoteThread* thread;  // the last walk that could be read
    RemoteThread outer;    // what the last two of these have in common
  };

  bool FindPython(uint64_t now_ns);
  bool Sample(SampleWriter* writer, SampleCounts* counts);
  void WalkThreads(SampleCounts* counts);
  static bool WalkAgain(PythonThreads* walker, OpenThread* open);
  bool FindFrame(const RemoteFrame& frame, SampleWriter* writer, SampledFrame* out);
  uint32_t StackOf(const RemoteThread& thread, SampleWriter* writer);
  uint32_t HolderOf(const RemoteThread& thread) const;
  void Write(uint64_t now_ns, SampleWriter* writer);

  const int pid_;
  ProcessMemory memory_;
  PythonPlace place_;
  bool is_found_ = false;
  uint64_t look_again_ns_ = 0, wait_ns_ = 0;
  uint32_t failures_ = 0;  // rounds, one after the other
  std::string why_not_;
  ThreadStates states_;
  Snapshot snapshot_;
  std::unique_ptr<PythonCodes> codes_;
  std::vector<RemoteThread> threads_;  // of the round at hand
  std::vector<ThreadFacts> facts_;     // of these
  std::vector<uint32_t> stacks_;       // of these; 0: none
  std::vector<uint64_t> holders_;      // of the locks of these
  std::unordered_map<uint64_t, uint32_t>
      known_;  // stacks of the round before, by the thread's state
};

}  // namespace syncline
