// SPDX-License-Identifier: Apache-2.0
// The calls of stages that a process ends, found in its spool's blocks as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "inject/core/record.h"
#include "inject/core/segment.h"
#include "inject/core/spool_format.h"

namespace syncline {

class StageCalls {
 public:
  // `is_stage`: whether a range of this name and domain is one; asked once for each pair.
  using IsStage = std::function<bool(std::string_view name, std::string_view domain)>;
  // In ticks.
  using Ended = std::function<void(const std::string& name, uint64_t begin, uint64_t end)>;
  // What says nothing of ranges.
  using Other = std::function<void(const RecordHead& head, std::string_view record)>;

  StageCalls(IsStage is_stage, Ended ended, Other other)
      : is_stage_(std::move(is_stage)), ended_(std::move(ended)), other_(std::move(other)) {}

  void TakeBlock(const BlockHead& head, std::string_view payload);

  bool is_known() const { return is_known_; }
  bool has_ended() const { return has_ended_; }  // nothing more comes
  const ProcessFacts& facts() const { return facts_; }
  ClockId clock() const { return clock_; }

 private:
  struct Domain {
    std::string name;
    bool is_frameworks = false;
  };
  struct Stream {
    std::map<uint32_t, std::string> names;
    std::map<uint32_t, Domain> domains;
    std::map<std::pair<uint32_t, uint32_t>, bool> stages;  // by name and domain
  };
  struct Started {
    std::string name;
    uint64_t begin = 0;
  };

  void TakeRecord(const RecordHead& head, std::string_view record, uint64_t* stream);
  void TakeText(const RecordHead& head, std::string_view record, Stream* stream);
  void TakeRange(const RecordHead& head, std::string_view record, Stream* stream);
  bool IsOneOf(Stream* stream, uint32_t name, uint32_t domain) const;

  IsStage is_stage_;
  Ended ended_;
  Other other_;
  bool is_known_ = false;
  bool has_ended_ = false;
  ProcessFacts facts_{};
  ClockId clock_{};
  std::map<uint64_t, Stream> streams_;
  std::map<uint32_t, uint64_t> stream_of_ring_;
  std::map<uint64_t, Started> started_;  // start/end ranges, by id
};

}  // namespace syncline
