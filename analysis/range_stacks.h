// SPDX-License-Identifier: Apache-2.0
// Which ranges were open on a thread at some moments, and at which line of the user's code it
// called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/run/code_location.h"
#include "model/run/lines_between.h"
#include "model/spool/record_sink.h"
#include "model/spool/timeline.h"

namespace syncline {

// The question where a thread was at a moment. kNotAsked is answered, too: nothing is known.
enum class MomentId : size_t { kNotAsked = SIZE_MAX };

// Ask for all moments, read the spool, then look at the stacks. One thread.
class RangeStacks : public RecordSink {
 public:
  // Ranges that never ended end at `end_ns`, when their process ended.
  RangeStacks(Timeline* host, uint64_t end_ns, const OwnCode& own)
      : host_(host), end_ns_(end_ns), places_(own), lines_(places_) {}

  // `at_ns`: on the job's line. The answer is asked for by what is returned.
  MomentId Ask(uint32_t tid, uint64_t at_ns);
  bool empty() const { return stacks_.empty(); }

  unsigned Interests() const override { return kRanges | kCalls | kStacks; }
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnOpenCall(Stream& stream, const CallRecord& call) override;
  void OnRange(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnRangeAround(const RangeEvent& event) override;

  // "step 3 > backward"; empty: outside of all ranges.
  std::string StackOf(MomentId moment);
  // Of the call that the moment lies in; empty: none, or its stack was not taken.
  const std::string& WhereOf(MomentId moment) const;
  const std::string& CallerOf(MomentId moment) const;  // OwnFrames::caller
  std::string StatementOf(MomentId moment);            // LinesTeller::StatementOf
  // From the last call before the moment to the first one from the moment on, of those that have a
  // stack, if that began by `until_ns`.
  LinesBetween LinesAround(MomentId moment, uint64_t until_ns);
  // LinesTeller::TailBetween of the same two.
  LinesBetween TailAround(MomentId moment, uint64_t until_ns, uint64_t took_ns);

 private:
  // Begin, depth, name: ranges that were begun while nothing was recorded may have one begin.
  using Named = std::tuple<uint64_t, uint16_t, std::string>;
  struct Moments {
    std::vector<std::pair<uint64_t, size_t>> at;  // when, its place in stacks_
    bool sorted = false;
  };
  struct StackAt {
    uint64_t at_ns = 0;
    const OwnFrames* path = nullptr;  // null: there is none
  };
  // The latest ends before a moment, until all is read: of the calls since the moment before.
  // A thread that works for another one is at that one's line, and that one at no line of its own.
  struct Before {
    StackAt own;     // of the thread
    StackAt helper;  // of threads that worked for others
    StackAt other;   // of all other threads
  };

  void Add(const RangeEvent& event, uint64_t end);
  void AddCall(const Stream& stream, uint64_t begin, uint64_t end);
  std::pair<const OwnFrames*, const OwnFrames*> PathsAround(MomentId moment, uint64_t until_ns);
  void NoteBefore(uint32_t tid, uint64_t end, StackAt Before::*whose, const OwnFrames* path);
  void NoteAfter(uint32_t tid, uint64_t begin, const OwnFrames* path);
  void Settle();
  Moments* MomentsOf(uint32_t tid);
  // Calls `note` with each moment of the thread that lies within.
  template <typename Note>
  void ForEachWithin(uint32_t tid, uint64_t begin, uint64_t end, const Note& note);

  Timeline* host_;
  uint64_t end_ns_;
  CodeLocations places_;
  LinesTeller lines_;
  std::map<uint32_t, Moments> of_threads_;
  std::map<uint32_t, StackAt> last_calls_;  // of these, so far
  std::vector<std::vector<Named>> stacks_;
  std::vector<const OwnFrames*> where_;  // null: unknown
  std::vector<Before> before_;
  std::vector<StackAt> after_;
  bool settled_ = false;
};

}  // namespace syncline
