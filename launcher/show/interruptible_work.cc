// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a working thread and listens to signals meanwhile.
#include "launcher/show/interruptible_work.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <system_error>
#include <thread>

#include "inject/core/options.h"
#include "launcher/host/messages.h"

namespace syncline {
namespace {

constexpr timespec kTick = {0, 100'000'000};  // between two looks at the progress
constexpr auto kQuietTime = std::chrono::seconds(1);

class ProgressLine {
 public:
  ProgressLine(const WorkProgress& progress, const std::string& title)
      : progress_(progress), title_(title), begin_(std::chrono::steady_clock::now()) {
    shows_ = isatty(STDERR_FILENO) == 1 && OptionNumber(OptionIndex("quiet")) == 0;
  }

  void Update() {
    const uint64_t total = progress_.total.load(std::memory_order_relaxed);
    if (!shows_ || total == 0 || std::chrono::steady_clock::now() - begin_ < kQuietTime) return;
    const uint64_t percent = progress_.done.load(std::memory_order_relaxed) * 100 / total;
    if (shown_ && percent == percent_) return;
    percent_ = percent;
    shown_ = true;
    std::fprintf(stderr, "\rsyncline: %s %3llu %%", title_.c_str(),
                 static_cast<unsigned long long>(percent > 100 ? 100 : percent));
    std::fflush(stderr);
  }

  void Erase() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  const WorkProgress& progress_;
  const std::string& title_;
  std::chrono::steady_clock::time_point begin_;
  bool shows_ = false;
  bool shown_ = false;
  uint64_t percent_ = 0;
};

sigset_t SetOf(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

void Discard(const sigset_t& signals) {
  constexpr timespec kNow = {0, 0};
  while (sigtimedwait(&signals, nullptr, &kNow) > 0) {
  }
}

// Ctrl-Z and `fg` work while this lives.
class StopAllowed {
 public:
  StopAllowed() {
    const sigset_t stops = SetOf({SIGTSTP, SIGTTIN, SIGTTOU});
    Discard(stops);  // the program was stopped by them
    pthread_sigmask(SIG_UNBLOCK, &stops, &old_mask_);
  }
  ~StopAllowed() { pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr); }
  StopAllowed(const StopAllowed&) = delete;
  StopAllowed& operator=(const StopAllowed&) = delete;

 private:
  sigset_t old_mask_;
};

}  // namespace

bool WorkInForeground(const std::function<void(WorkProgress*)>& work, const std::string& title,
                      const std::string& interrupted) {
  const int wake = SIGRTMAX;  // by the worker, at its end
  const sigset_t ending = SetOf({SIGINT, SIGTERM, SIGHUP, SIGQUIT});
  const sigset_t awaited = SetOf({SIGINT, SIGTERM, SIGHUP, SIGQUIT, wake});
  Discard(ending);  // what came while the program was ending was meant for the program
  WorkProgress progress;
  std::atomic<bool> finished{false};
  std::exception_ptr failure;  // written by the worker before `finished`
  const StopAllowed stop_allowed;
  const pthread_t waiting = pthread_self();
  std::thread worker;
  const auto work_and_wake = [&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    try {
      work(&progress);
    } catch (...) {
      failure = std::current_exception();
    }
    finished.store(true, std::memory_order_release);  // pairs with the acquire below
    pthread_kill(waiting, wake);
  };
  try {
    worker = std::thread(work_and_wake);
  } catch (const std::system_error&) {
    work(&progress);  // a limit of threads (ulimit -u): without progress, and without Ctrl-C
    return true;
  }
  ProgressLine line(progress, title);
  while (!finished.load(std::memory_order_acquire)) {
    const int signal = sigtimedwait(&awaited, nullptr, &kTick);
    if (signal > 0 && signal != wake && !progress.cancelled.exchange(true)) {
      line.Erase();
      SayError(interrupted);
    }
    if (!progress.cancelled.load()) line.Update();
  }
  line.Erase();
  worker.join();
  if (failure != nullptr) std::rethrow_exception(failure);
  return !progress.cancelled.load();
}

}  // namespace syncline
