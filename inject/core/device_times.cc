// SPDX-License-Identifier: Apache-2.0
// A table of regions and one of launches, mapped when the first region asks. No lock: who finds a
// region in use by another thread for long says that a part is missing.
#include "inject/core/device_times.h"

#include <sys/mman.h>

#include "inject/core/busy_time.h"
#include "inject/core/gate.h"
#include "inject/core/sys.h"

namespace syncline {

std::atomic<bool> g_has_device_times;

namespace {

constexpr uint32_t kNested = kNestedDeviceTimes;
constexpr uint32_t kProbes = 4;  // places where a launch may stand
constexpr int kTries = 64;       // of some nanoseconds; a holder moves 6 KB at most
constexpr uint32_t kRegionBits = 8;
constexpr uint32_t kLastUse = (1u << (32 - kRegionBits)) - 1;
constexpr int kIdShift = 48;
constexpr uint64_t kOneUse = uint64_t{1} << 32;
static_assert(kDeviceTimes == 1u << kRegionBits);

enum RegionFlags : uint32_t {
  kEnded = 1,
  kMissed = 2,   // operations that nobody will bring
  kBlinded = 4,  // the same, and maybe also of launches that are waited for
};

// A region is named by its place and how often that was used: what comes late for an earlier one is
// told from what is for the present one.
struct Region {
  std::atomic<uint64_t> id;      // 0: none; with the place in the upper bits
  std::atomic<bool> in_use;      // guards what is of the operations
  std::atomic<uint32_t> uses;    // 1 to kLastUse
  std::atomic<uint32_t> flags;   // of RegionFlags
  std::atomic<uint32_t> single;  // launches of one operation: only the region's thread changes it
  std::atomic<uint32_t> several;
  // Operations of the former, or whole ones of the latter; above them the uses that they are of.
  std::atomic<uint64_t> came;
  std::atomic<uint64_t> busy_ns;
  uint32_t blindings;  // when it began
  BusyTime busy;
};

enum class Stage : uint8_t { kFree, kFilling, kOne, kSeveral, kTaken };

struct Launch {
  std::atomic<uint64_t> word;  // correlation, source, Stage
  std::atomic<uint32_t> regions[kNested];
};

struct Tables {
  Region regions[kDeviceTimes];
  Launch launches[kFollowedLaunches];
};

std::atomic<Tables*> g_tables;
std::atomic<uint32_t> g_next;       // the place that is tried first: the one used longest ago
std::atomic<uint32_t> g_blind;      // a bit for each source whose launches are not seen
std::atomic<uint32_t> g_blindings;  // how often one became so

constexpr uint64_t Word(Source source, uint32_t correlation, Stage stage) {
  return uint64_t{correlation} << 16 | uint64_t{source} << 8 | static_cast<uint64_t>(stage);
}
constexpr Stage StageOf(uint64_t word) { return static_cast<Stage>(word & 0xff); }
constexpr bool IsOf(uint64_t word, Source source, uint32_t correlation) {
  return word >> 8 == Word(source, correlation, Stage::kFree) >> 8;
}

Tables* MakeTables() {
  Tables* known = g_tables.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* memory = SysMap(sizeof(Tables), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (memory == nullptr) return nullptr;
  SysCall(SYS_madvise, AsLong(memory), static_cast<long>(sizeof(Tables)), MADV_DONTDUMP);
  auto* fresh = static_cast<Tables*>(memory);
  if (g_tables.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) {
    g_has_device_times.store(true, std::memory_order_relaxed);
    return fresh;
  }
  SysUnmap(memory, sizeof(Tables));
  return known;
}

Region& RegionAt(Tables& tables, uint32_t name) { return tables.regions[name % kDeviceTimes]; }

bool IsNamed(const Region& region, uint32_t name) {
  return region.uses.load(std::memory_order_acquire) == name >> kRegionBits;
}

// False: another thread has it.
bool TryUse(Region& region) { return !region.in_use.exchange(true, std::memory_order_acquire); }
void StopUse(Region& region) { region.in_use.store(false, std::memory_order_release); }

bool UseSoon(Region& region) {
  for (int i = 0; i < kTries; ++i) {
    if (TryUse(region)) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

void Mark(Region& region, RegionFlags flag) {
  region.flags.fetch_or(flag, std::memory_order_release);
}

bool IsOver(const Region& region) {
  return region.id.load(std::memory_order_relaxed) == 0 ||
         (region.flags.load(std::memory_order_relaxed) & kEnded) != 0;
}

// In use by us. What is owed to the region before finds another name from here on.
void Begin(Region& region, uint64_t id) {
  const uint32_t uses = region.uses.load(std::memory_order_relaxed);
  region.id.store(0, std::memory_order_release);
  region.uses.store(uses >= kLastUse ? 1 : uses + 1, std::memory_order_release);
  region.came.store(kOneUse * region.uses.load(std::memory_order_relaxed),
                    std::memory_order_relaxed);
  region.single.store(0, std::memory_order_relaxed);
  region.several.store(0, std::memory_order_relaxed);
  region.busy_ns.store(0, std::memory_order_relaxed);
  region.busy.Clear();
  region.blindings = g_blindings.load(std::memory_order_relaxed);
  const bool blind = g_blind.load(std::memory_order_relaxed) != 0;
  region.flags.store(blind ? uint32_t{kBlinded} : 0u, std::memory_order_relaxed);
  region.id.store(id, std::memory_order_release);
}

void End(const ThreadLog& log, Region& region) {
  const bool blinded = g_blindings.load(std::memory_order_relaxed) != region.blindings;
  if (blinded) Mark(region, kBlinded);
  if (IsClosedFor(log)) Mark(region, kMissed);
  Mark(region, kEnded);
}

// Not of a later use. Release: pairs with the acquire of who reads whether all have come.
void CountOne(Region& region, uint32_t name) {
  uint64_t came = region.came.load(std::memory_order_relaxed);
  while (came / kOneUse == name >> kRegionBits &&
         !region.came.compare_exchange_weak(came, came + 1, std::memory_order_release,
                                            std::memory_order_relaxed)) {
  }
}

// The launch's region gets the operation. `whole`: no other one comes of the launch.
void Add(Tables& tables, uint32_t name, const DeviceOpRecord& op, bool whole) {
  Region& region = RegionAt(tables, name);
  if (!IsNamed(region, name)) return;
  if (!UseSoon(region)) {
    if (IsNamed(region, name)) Mark(region, kMissed);
  } else {
    if (IsNamed(region, name)) {
      const uint32_t device = op.device << 8 | op.source;
      if (!region.busy.Add(device, op.begin, op.end) || !whole) Mark(region, kMissed);
      region.busy_ns.store(region.busy.ns(), std::memory_order_relaxed);
    }
    StopUse(region);
  }
  if (whole) CountOne(region, name);
}

// Null: it is not there.
Launch* Find(Tables& tables, Source source, uint32_t correlation, uint64_t* word) {
  for (uint32_t i = 0; i < kProbes; ++i) {
    Launch& launch = tables.launches[(correlation + i) % kFollowedLaunches];
    *word = launch.word.load(std::memory_order_acquire);
    const Stage stage = StageOf(*word);
    if (IsOf(*word, source, correlation) && (stage == Stage::kOne || stage == Stage::kSeveral))
      return &launch;
  }
  return nullptr;
}

bool Take(Launch& launch, uint64_t word) {
  const uint64_t taken = word - static_cast<uint64_t>(StageOf(word)) + uint64_t{4};
  static_assert(static_cast<uint64_t>(Stage::kTaken) == 4);
  return launch.word.compare_exchange_strong(word, taken, std::memory_order_acq_rel);
}
void Free(Launch& launch) { launch.word.store(0, std::memory_order_release); }

// Whether nobody asks for it any more, or it can never be known to be whole. The latter's regions
// miss it then.
bool MayBeTakenOver(Tables& tables, const Launch& launch, Stage stage) {
  if (stage != Stage::kOne && stage != Stage::kSeveral) return false;
  for (const auto& name : launch.regions) {
    const uint32_t known = name.load(std::memory_order_relaxed);
    if (known == 0 || !IsNamed(RegionAt(tables, known), known)) continue;
    if (stage == Stage::kOne) return false;
    Mark(RegionAt(tables, known), kMissed);
  }
  return true;
}

// A place for a launch, which is ours to fill; null: there is none.
Launch* Claim(Tables& tables, Source source, uint32_t correlation) {
  const uint64_t filling = Word(source, correlation, Stage::kFilling);
  for (uint32_t i = 0; i < kProbes; ++i) {
    Launch& launch = tables.launches[(correlation + i) % kFollowedLaunches];
    uint64_t word = launch.word.load(std::memory_order_acquire);
    if (word != 0 && !MayBeTakenOver(tables, launch, StageOf(word))) continue;
    if (launch.word.compare_exchange_strong(word, filling, std::memory_order_acq_rel))
      return &launch;
  }
  return nullptr;
}

}  // namespace

uint64_t BeginDeviceTime(ThreadLog& log, uint64_t number) {
  Tables* tables = log.device_times[kNested - 1] == 0 ? MakeTables() : nullptr;
  if (tables == nullptr) return 0;
  const uint32_t first = g_next.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < kDeviceTimes; ++i) {
    const uint32_t place = (first + i) % kDeviceTimes;
    Region& region = tables->regions[place];
    if (!IsOver(region) || !TryUse(region)) continue;
    const bool ours = IsOver(region);
    const uint64_t id = number | uint64_t{place + 1} << kIdShift;
    if (ours) Begin(region, id);
    const uint32_t name = region.uses.load(std::memory_order_relaxed) << kRegionBits | place;
    StopUse(region);
    if (!ours) continue;
    for (uint32_t at = kNested - 1; at > 0; --at) log.device_times[at] = log.device_times[at - 1];
    log.device_times[0] = name;
    return id;
  }
  return 0;
}

void EndDeviceTime(ThreadLog& log, uint64_t id) {
  Tables* tables = g_tables.load(std::memory_order_acquire);
  if (tables == nullptr || id >> kIdShift == 0) return;
  uint32_t found = 0;
  while (found < kNested && log.device_times[found] != 0 &&
         RegionAt(*tables, log.device_times[found]).id.load(std::memory_order_relaxed) != id)
    ++found;
  if (found == kNested || log.device_times[found] == 0) return;
  for (uint32_t at = 0; at <= found; ++at) End(log, RegionAt(*tables, log.device_times[at]));
  for (uint32_t at = 0; at < kNested; ++at)
    log.device_times[at] = at + found + 1 < kNested ? log.device_times[at + found + 1] : 0;
}

void EndDeviceTimes(ThreadLog& log) {
  Tables* tables = g_tables.load(std::memory_order_acquire);
  for (uint32_t& name : log.device_times) {
    if (tables != nullptr && name != 0) End(log, RegionAt(*tables, name));
    name = 0;
  }
}

DeviceTime DeviceTimeOf(uint64_t id) {
  constexpr DeviceTime kNone = {DeviceTimeState::kUnknown, 0};
  Tables* tables = g_tables.load(std::memory_order_acquire);
  const uint64_t place = id >> kIdShift;
  if (tables == nullptr || place == 0 || place > kDeviceTimes) return kNone;
  const Region& region = tables->regions[place - 1];
  if (region.id.load(std::memory_order_acquire) != id) return kNone;
  // In this order: what is complete is so for good.
  const uint32_t flags = region.flags.load(std::memory_order_acquire);
  const uint64_t came = region.came.load(std::memory_order_acquire) % kOneUse;
  const uint32_t single = region.single.load(std::memory_order_relaxed);
  const uint32_t several = region.several.load(std::memory_order_relaxed);
  const uint64_t busy_ns = region.busy_ns.load(std::memory_order_relaxed);
  const uint32_t last = region.flags.load(std::memory_order_acquire);
  if (region.id.load(std::memory_order_acquire) != id) return kNone;
  if ((flags & kEnded) == 0) return {DeviceTimeState::kPending, busy_ns};
  const bool blinded = (last & kBlinded) != 0;
  if (busy_ns == 0 && (blinded || single + several == 0)) return kNone;
  if (blinded) return {DeviceTimeState::kAtLeast, busy_ns};
  if (came < single) return {DeviceTimeState::kPending, busy_ns};
  if ((last & kMissed) != 0) return {DeviceTimeState::kAtLeast, busy_ns};
  const bool all = came == single + several;
  return {all ? DeviceTimeState::kComplete : DeviceTimeState::kPending, busy_ns};
}

void ForgetDeviceTimes() {
  Tables* inherited = g_tables.exchange(nullptr);
  g_has_device_times.store(false, std::memory_order_relaxed);
  g_blind.store(0, std::memory_order_relaxed);
  if (inherited != nullptr) SysUnmap(inherited, sizeof(Tables));
}

void FollowLaunch(const ThreadLog& log, Source source, uint32_t correlation, bool several) {
  Tables* tables = g_tables.load(std::memory_order_acquire);
  if (tables == nullptr) return;
  Launch* launch = correlation == 0 ? nullptr : Claim(*tables, source, correlation);
  if (launch == nullptr) return MissLaunch(log);
  for (uint32_t at = 0; at < kNested; ++at) {
    const uint32_t name = log.device_times[at];
    launch->regions[at].store(name, std::memory_order_relaxed);
    if (name == 0) continue;
    Region& region = RegionAt(*tables, name);
    (several ? region.several : region.single).fetch_add(1, std::memory_order_relaxed);
  }
  launch->word.store(Word(source, correlation, several ? Stage::kSeveral : Stage::kOne),
                     std::memory_order_release);
}

void RetractLaunch(Source source, uint32_t correlation) {
  Tables* tables = g_tables.load(std::memory_order_acquire);
  if (tables == nullptr) return;
  uint64_t word = 0;
  Launch* launch = Find(*tables, source, correlation, &word);
  if (launch == nullptr || !Take(*launch, word)) return;
  for (const auto& place : launch->regions) {
    const uint32_t name = place.load(std::memory_order_relaxed);
    if (name == 0) continue;
    Region& region = RegionAt(*tables, name);
    if (!IsNamed(region, name)) continue;  // it ended within the call, and its place was used anew
    const bool several = StageOf(word) == Stage::kSeveral;
    (several ? region.several : region.single).fetch_sub(1, std::memory_order_relaxed);
  }
  Free(*launch);
}

void MissLaunch(const ThreadLog& log) {
  Tables* tables = g_tables.load(std::memory_order_acquire);
  for (const uint32_t name : log.device_times) {
    if (tables != nullptr && name != 0) Mark(RegionAt(*tables, name), kMissed);
  }
}

void SetDeviceTimeCoverage(Source source, GpuCoverage coverage) {
  const uint32_t bit = 1u << source;
  if (coverage == GpuCoverage::kAll) {
    g_blind.fetch_and(~bit, std::memory_order_relaxed);
  } else {
    g_blind.fetch_or(bit, std::memory_order_relaxed);
    g_blindings.fetch_add(1, std::memory_order_relaxed);
  }
}

void FollowOperation(const DeviceOpRecord& op) {
  Tables* tables = g_tables.load(std::memory_order_acquire);
  if (tables == nullptr) return;
  uint64_t word = 0;
  Launch* launch = Find(*tables, op.source, op.correlation, &word);
  if (launch == nullptr) return;
  const bool whole = StageOf(word) == Stage::kOne || op.type == DeviceOpType::kGraph;
  uint32_t names[kNested];
  if (whole && !Take(*launch, word)) return;
  for (uint32_t at = 0; at < kNested; ++at)
    names[at] = launch->regions[at].load(std::memory_order_relaxed);
  // One that stays may have been taken over meanwhile.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (!whole && launch->word.load(std::memory_order_relaxed) != word) return;
  if (whole) Free(*launch);
  for (const uint32_t name : names) {
    if (name != 0) Add(*tables, name, op, whole);
  }
}

}  // namespace syncline
