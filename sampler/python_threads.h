// SPDX-License-Identifier: Apache-2.0
// The threads of an interpreter in another process, their frames, and who has its lock.
#pragma once

#include <cstdint>
#include <vector>

#include "sampler/python_place.h"
#include "sampler/snapshot.h"

namespace syncline {

struct RemoteFrame {
  uint64_t frame;
  uint64_t code;
  int32_t instruction;  // its byte offset; negative: the code has not begun
};

struct RemoteThread {
  uint64_t state = 0;   // its address
  uint32_t number = 0;  // the kernel's, as the process sees it; 0: not known
  uint64_t gil = 0;     // the lock's address; 0: not known
  bool is_readable = false;
  bool is_cut = false;              // the outermost frames are missing
  std::vector<RemoteFrame> frames;  // the innermost first
};

inline constexpr size_t kMostRemoteThreads = 64;
inline constexpr size_t kMostRemoteFrames = 256;

// Walks what one snapshot shows. Frames change meanwhile: two walks that agree are right.
class PythonThreads {
 public:
  PythonThreads(const PythonPlace& place, Snapshot* snapshot)
      : place_(place), layout_(place.layout), snapshot_(snapshot) {}

  // Without their frames, at most kMostRemoteThreads. False: there are more.
  bool List(std::vector<RemoteThread>* threads);
  void Walk(RemoteThread* thread);
  // The state of the thread that has the lock; 0: none, or not known.
  uint64_t HolderOf(uint64_t gil);

 private:
  uint64_t WordAt(uint64_t address);  // 0: it cannot be read
  bool AddThreadsOf(uint64_t interpreter, std::vector<RemoteThread>* threads);
  uint64_t GilOf(uint64_t interpreter);
  uint32_t NumberOf(const char* state);
  uint64_t InnermostOf(const RemoteThread& thread);
  bool IsPythons(const char* frame, uint64_t code);
  bool IsCode(uint64_t code);
  bool IsSuspendable(uint64_t code);
  int32_t InstructionOf(const char* frame, uint64_t code) const;

  const PythonPlace& place_;
  const PythonLayout& layout_;
  Snapshot* snapshot_;
};

}  // namespace syncline
