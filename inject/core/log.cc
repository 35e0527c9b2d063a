// SPDX-License-Identifier: Apache-2.0
// The signal-safe line log of the injected side.
#include "inject/core/log.h"

#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <ctime>

#include "inject/core/options.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

constexpr const char* kLevelNames[] = {"error", "warn", "info", "debug"};

struct LogState {
  std::atomic<uint32_t>* used;
  char* area;
  uint32_t bytes;
  uint64_t stderr_device;
  uint64_t stderr_inode;
  std::atomic<bool> said;
};
constinit LogState g_log = {};

bool StatOf(int fd, uint64_t* device, uint64_t* inode) {
  struct stat info;
  if (SysCall(SYS_fstat, fd, AsLong(&info)) != 0) return false;
  *device = info.st_dev;
  *inode = info.st_ino;
  return true;
}

LogLevel LevelInForce() {
  const char* text = OptionText(OptionIndex("log.level"));
  for (int i = 0; i < 4; ++i) {
    if (std::strcmp(text, kLevelNames[i]) == 0) return static_cast<LogLevel>(i);
  }
  return LogLevel::kWarn;
}

void AppendToArea(const TextBuffer& line) {
  if (g_log.area == nullptr) return;
  const uint32_t bytes = static_cast<uint32_t>(line.length());
  const uint32_t at = g_log.used->fetch_add(bytes, std::memory_order_relaxed);
  if (at + bytes <= g_log.bytes && at + bytes >= at)
    std::memcpy(g_log.area + at, line.text(), bytes);
}

// The program's stderr may be a pipe that nobody reads, or a file at its limit: the signal that our
// writing raises is not the program's.
void WriteUnsignalled(int fd, const TextBuffer& text) {
  const SignalBlocker blocked;
  uint64_t pending = 0;
  SysCall(SYS_rt_sigpending, AsLong(&pending), sizeof(pending));
  SysWrite(fd, text.text(), text.length());
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    const uint64_t bit = uint64_t{1} << (signal - 1);
    const timespec now = {};
    if ((pending & bit) == 0)
      SysCall(SYS_rt_sigtimedwait, AsLong(&bit), 0, AsLong(&now), sizeof(bit));
  }
}

void SayOnce(const TextBuffer& line) {
  uint64_t device = 0, inode = 0;
  if (!StatOf(2, &device, &inode) || device != g_log.stderr_device || inode != g_log.stderr_inode)
    return;
  if (g_log.said.exchange(true)) return;
  TextBuffer said;
  said.Add("syncline: ").Add(line.text(), line.length());
  WriteUnsignalled(2, said);
}

}  // namespace

void LogRememberStderr() { StatOf(2, &g_log.stderr_device, &g_log.stderr_inode); }

void LogSetArea(std::atomic<uint32_t>* used, char* area, uint32_t bytes) {
  g_log.area = nullptr;
  g_log.used = used;
  g_log.bytes = bytes;
  g_log.area = area;
}

void Log(LogLevel level, const char* text, const char* detail) {
  if (level > LevelInForce()) return;
  TextBuffer line;
  line.Add(kLevelNames[static_cast<int>(level)]).Add(": ").Add(text);
  if (*detail != '\0') line.Add(" ").Add(detail);
  line.Add("\n");
  AppendToArea(line);
  if (level == LogLevel::kError) SayOnce(line);
}

}  // namespace syncline
