// SPDX-License-Identifier: Apache-2.0
// When the modules of a program's model were called, and what else is theirs: what autograd ran for
// them later, and what was launched in them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/spool/record_sink.h"

namespace syncline {

struct ModuleSpan {
  uint64_t begin;   // ticks
  uint64_t end;     // UINT64_MAX: it never ended
  uint32_t path;    // ModuleLog::paths
  uint32_t around;  // index of the thread's span that it lies in; kNoModule: none

  bool is_open() const { return end == UINT64_MAX; }
};
inline constexpr uint32_t kNoModule = UINT32_MAX;

// Fed by the first reading. A backward operator is its module's by its forward operator: that has
// its sequence number, and ran on its forward thread. 24 bytes a call of a module, a backward
// operator and a launch; a process without modules takes nothing.
class ModuleLog : public RecordSink {
 public:
  struct Path {
    std::string name;
    std::string of_class;  // of the last module that had it
  };
  struct Thread {
    std::vector<ModuleSpan> spans;  // by begin, an outer one before those in it
    std::vector<bool> backward;     // which of them
  };

  // `room`: how many more spans may be kept, by all that share it.
  explicit ModuleLog(std::shared_ptr<uint64_t> room) : room_(std::move(room)) {}

  unsigned Interests() const override { return kOperators | kCalls; }
  void OnModule(const RangeEvent& event) override;
  void OnOpenModule(const RangeEvent& event) override;
  void OnOperator(const RangeEvent& event) override;
  void OnCall(Stream& stream, const CallRecord& call) override;

  // All was read: the rest is to be asked from then on.
  void Finish();

  bool empty() const { return paths_.empty(); }
  Source source() const { return source_; }
  const std::string& domain() const { return domain_; }
  const std::vector<Path>& paths() const { return paths_; }
  const std::map<uint32_t, Thread>& threads() const { return threads_; }  // by tid
  // The innermost module to which the moment of the thread belongs; null: none.
  const Path* At(uint32_t tid, uint64_t ticks) const;
  // The one in which the operation of a device was submitted; null: none.
  const Path* OfLaunch(Source source, uint32_t correlation) const;
  uint64_t left_out() const { return left_out_; }

 private:
  // A forward operator that is not known to be in a module yet.
  struct Pending {
    int64_t sequence;
    uint64_t begin;
    uint32_t ended_before;  // modules
  };
  // Numbers that were counted in a module.
  struct Counted {
    int64_t first, last;
    uint64_t begin;
    uint32_t path;
  };
  struct Backward {
    uint64_t begin, end;
    int64_t sequence;
    uint32_t forward_thread;
  };
  struct Draft {
    std::vector<Pending> pending;
    std::vector<Counted> counted;
    std::vector<Backward> backward;
    uint32_t ended = 0;  // modules
  };
  struct Launch {
    uint64_t begin;
    uint32_t tid;
    uint32_t correlation;
  };

  bool IsKnown(const Stream& stream);
  bool TakeRoom();
  uint32_t PathOf(const RangeEvent& event);
  void Keep(const RangeEvent& event, uint64_t end);
  static void Count(std::vector<Pending>::iterator begin, std::vector<Pending>::iterator end,
                    uint32_t path, std::vector<Counted>* counted);
  void AddBackward();
  static void Nest(Thread* thread);
  uint32_t PathCounting(uint32_t forward_thread, int64_t sequence) const;

  std::shared_ptr<uint64_t> room_;
  bool any_ = false;
  Source source_ = 0;
  std::string domain_;
  std::vector<Path> paths_;
  std::unordered_map<uint64_t, uint32_t> path_numbers_;  // by the process's
  std::map<uint32_t, Thread> threads_;
  std::map<uint32_t, Draft> drafts_;                // by tid, until Finish
  std::unordered_map<uint32_t, uint32_t> tids_;     // by the framework's number
  std::map<Source, std::vector<Launch>> launches_;  // until Finish
  std::map<Source, std::vector<std::pair<uint32_t, uint32_t>>> launched_;  // correlation, path
  uint64_t left_out_ = 0;
};

}  // namespace syncline
