// SPDX-License-Identifier: Apache-2.0
// Reads the sums of all processors (proc_stat(5)), and what the launcher's own processes used.
#include "launcher/record/load_watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "launcher/host/files.h"

namespace syncline {
namespace {

// user nice system idle iowait irq softirq steal: time of guests is in user and nice.
constexpr size_t kFields = 8, kIdle = 3, kAwaitsDisk = 4;
constexpr uint64_t kSecond = 1'000'000'000;

uint64_t TimeOf(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * kSecond + static_cast<uint64_t>(time.tv_usec) * 1000;
}

uint64_t UsedBy(int whom) {
  rusage used = {};
  getrusage(whom, &used);
  return TimeOf(used.ru_utime) + TimeOf(used.ru_stime);
}

HostLoad Now() {
  HostLoad load;
  load.launcher_pid = getpid();
  load.own_ns = UsedBy(RUSAGE_SELF) + UsedBy(RUSAGE_CHILDREN);
  std::string text;
  constexpr std::string_view kAll = "cpu ";
  if (ReadFile("/proc/stat", &text) != 0 || !text.starts_with(kAll)) return load;
  const auto ticks = static_cast<uint64_t>(std::max(sysconf(_SC_CLK_TCK), 1L));
  const char* at = text.data() + kAll.size();
  const char* const end = text.data() + text.size();
  for (size_t field = 0; field < kFields; ++field) {
    while (at < end && *at == ' ') ++at;
    uint64_t value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return load;
    at = after;
    const uint64_t ns = value * (kSecond / ticks);
    load.whole_ns += ns;
    if (field != kIdle && field != kAwaitsDisk) load.busy_ns += ns;
  }
  return load;
}

}  // namespace

LoadWatch::LoadWatch() : begin_(Now()) {}

HostLoad LoadWatch::Until() const {
  HostLoad load = Now();
  // The sums of a machine's processors go back where one is taken away.
  if (begin_.whole_ns == 0 || load.whole_ns <= begin_.whole_ns || load.busy_ns < begin_.busy_ns)
    return {};
  load.whole_ns -= begin_.whole_ns;
  load.busy_ns -= begin_.busy_ns;
  load.own_ns -= std::min(load.own_ns, begin_.own_ns);
  return load;
}

}  // namespace syncline
