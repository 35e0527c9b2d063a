// SPDX-License-Identifier: Apache-2.0
// Asks the kernel first, and walks only what may have changed.
#include "sampler/process_sampler.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"

namespace syncline {
namespace {

constexpr size_t kMostReads = 2048;  // of a round, one by one; a process that lies costs no more
constexpr int kMostWalks = 8;
constexpr uint64_t kFirstWaitNs = 20'000'000, kLongestWaitNs = 2'000'000'000;
constexpr uint32_t kMostFailures = 20;  // then it may be another program
constexpr uint32_t kFutex = 202;        // of x86-64

bool AreAlike(const RemoteFrame& a, const RemoteFrame& b) {
  return a.frame == b.frame && a.code == b.code;
}

bool AreSame(const RemoteThread& a, const RemoteThread& b) {
  return std::equal(a.frames.begin(), a.frames.end(), b.frames.begin(), b.frames.end(), AreAlike);
}

// With the frames that both have; unreadable: there are none.
RemoteThread OuterOf(const RemoteThread& before, RemoteThread thread) {
  const auto [own, other] = std::mismatch(thread.frames.rbegin(), thread.frames.rend(),
                                          before.frames.rbegin(), before.frames.rend(), AreAlike);
  thread.is_readable = own != thread.frames.rbegin();
  thread.frames.erase(thread.frames.begin(), own.base());
  return thread;
}

// The state of a thread that is about to begin bears the number of the one that begins it, and
// stands before that one's.
void LeaveOutUnborn(std::vector<RemoteThread>* threads) {
  std::unordered_set<uint32_t> numbers = {0};
  const auto unborn = std::remove_if(
      threads->rbegin(), threads->rend(),
      [&](const RemoteThread& thread) { return !numbers.insert(thread.number).second; });
  threads->erase(threads->begin(), unborn.base());
}

// A thread that asks for the lock sleeps on a word of the lock.
bool WaitsForGil(const ThreadFacts& facts, uint64_t gil) {
  return facts.state == ThreadState::kBlocked && facts.system_call == kFutex && gil != 0 &&
         facts.argument >= gil && facts.argument - gil < kGilBytes;
}

}  // namespace

bool ProcessSampler::FindPython(uint64_t now_ns) {
  if (is_found_) return true;
  if (now_ns < look_again_ns_) return false;
  wait_ns_ = std::clamp(wait_ns_ * 2, kFirstWaitNs, kLongestWaitNs);
  look_again_ns_ = now_ns + wait_ns_;
  if (memory_.IsRefused()) {
    why_not_ =
        "the kernel does not let the launcher read its memory; `sysctl kernel.yama.ptrace_scope=1` "
        "allows it, in a container `--cap-add SYS_PTRACE`";
    return false;
  }
  std::string why;
  const PythonSought sought = FindPythonIn(pid_, &memory_, &place_, &why);
  if (sought == PythonSought::kRefused) why_not_ = why;
  if (sought != PythonSought::kFound) return false;
  why_not_.clear();
  is_found_ = true;
  failures_ = 0;
  known_.clear();
  codes_ = std::make_unique<PythonCodes>(place_, &memory_);
  return true;
}

// Until two walks, one behind the other, agree. Of a stack that goes on changing what is alike in
// the last two is right: the outer frames, which called the others.
void ProcessSampler::WalkThreads(SampleCounts* counts) {
  PythonThreads walker(place_, &snapshot_);
  std::vector<OpenThread> open;
  for (RemoteThread& thread : threads_) {
    const bool slept = facts_[static_cast<size_t>(&thread - threads_.data())].has_slept;
    if (!slept || !known_.contains(thread.state)) open.push_back({&thread, {}});
  }
  for (const OpenThread& each : open) walker.Walk(each.thread);
  holders_.clear();
  for (const RemoteThread& thread : threads_) holders_.push_back(walker.HolderOf(thread.gil));
  for (int walks = 2; walks <= kMostWalks && !open.empty(); ++walks) {
    snapshot_.Begin(kMostReads);
    std::vector<RemoteThread> listed;
    walker.List(&listed);  // what it reads, and the locks, are wanted the next time
    for (const RemoteThread& thread : threads_) walker.HolderOf(thread.gil);
    std::erase_if(open, [&](OpenThread& each) { return WalkAgain(&walker, &each); });
  }
  for (OpenThread& each : open) {
    *each.thread = std::move(each.outer);
    ++(each.thread->is_readable ? counts->torn : counts->unreadable);
  }
}

// Whether that is all that is to be known.
bool ProcessSampler::WalkAgain(PythonThreads* walker, OpenThread* open) {
  RemoteThread again = *open->thread;
  walker->Walk(&again);
  if (!again.is_readable) return false;
  const bool had_one = open->thread->is_readable;
  const bool agrees = had_one && AreSame(*open->thread, again);
  if (had_one && !agrees) open->outer = OuterOf(*open->thread, again);
  *open->thread = std::move(again);
  return agrees;
}

// False: it cannot be read, or there is no room for it.
bool ProcessSampler::FindFrame(const RemoteFrame& frame, SampleWriter* writer, SampledFrame* out) {
  const char* head = snapshot_.At(frame.code, kCodeHeadBytes);
  RemoteCode* code = head == nullptr ? nullptr : codes_->Of(frame.code, head);
  if (code == nullptr) return false;
  out->code = writer->Code(code->file, code->function);
  return out->code != 0 && codes_->FindLine(code, frame.instruction, &out->line);
}

// Of the frames outside of any that cannot be read. 0: there are none.
uint32_t ProcessSampler::StackOf(const RemoteThread& thread, SampleWriter* writer) {
  std::vector<SampledFrame> frames;
  frames.reserve(thread.frames.size());
  for (const RemoteFrame& frame : thread.frames) {
    SampledFrame found;
    if (FindFrame(frame, writer, &found)) {
      frames.push_back(found);
    } else {
      frames.clear();
    }
  }
  if (frames.empty() && !thread.frames.empty()) return 0;
  return writer->Stack(frames, thread.is_cut);
}

// The stack of the thread that has the lock.
uint32_t ProcessSampler::HolderOf(const RemoteThread& thread) const {
  const auto index = static_cast<size_t>(&thread - threads_.data());
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state == holders_[index]) return stacks_[i];
  }
  return 0;
}

void ProcessSampler::Write(uint64_t now_ns, SampleWriter* writer) {
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (stacks_[i] == 0) continue;
    HostSample sample{};
    sample.pid = static_cast<uint32_t>(pid_);
    sample.tid = threads_[i].number;
    sample.stack = stacks_[i];
    sample.system_call = facts_[i].system_call;
    sample.state = static_cast<uint32_t>(facts_[i].state);
    if (WaitsForGil(facts_[i], threads_[i].gil)) {
      sample.state = static_cast<uint32_t>(ThreadState::kWaitsForGil);
      sample.holder = HolderOf(threads_[i]);
    }
    writer->Add(now_ns, sample);
  }
}

// False: nothing could be read.
bool ProcessSampler::Sample(SampleWriter* writer, SampleCounts* counts) {
  snapshot_.Begin(kMostReads);
  if (!PythonThreads(place_, &snapshot_).List(&threads_)) ++counts->more_threads;
  LeaveOutUnborn(&threads_);
  facts_.clear();
  for (const RemoteThread& thread : threads_) {
    facts_.push_back(states_.Of(thread.number));
    // The lock changes hands while a thread sleeps on it.
    if (WaitsForGil(facts_.back(), thread.gil)) facts_.back().has_slept = false;
  }
  WalkThreads(counts);
  codes_->Begin();
  stacks_.assign(threads_.size(), 0);
  std::unordered_map<uint64_t, uint32_t> known;
  for (size_t i = 0; i < threads_.size(); ++i) {
    const auto before = known_.find(threads_[i].state);
    if (facts_[i].has_slept && before != known_.end()) {
      stacks_[i] = before->second;
    } else if (threads_[i].is_readable) {
      stacks_[i] = StackOf(threads_[i], writer);
      if (stacks_[i] == 0) ++counts->unreadable;
    }
    if (stacks_[i] != 0) known[threads_[i].state] = stacks_[i];
  }
  counts->samples += known.size();
  known_ = std::move(known);
  states_.Forget();
  return !known_.empty();
}

void ProcessSampler::Round(uint64_t now_ns, SampleWriter* writer, SampleCounts* counts) {
  if (!FindPython(now_ns)) return;
  if (Sample(writer, counts)) {
    failures_ = 0;
    Write(now_ns, writer);
  } else if (++failures_ == kMostFailures) {
    // Before the interpreter begins and behind its end it has no threads; another program has none.
    is_found_ = false;
    wait_ns_ = 0;
  }
}

}  // namespace syncline
