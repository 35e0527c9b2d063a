// SPDX-License-Identifier: Apache-2.0
// Takes over the segments of the recorded processes of this node and drains them into spools while
// the program runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inject/core/handover.h"
#include "launcher/record/lost_programs.h"

namespace syncline {

struct RecorderConfig {
  std::string run_directory;                       // absolute
  std::string spool_directory;                     // exists, is ours
  std::string rest_directory;                      // for what outlives us: stays when we have ended
  std::function<std::string()> make_local_folder;  // for spools, once that one is gone; "": none
  std::string socket_prefix;                       // handover.h: at most 90 bytes
  uint64_t memory_node;                            // bytes, as the options of the same names
  uint64_t disk_process;
  uint64_t disk_node;
  uint64_t disk_reserve;
};

struct RecordedProcess {
  int pid;
  std::string spool_path;                 // empty: recorded nothing
  std::string rest_path;                  // of one that outlives us: where it goes on
  std::shared_ptr<const StartNote> note;  // of a process that sent one, else null
  bool gone;
  bool status_known;
  int wait_status;
  uint64_t start_realtime_ns;
  uint64_t end_monotonic_ns;
};

struct RecorderResult {
  // All that recorded something, and of each rank the first kMostSilentOfRank of those that did
  // not.
  std::vector<RecordedProcess> processes;
  std::map<int, uint64_t> silent_left_out;  // by rank: how many more recorded nothing
  uint32_t left_out = 0;                    // of StartNote, of all processes
  LostPrograms lost_programs;
  std::vector<std::string> refusals;  // sentences for the user: who was not recorded, and why
};

inline constexpr uint64_t kMostSilentOfRank = 1000;

class Recorder {
 public:
  // Binds the sockets, makes the doorbells, starts the consumer thread (all signals blocked). Null:
  // *error says why. Throws std::system_error where no thread can be had.
  static std::unique_ptr<Recorder> Start(const RecorderConfig& config, std::string* error);
  // Whether some process has handed over a segment by now.
  virtual bool HasRecords() const = 0;
  // Processes of our user that record now, or said that they began; any thread.
  virtual std::vector<int> Recording() const = 0;
  virtual void ChildStarted(int pid) = 0;  // the direct child
  virtual void ChildEnded(int pid, int wait_status) = 0;
  // Drains what is left, leaves the rest to living processes, ends the threads.
  virtual RecorderResult Finish() = 0;
  virtual ~Recorder() = default;
};

}  // namespace syncline
