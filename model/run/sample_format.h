// SPDX-License-Identifier: Apache-2.0
// The file of a run's samples of the host, as the launcher writes it: docs/host.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline {

// A header, then entries: each a kind, its bytes, and those bytes. Numbers are little-endian.
inline constexpr char kSampleMagic[8] = {'S', 'Y', 'N', 'C', 'S', 'M', 'P', '1'};
inline constexpr uint32_t kSampleVersion = 1;

struct SampleHeader {
  char magic[8];
  uint32_t version;
  uint32_t hertz;  // as asked for
};

enum class SampleEntry : uint32_t {
  kCode = 1,    // CodeDefinition, the file's name, the function's
  kStack = 2,   // StackDefinition, then SampledFrames, the innermost first
  kSample = 3,  // HostSample
  kCounts = 4   // SampleCounts, once at the end; without it the launcher was killed
};

struct SampleEntryHead {
  uint32_t kind;
  uint32_t bytes;  // of what follows
};

// Numbers are given out from 1, one after another, each before it is used.
struct CodeDefinition {
  uint32_t number;
  uint32_t file_bytes;
  uint32_t function_bytes;
};

struct SampledFrame {
  uint32_t code;
  uint32_t line;  // 0: unknown
  bool operator==(const SampledFrame&) const = default;
};

struct StackDefinition {
  uint32_t number;
  uint32_t frames;
  uint32_t is_cut;  // the outermost are missing
};

enum class ThreadState : uint8_t {
  kUnknown,
  kRunning,
  kRunnable,  // without a processor
  kBlocked,
  kWaitsForGil
};
inline constexpr uint32_t kSampleStates = 5;
inline constexpr uint32_t kNoSystemCall = UINT32_MAX;

// Samples of one thread that followed each other and are alike.
struct HostSample {
  uint64_t first_ns;  // CLOCK_MONOTONIC
  uint64_t last_ns;
  uint32_t count;  // from 1 on
  uint32_t pid;    // as the launcher sees it
  uint32_t tid;
  uint32_t stack;        // 0: not known
  uint32_t holder;       // the stack of the thread that had the GIL; 0: not known
  uint32_t system_call;  // in which it is blocked, by its number here; kNoSystemCall: in none
  uint32_t state;        // ThreadState
  uint32_t spare;
};

struct SampleCounts {
  uint64_t rounds;   // looks at all processes
  uint64_t samples;  // stacks that were read
  uint64_t torn;     // stacks that changed while they were read: of them the outer frames are known
  uint64_t unreadable;    // stacks that could not be read: left out
  uint64_t left_out;      // samples for which there was no room
  uint64_t more_threads;  // samples of threads beyond the most of a process
  uint64_t late;          // rounds that the machine, or their own length, held up
  uint64_t used_ns;       // processor time of the thread that sampled
};

}  // namespace syncline
