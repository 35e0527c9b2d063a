// SPDX-License-Identifier: Apache-2.0
// Rounds at uneven times: programs have clocks of their own, Python's lock among them.
#include "sampler/host_sampler.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <utility>

#include "inject/core/clock.h"
#include "sampler/process_sampler.h"
#include "sampler/sample_writer.h"

namespace syncline {
namespace {

constexpr uint64_t kLookForProcessesNs = 50'000'000, kFlushNs = 1'000'000'000;
// A round is followed by so many times its own length without one: with many processes there are
// fewer rounds, and the launcher never takes more than a tenth of a processor.
constexpr uint64_t kRest = 9;

uint64_t UsedNs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// On a processor that the program uses too, a thread that wakes is let in where the program enters
// the kernel, and would see it there more often than it is there. Allowed to root, mostly.
void AskToComeAtOnce() {
  sched_param least = {};
  least.sched_priority = sched_get_priority_min(SCHED_RR);
  pthread_setschedparam(pthread_self(), SCHED_RR, &least);
}

class SamplingThread final : public HostSampler {
 public:
  SamplingThread(uint32_t hertz, std::function<std::vector<int>()> processes)
      : period_ns_(1'000'000'000 / std::max(hertz, 1u)), list_(std::move(processes)) {}
  ~SamplingThread() override { Stop(); }

  int Begin(const std::string& path, uint32_t hertz) {
    const int error = writer_.Open(path, hertz);
    if (error != 0) return error;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // inherited: signals are for the main thread
    try {
      thread_ = std::thread([this] { Loop(); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return 0;
  }

  SampledRun Finish() override {
    Stop();
    SampledRun run;
    run.counts = counts_;
    run.refusals.assign(refusals_.begin(), refusals_.end());
    return run;
  }

 private:
  void Loop();
  void LookForProcesses(uint64_t now_ns);
  bool Wait(uint64_t until_ns);
  void Stop();

  const uint64_t period_ns_;
  const std::function<std::vector<int>()> list_;
  SampleWriter writer_;
  SampleCounts counts_{};
  std::set<std::string> refusals_;
  std::map<int, std::unique_ptr<ProcessSampler>> processes_;
  uint64_t looked_ns_ = 0;
  std::thread thread_;
  std::mutex mutex_;  // guards stop_
  std::condition_variable wake_;
  bool stop_ = false;
};

void SamplingThread::LookForProcesses(uint64_t now_ns) {
  if (looked_ns_ != 0 && now_ns - looked_ns_ < kLookForProcessesNs) return;
  looked_ns_ = now_ns;
  const std::vector<int> pids = list_();
  const std::set<int> living(pids.begin(), pids.end());
  std::erase_if(processes_, [&](const auto& row) {
    const std::string& why = row.second->why_not();
    if (!why.empty()) refusals_.insert(why);
    return !living.contains(row.first);
  });
  for (const int pid : living) {
    if (!processes_.contains(pid)) processes_[pid] = std::make_unique<ProcessSampler>(pid);
  }
}

// False: it is time to end.
bool SamplingThread::Wait(uint64_t until_ns) {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t now_ns = MonotonicNs();
  if (until_ns > now_ns)
    wake_.wait_for(lock, std::chrono::nanoseconds(until_ns - now_ns), [this] { return stop_; });
  return !stop_;
}

void SamplingThread::Loop() {
  prctl(PR_SET_NAME, "syncline-sample");
  AskToComeAtOnce();
  std::minstd_rand random(static_cast<uint32_t>(MonotonicNs()));
  uint64_t flushed_ns = MonotonicNs(), next_ns = flushed_ns, used_ns = 0;
  while (Wait(next_ns)) {
    const uint64_t now_ns = MonotonicNs();
    LookForProcesses(now_ns);
    for (const auto& [pid, process] : processes_) process->Round(MonotonicNs(), &writer_, &counts_);
    ++counts_.rounds;
    if (now_ns - flushed_ns >= kFlushNs) {
      writer_.Flush();
      flushed_ns = now_ns;
    }
    const uint64_t before_ns = std::exchange(used_ns, UsedNs());
    // Between a half and one and a half of the period.
    const uint64_t step_ns = period_ns_ / 2 + random() % std::max<uint64_t>(period_ns_, 1);
    next_ns += step_ns;
    const uint64_t earliest_ns = MonotonicNs() + (used_ns - before_ns) * kRest;
    if (next_ns >= earliest_ns) continue;
    if (earliest_ns - next_ns > period_ns_) ++counts_.late;
    next_ns = earliest_ns;
  }
  for (const auto& [pid, process] : processes_) {
    if (!process->why_not().empty()) refusals_.insert(process->why_not());
  }
  processes_.clear();
  writer_.Flush();
  counts_.left_out = writer_.left_out();
  counts_.used_ns = UsedNs();
  writer_.Finish(counts_);
}

void SamplingThread::Stop() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

}  // namespace

std::unique_ptr<HostSampler> HostSampler::Start(const std::string& path, uint32_t hertz,
                                                std::function<std::vector<int>()> processes,
                                                int* error) {
  auto sampler = std::make_unique<SamplingThread>(hertz, std::move(processes));
  *error = sampler->Begin(path, hertz);
  if (*error != 0) return nullptr;
  return sampler;
}

}  // namespace syncline
