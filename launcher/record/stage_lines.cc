// SPDX-License-Identifier: Apache-2.0
// A thread looks for what the consumer has appended to the spools. It is woken by time alone: a
// line may be a little late.
#include "launcher/record/stage_lines.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/text.h"
#include "inject/core/clock.h"
#include "inject/core/range_names.h"
#include "inject/core/sys.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "model/run/program_name.h"

namespace syncline {
namespace {

constexpr uint64_t kSecondNs = 1000000000;
constexpr std::chrono::nanoseconds kBetweenLooks = std::chrono::milliseconds(100);
constexpr std::chrono::nanoseconds kLongestRest = std::chrono::seconds(1);
constexpr int kRestsOfLook = 20;  // a look takes a twentieth of the time at most
constexpr size_t kMostWatchedSpools = 1 << 16;

// Those of --stages; without it all that are named for people.
bool IsStage(std::string_view name, std::string_view domain) {
  return !AnyStageNames() || (MarksOfRange(name, domain) & kMarkStage) != 0;
}

}  // namespace

StageLines::StageLines(std::vector<std::string> folders, int rank, uint64_t a_second)
    : folders_(std::move(folders)),
      rank_(rank),
      a_second_(a_second),
      start_(TakeAnchor(ClockId::kTsc)) {
  LoadStageNames();
  SignalBlocker blocker;  // inherited: signals are for the launcher's main thread
  thread_ = std::thread([this] { Watch(); });
}

StageLines::~StageLines() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
}

// Lines are worth no run: where memory is short there are none any more.
void StageLines::Watch() {
  try {
    std::chrono::nanoseconds rest = kBetweenLooks;
    while (!stop_.load()) {
      std::this_thread::sleep_for(std::min(rest, kLongestRest));
      const auto begin = std::chrono::steady_clock::now();
      Look();
      rest = std::max(kBetweenLooks, (std::chrono::steady_clock::now() - begin) * kRestsOfLook);
    }
  } catch (const std::exception& error) {
    failed_ = true;
    SayWarning(Text("--stage-lines ends here: ", error.what(), "."));
  }
}

void StageLines::Look() {
  for (const std::string& folder : folders_) {
    for (const std::string& name : ListDirectory(folder)) {
      if (name.ends_with(kSpoolSuffix)) Add(Text(folder, "/", name));
    }
  }
  for (auto& [file, watched] : watched_) {
    if (watched.calls == nullptr) continue;
    StageCalls& calls = *watched.calls;
    watched.tail.Read([&calls](const BlockHead& head, std::string_view payload) {
      calls.TakeBlock(head, payload);
    });
    if (calls.has_ended()) watched.calls = nullptr;
  }
}

void StageLines::Add(const std::string& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0) return;
  if (watched_.size() >= kMostWatchedSpools) {
    is_full_ = is_full_ || !watched_.contains({info.st_dev, info.st_ino});
    return;
  }
  const auto [added, is_new] = watched_.try_emplace({info.st_dev, info.st_ino}, path);
  if (!is_new) return;
  Watched& watched = added->second;
  watched.calls = std::make_unique<StageCalls>(
      IsStage, [this, &watched](const std::string& name, uint64_t ticks) {
        Tell(*watched.calls, name, ticks);
      });
}

bool StageLines::IsWanted(const StageCalls& calls) const {
  return calls.is_known() && (rank_ < 0 || calls.facts().rank.rank == rank_);
}

void StageLines::Tell(const StageCalls& calls, const std::string& name, uint64_t ticks) {
  if (!IsWanted(calls)) return;
  const uint64_t now = MonotonicNs();
  if (now - second_began_ns_ >= kSecondNs) {
    second_began_ns_ = now;
    told_in_second_ = 0;
  }
  if (told_in_second_ >= a_second_) {
    ++not_told_;
    return;
  }
  ++told_in_second_;
  uint64_t ns = ticks;
  if (calls.clock() == ClockId::kTsc) {
    const Anchor here = TakeAnchor(ClockId::kTsc);
    const auto lasted = static_cast<double>(here.monotonic_ns - start_.monotonic_ns);
    ns = static_cast<uint64_t>(static_cast<double>(ticks) * lasted /
                               static_cast<double>(here.ticks - start_.ticks));
  }
  const int rank = calls.facts().rank.rank;
  Say(Text("stage ", name, ": ", DurationText(ns), " (", rank < 0 ? "" : Text("rank ", rank, ", "),
           ProgramName(calls.facts()), " ", calls.facts().pid, ")"));
}

void StageLines::Finish() {
  stop_.store(true);
  thread_.join();
  if (failed_) return;
  Look();
  if (is_full_)
    Say(Text("--stage-lines looked at the first ", CountText(kMostWatchedSpools), " processes"));
  if (not_told_ != 0)
    Say(Text(Counted(not_told_, "call"),
             " of stages had no line: --stage-lines N allows N a second"));
}

}  // namespace syncline
