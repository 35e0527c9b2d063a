// SPDX-License-Identifier: Apache-2.0
// What tests of the runtime share: a process for each case, a folder, a launcher that only does
// what it is told.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "inject/core/collector.h"
#include "inject/core/emit.h"
#include "inject/core/handover.h"
#include "inject/core/sanitizer.h"
#include "inject/runtime/process_state.h"

namespace syncline {

#if defined(SYNCLINE_TSAN)
inline constexpr bool kUnderTsan = true;
#else
inline constexpr bool kUnderTsan = false;
#endif
// A sanitizer's own memory stands in the way of a limit of address space.
#if defined(SYNCLINE_TSAN) || defined(SYNCLINE_ASAN)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Runs `body` in a process of its own, which is this program executed again for the present test:
// options are read once a process, a session starts once, and limits shall not harm what follows.
// A fork alone would do for neither ThreadSanitizer nor the threads of `body`. The test fails as
// the process does.
void InOwnProcess(const std::function<void()>& body);

// Calls `body` in a child made by `make_child` (fork, or a raw clone), and expects true.
void ExpectInChild(long (*make_child)(), const std::function<bool()>& body);

// A folder that is removed at the end, with the segments to which links in it point.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::string& path() const { return path_; }
  // Files below it, by the end of their names.
  std::vector<std::string> Files(const std::string& suffix) const;

 private:
  std::string path_;
};

// The collectors of the tests' runtime, "one" and "two". They do nothing, unless a test in a
// process of its own makes them.
extern CollectorDescription g_test_collectors[2];

size_t OpenDescriptors();

// Listens where SYNCLINE_SOCKET says. Connections wait in its queue, so that no thread is needed.
class PretendLauncher {
 public:
  explicit PretendLauncher(const std::string& name, bool abstract = false, int queue = 16);
  ~PretendLauncher();
  PretendLauncher(const PretendLauncher&) = delete;
  PretendLauncher& operator=(const PretendLauncher&) = delete;

  int Accept();  // -1: nobody has connected
  void End();    // nobody listens any more
  // The next message of a connection, "" at its end or if there is none; `*fd`: what came with it.
  static std::string Receive(int connection, int* fd);
  // A reply, with the descriptor if it is not -1.
  static void Send(int connection, const HandOverReply& reply, int fd);

 private:
  int socket_;
};

// A launcher that takes the segment and never says anything: what is recorded stays in the rings.
// Make it before the first record; in a process of its own.
class Recording {
 public:
  // `options`: "SYNCLINE_MEMORY_RING=8K", ...
  explicit Recording(const std::vector<std::string>& options = {});

  ProcessState* process() const { return GetProcess(); }
  SegmentHeader* header() const { return process()->session.header.load(); }
  SegmentNotes* notes() const;
  uint64_t Lost(Loss kind) const { return header()->losses[kind].load(); }
  RingControl* Control(uint32_t ring) const { return notes()->places[ring].control; }
  // All rings are empty afterwards.
  void Drain() const;
  // The records of a ring that were not drained.
  std::vector<const RecordHead*> Records(uint32_t ring) const;
  // Gives the session a doorbell, as a launcher that answers does.
  void SetDoorbell(Doorbell* bell) const { process()->session.doorbell.store(bell); }

  TestFolder folder;
  PretendLauncher launcher;
};

// The same as InOwnProcess, with such a launcher.
template <typename Body>
void Recorded(Body body) {
  InOwnProcess([&body] {
    Recording recording;
    body(recording);
  });
}

// As a collector's hooks do it. False: not recorded.
bool Push(const char* name);
void Pop();

}  // namespace syncline
