// SPDX-License-Identifier: Apache-2.0
// The test's session: one large ring per thread that never wraps.
#include "collectors/cuda/test_session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "inject/core/clock.h"
#include "inject/core/collector.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"

namespace syncline {

__thread ThreadLog* t_log __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr uint64_t kRingBytes = uint64_t{16} << 20;  // sparse

std::mutex g_mutex;
std::vector<ThreadLog*> g_logs;  // MADV_WIPEONFORK, as in the product
std::atomic<uint64_t> g_losses[kLossKinds];
std::atomic<uint64_t> g_limit{kRingBytes};
std::atomic<bool> g_recording{true};
int g_pid = 0;

char* Map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<char*>(memory);
}

// A fork's child has one thread and no records.
void ForgetParent() {
  if (g_pid == getpid()) return;
  if (g_pid != 0) {
    g_logs.clear();
    for (auto& loss : g_losses) loss = 0;
  }
  g_pid = getpid();
}

}  // namespace

bool ForgetLostPush() { return false; }

ThreadLog* AcquireThreadLog(HookKind kind) {
  ErrnoKeeper keeper;
  std::lock_guard<std::mutex> lock(g_mutex);
  ForgetParent();
  if (!g_recording) {
    if (kind == HookKind::kBegins) CountLoss(kLoss_no_ring);
    return nullptr;
  }
  auto* log = new (Map(sizeof(ThreadLog))) ThreadLog{};
  madvise(log, (sizeof(ThreadLog) + 4095) & ~size_t{4095}, MADV_WIPEONFORK);
  log->control = new (Map(sizeof(RingControl))) RingControl{};
  log->data = Map(kRingBytes);
  log->mask = kRingBytes - 1;
  log->depth_limit = kMaxOpenRanges;
  log->tid = SysTid();
  log->busy = kSlowClock;
  g_logs.push_back(log);
  t_log = log;
  return log;
}

bool MakeDepth(ThreadLog&) { return false; }

bool MakeRoom(ThreadLog& log, uint64_t bytes) {
  const uint64_t limit = std::min(g_limit.load(), kRingBytes);
  if (log.head + bytes > limit) return false;
  log.limit = limit;
  return true;
}

void CountLoss(Loss kind, uint64_t count) { g_losses[kind] += count; }

bool CollectorEnabled(const char*) { return true; }

namespace test {
namespace {

template <typename T>
T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

Recorded Decode(const RecordHead& head, const char* at,
                const std::map<uint32_t, std::string>& names) {
  Recorded record{};
  record.kind = static_cast<RecordKind>(head.kind);
  record.flags = head.flags;
  const auto name = names.find(head.id);
  record.name = head.id == 0 ? "(none)" : name == names.end() ? "(unknown)" : name->second;
  switch (record.kind) {
    case RecordKind::kCall:
      record.call = Load<CallRecord>(at);
      break;
    case RecordKind::kDeviceOp:
      record.op = Load<DeviceOpRecord>(at);
      if ((head.flags & kHasKernel) != 0)
        record.kernel = Load<KernelDetails>(at + sizeof(DeviceOpRecord));
      break;
    case RecordKind::kDeviceClock:
      record.clock = Load<DeviceClockRecord>(at);
      break;
    case RecordKind::kDeviceNote:
      record.note = Load<DeviceNoteRecord>(at);
      break;
    case RecordKind::kDevice: {
      const auto text = Load<TextRecord>(at);
      record.device = text.key;
      record.facts = Load<DeviceFacts>(at + sizeof(text));
      record.name.assign(at + sizeof(text) + sizeof(DeviceFacts), text.bytes - sizeof(DeviceFacts));
      break;
    }
    default:
      break;
  }
  return record;
}

}  // namespace

void ResetSession() {
  std::lock_guard<std::mutex> lock(g_mutex);
  for (const ThreadLog* log : g_logs) munmap(log->data, kRingBytes);
  g_logs.clear();
  t_log = nullptr;
  g_clock = ClockId::kMonotonic;
  for (auto& loss : g_losses) loss = 0;
  g_limit = kRingBytes;
  g_recording = true;
}

uint64_t Losses(Loss kind) { return g_losses[kind]; }

uint64_t AllLosses() {
  uint64_t sum = 0;
  for (const auto& loss : g_losses) sum += loss;
  return sum;
}

void LimitRings(uint64_t bytes) {
  g_limit = bytes;
  std::lock_guard<std::mutex> lock(g_mutex);
  for (ThreadLog* log : g_logs) log->limit = 0;
}

void SetRecording(bool on) {
  g_recording = on;
  t_log = nullptr;
}

void SetBusy(bool on) {
  t_log->busy &= kSlowClock;
  // A hook far above: the caller is a handler that interrupted it.
  if (on) t_log->busy |= (reinterpret_cast<uintptr_t>(&on) | 7) + 1 + 65536;
}

std::vector<Recorded> ReadRecords() {
  std::vector<Recorded> records;
  std::lock_guard<std::mutex> lock(g_mutex);
  for (const ThreadLog* log : g_logs) {
    std::map<uint32_t, std::string> names;
    for (uint64_t at = 0; at < log->head;) {
      const char* record = log->data + at;
      const auto head = Load<RecordHead>(record);
      if (head.slots == 0) std::abort();
      if (head.kind == static_cast<uint8_t>(RecordKind::kName)) {
        names[head.id].assign(record + sizeof(TextRecord), Load<TextRecord>(record).bytes);
      } else {
        records.push_back(Decode(head, record, names));
      }
      at += uint64_t{head.slots} * kSlotBytes;
    }
  }
  return records;
}

std::vector<Recorded> ReadRecords(RecordKind kind) {
  std::vector<Recorded> records = ReadRecords();
  std::erase_if(records, [kind](const Recorded& record) { return record.kind != kind; });
  return records;
}

}  // namespace test
}  // namespace syncline
