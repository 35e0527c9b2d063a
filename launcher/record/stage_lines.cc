// SPDX-License-Identifier: Apache-2.0
// A thread looks for what the consumer has appended to the spools. It is woken by time alone: a
// line may be a little late, and waits for what devices' drivers still hold, but not for long.
#include "launcher/record/stage_lines.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/dotted_name.h"
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
constexpr int kRestsOfLook = 20;             // a look takes a twentieth of the time at most
constexpr uint64_t kPatienceNs = kSecondNs;  // with records of devices
constexpr size_t kMostNameColumns = 60;
constexpr size_t kMostWatchedSpools = 1 << 16;

// Those of --stages; without it all that are named for people.
bool IsStage(std::string_view name, std::string_view domain) {
  return !AnyStageNames() || (MarksOfRange(name, domain) & kMarkStage) != 0;
}

// Two digits, below 10 % one behind the point.
std::string BusyShare(uint64_t part, uint64_t whole) {
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  char text[32];
  std::snprintf(text, sizeof(text), percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
  return text;
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
      Look(false);
      rest = std::max(kBetweenLooks, (std::chrono::steady_clock::now() - begin) * kRestsOfLook);
    }
  } catch (const std::exception& error) {
    failed_ = true;
    SayWarning(Text("--stage-lines ends here: ", error.what(), "."));
  }
}

StageLines::Process::Process(StageLines* lines)
    : calls(
          IsStage,
          [this, lines](const std::string& name, uint64_t begin, uint64_t end) {
            if (lines->IsWanted(calls) && lines->MayTell())
              waiting.push_back({name, begin, end, lines->look_, MonotonicNs(), false, {}});
          },
          [this](const RecordHead& head, std::string_view record) {
            load.TakeRecord(head, record);
          }) {}

void StageLines::Look(bool is_last) {
  ++look_;
  const Anchor here = TakeAnchor(ClockId::kTsc);
  if (here.ticks > start_.ticks)
    ns_per_tick_ = static_cast<double>(here.monotonic_ns - start_.monotonic_ns) /
                   static_cast<double>(here.ticks - start_.ticks);
  const bool forgets = here.monotonic_ns - forgot_ns_ > kPatienceNs;
  if (forgets) forgot_ns_ = here.monotonic_ns;
  for (const std::string& folder : folders_) {
    for (const std::string& name : ListDirectory(folder)) {
      if (name.ends_with(kSpoolSuffix)) Add(Text(folder, "/", name));
    }
  }
  for (auto& [file, watched] : watched_) {
    if (watched.process == nullptr) continue;
    Process& process = *watched.process;
    watched.tail.Read([this, &process](const BlockHead& head, std::string_view payload) {
      process.load.SetRate(NsPerTick(process));  // its first block says which clock it has
      process.calls.TakeBlock(head, payload);
    });
    const bool has_ended = is_last || process.calls.has_ended();
    Settle(&process, has_ended);
    TellWaiting(&process, has_ended);
    if (forgets) process.load.Forget();
    if (process.calls.has_ended()) watched.process = nullptr;
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
  if (is_new) added->second.process = std::make_unique<Process>(this);
}

bool StageLines::IsWanted(const StageCalls& calls) const {
  return calls.is_known() && (rank_ < 0 || calls.facts().rank.rank == rank_);
}

// Of a call that has ended just now; the others are counted.
bool StageLines::MayTell() {
  const uint64_t now = MonotonicNs();
  if (now - second_began_ns_ >= kSecondNs) {
    second_began_ns_ = now;
    told_in_second_ = 0;
  }
  const bool may = told_in_second_ < a_second_;
  ++(may ? told_in_second_ : not_told_);
  return may;
}

// The consumer visits all threads of a process more often than we look: what stood in their rings
// when a call ended is seen by the look behind the one that saw the call.
void StageLines::Settle(Process* process, bool is_last) const {
  MemoryPeaks& memory = process->load.memory();
  const auto later = std::stable_partition(process->waiting.begin(), process->waiting.end(),
                                           [](const Call& call) { return call.is_settled; });
  std::sort(later, process->waiting.end(),
            [](const Call& a, const Call& b) { return a.end < b.end; });
  auto end = process->waiting.end();
  while (!is_last && end != later && std::prev(end)->look == look_) --end;
  for (auto call = later; call != end; ++call) {
    const bool in_order = call->end >= memory.passed();
    memory.PassTo(call->end);
    if (in_order) call->peak = memory.Since(call->begin);
    call->is_settled = true;
  }
  uint64_t pass_to = process->memory_seen_to;
  for (auto call = end; call != process->waiting.end(); ++call)
    pass_to = std::min(pass_to, call->end);
  memory.PassTo(pass_to);
  process->memory_seen_to = memory.latest();
}

void StageLines::TellWaiting(Process* process, bool is_last) {
  const uint64_t now = MonotonicNs();
  const ProcessLoad& load = process->load;
  auto call = process->waiting.begin();
  for (; call != process->waiting.end() && call->is_settled; ++call) {
    const bool waits = !is_last && now - call->seen_ns < kPatienceNs;
    if (waits && (load.IsOwed(call->end) || load.MayBeOwed())) break;
    Tell(*process, *call);
  }
  process->waiting.erase(process->waiting.begin(), call);
}

double StageLines::NsPerTick(const Process& process) const {
  return process.calls.is_known() && process.calls.clock() == ClockId::kTsc ? ns_per_tick_ : 1;
}

void StageLines::Tell(const Process& process, const Call& call) const {
  const uint64_t ticks = call.end - call.begin;
  const auto ns = static_cast<uint64_t>(static_cast<double>(ticks) * NsPerTick(process));
  // One line, whatever ends of lines the name has.
  const std::string name = ShortenedName(PrintableText(call.name), kMostNameColumns);
  std::string line = Text("stage ", name, ": ", DurationText(ns));
  if (call.peak) line += Text(", peak memory ", SizeText(*call.peak));
  const ProcessLoad& load = process.load;
  if (load.HasDevices() && ticks != 0) {
    const uint64_t busy = load.BusyWithin(call.begin, call.end);
    const bool is_all = busy >= ticks - ticks / 200;  // no more can be missing
    const bool in_part = !is_all && (load.IsOwed(call.end) || load.IsInPart(call.begin));
    line += in_part && busy == 0
                ? std::string(", device busy unknown")
                : Text(", device busy ", in_part ? "at least " : "", BusyShare(busy, ticks));
  }
  const ProcessFacts& facts = process.calls.facts();
  const int rank = facts.rank.rank;
  line += Text(" (", rank < 0 ? "" : Text("rank ", rank, ", "), ProgramName(facts), " ", facts.pid,
               ")");
  Say(PrintableText(line));
}

void StageLines::Finish() {
  stop_.store(true);
  thread_.join();
  if (failed_) return;
  Look(true);
  if (is_full_)
    Say(Text("--stage-lines looked at the first ", CountText(kMostWatchedSpools), " processes"));
  if (not_told_ != 0)
    Say(Text(Counted(not_told_, "call"),
             " of stages had no line: --stage-lines N allows N a second"));
}

}  // namespace syncline
