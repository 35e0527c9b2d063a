// SPDX-License-Identifier: Apache-2.0
// --stage-lines: a line for each call of a stage that ends, while the program runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "inject/core/segment.h"
#include "launcher/record/process_load.h"
#include "launcher/record/spool_tail.h"
#include "launcher/record/stage_calls.h"

namespace syncline {

class StageLines {
 public:
  // `folders`: where spools of this node come. `rank`: of which it tells, -1: of all. At most
  // `a_second` lines a second. Throws std::system_error where no thread can be had.
  StageLines(std::vector<std::string> folders, int rank, uint64_t a_second);
  ~StageLines();
  StageLines(const StageLines&) = delete;
  StageLines& operator=(const StageLines&) = delete;

  // All spools are as they will be: tells the rest, and how many calls had no line.
  void Finish();

 private:
  // A call that has ended and has no line yet.
  struct Call {
    std::string name;
    uint64_t begin, end;  // ticks
    uint64_t look;        // that saw it
    uint64_t seen_ns;
    bool is_settled;  // all records of the time before its end were seen
    std::optional<uint64_t> peak;
  };
  struct Process {
    explicit Process(StageLines* lines);
    StageCalls calls;
    ProcessLoad load;
    std::vector<Call> waiting;    // the first are settled, and in the order of their ends
    uint64_t memory_seen_to = 0;  // by the look before
  };
  struct Watched {
    explicit Watched(const std::string& path) : tail(path) {}
    SpoolTail tail;
    std::unique_ptr<Process> process;  // null: it has ended
  };

  void Watch();
  void Look(bool is_last);
  void Add(const std::string& path);
  bool MayTell();
  void Settle(Process* process, bool is_last) const;
  void TellWaiting(Process* process, bool is_last);
  void Tell(const Process& process, const Call& call) const;
  double NsPerTick(const Process& process) const;
  bool IsWanted(const StageCalls& calls) const;

  std::vector<std::string> folders_;
  int rank_;
  uint64_t a_second_;
  Anchor start_;  // of the time stamp counter, to know its rate
  std::map<std::pair<uint64_t, uint64_t>, Watched>
      watched_;             // by device and inode: a folder has two names
  double ns_per_tick_ = 1;  // of the time stamp counter
  uint64_t look_ = 0;
  uint64_t forgot_ns_ = 0;
  uint64_t second_began_ns_ = 0;
  uint64_t told_in_second_ = 0;
  uint64_t not_told_ = 0;
  bool is_full_ = false;  // a spool is not looked at: there are too many
  bool failed_ = false;   // the thread's, until it has ended
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace syncline
