// SPDX-License-Identifier: Apache-2.0
// Push, pop and mark: the hot path, and behind it the general one.
#include "collectors/nvtx/event.h"
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/hot_path.h"
#include "collectors/nvtx/text.h"

namespace syncline::nvtx::hook {
namespace {

__attribute__((noinline)) int PushAnyA(const char* message) {
  HookScope scope;
  if (!scope) return -1;
  return PushName(scope.log(), 0, AsciiName(scope.log(), message, 0));
}

__attribute__((noinline)) int PushAny(nvtxDomainHandle_t domain,
                                      const nvtxEventAttributes_t* attributes) {
  HookScope scope;
  if (!scope) return -1;
  return Push(scope.log(), domain, attributes);
}

__attribute__((noinline)) int PopAny(nvtxDomainHandle_t domain) {
  const uint64_t end = Ticks();
  HookScope scope(HookKind::kEnds);
  if (!scope) return -1;
  return PopRange(scope.log(), PoppedDomainId(scope.log(), domain), end);
}

// Whether these are the attributes of today's headers with nothing but a message.
inline bool IsPlain(const nvtxEventAttributes_t* attributes) {
  constexpr uint32_t kVersionAndSize = NVTX_VERSION | sizeof(nvtxEventAttributes_t) << 16;
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  uint32_t version_and_size;
  uint64_t category_and_color_type;
  if (attributes == nullptr) return false;
  std::memcpy(&version_and_size, &attributes->version, sizeof(version_and_size));
  std::memcpy(&category_and_color_type, &attributes->category, sizeof(category_and_color_type));
  return version_and_size == kVersionAndSize &&
         (category_and_color_type | static_cast<uint32_t>(attributes->payloadType)) == 0;
}

// Finds a name that needs no more than a look into the thread's cache.
inline bool FindMessage(ThreadLog& log, const nvtxEventAttributes_t& attributes, uint32_t* id) {
  if (attributes.messageType == NVTX_MESSAGE_TYPE_REGISTERED)
    return FindHandle(log, attributes.message.registered, id);
  return attributes.messageType == NVTX_MESSAGE_TYPE_ASCII &&
         FindName(log, attributes.message.ascii, id);
}

// What follows is for a log that Enter would give: nobody is in it. False, with nothing changed:
// not plain.
template <bool kGated>
inline bool QuickPushA(ThreadLog& log, const char* message, int* level) {
  Enter<kGated>(log);
  uint32_t name;
  const bool pushed = FindName(log, message, &name) && PushPlain<kGated>(log, name, 0, level);
  Leave<kGated>(log);
  return __builtin_expect(pushed, 1);
}

template <bool kGated>
inline bool QuickPush(ThreadLog& log, nvtxDomainHandle_t domain,
                      const nvtxEventAttributes_t& attributes, int* level) {
  Enter<kGated>(log);
  const uint16_t domain_id = KnownDomainId(log, domain);
  uint32_t name;
  const bool pushed = __builtin_expect(domain_id != kNoDomain, 1) &&
                      FindMessage(log, attributes, &name) &&
                      PushPlain<kGated>(log, name, domain_id, level);
  Leave<kGated>(log);
  return __builtin_expect(pushed, 1);
}

template <bool kGated, typename IsPopped>
inline bool QuickPop(ThreadLog& log, IsPopped is_popped, int* level) {
  Enter<kGated>(log);
  const bool popped =
      (kGated && PopLeftOut(log, is_popped, level)) || PopPlain(log, is_popped, level);
  Leave<kGated>(log);
  return __builtin_expect(popped, 1);
}

// A thread of a process with a gate, if its log is idle.
__attribute__((noinline)) int PushGatedA(ThreadLog& log, const char* message) {
  int level;
  if (log.busy == kHasGate && QuickPushA<true>(log, message, &level)) return level;
  return PushAnyA(message);
}

__attribute__((noinline)) int PushGated(ThreadLog& log, nvtxDomainHandle_t domain,
                                        const nvtxEventAttributes_t* attributes) {
  int level;
  if (log.busy == kHasGate && QuickPush<true>(log, domain, *attributes, &level)) return level;
  return PushAny(domain, attributes);
}

__attribute__((noinline)) int PopGated(ThreadLog& log) {
  int level;
  if (log.busy == kHasGate && QuickPop<true>(log, IsDefaultDomain(), &level)) return level;
  return PopAny(nullptr);
}

__attribute__((noinline)) int PopGatedOf(ThreadLog& log, nvtxDomainHandle_t domain) {
  int level;
  if (log.busy == kHasGate && QuickPop<true>(log, IsDomain{domain}, &level)) return level;
  return PopAny(domain);
}

}  // namespace

int RangePushA(const char* message) {
  ThreadLog* log = t_log;
  if (__builtin_expect(log == nullptr, 0)) return PushAnyA(message);
  if (__builtin_expect(log->busy != 0, 0)) return PushGatedA(*log, message);
  int level;
  return QuickPushA<false>(*log, message, &level) ? level : PushAnyA(message);
}

int RangePop() {
  ThreadLog* log = t_log;
  if (__builtin_expect(log == nullptr, 0)) return PopAny(nullptr);
  if (__builtin_expect(log->busy != 0, 0)) return PopGated(*log);
  int level;
  return QuickPop<false>(*log, IsDefaultDomain(), &level) ? level : PopAny(nullptr);
}

int DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  ThreadLog* log = t_log;
  if (__builtin_expect(!IsPlain(attributes) || log == nullptr, 0))
    return PushAny(domain, attributes);
  if (__builtin_expect(log->busy != 0, 0)) return PushGated(*log, domain, attributes);
  int level;
  return QuickPush<false>(*log, domain, *attributes, &level) ? level : PushAny(domain, attributes);
}

int DomainRangePop(nvtxDomainHandle_t domain) {
  ThreadLog* log = t_log;
  if (__builtin_expect(log == nullptr, 0)) return PopAny(domain);
  if (__builtin_expect(log->busy != 0, 0)) return PopGatedOf(*log, domain);
  int level;
  return QuickPop<false>(*log, IsDomain{domain}, &level) ? level : PopAny(domain);
}

int RangePushEx(const nvtxEventAttributes_t* attributes) {
  return DomainRangePushEx(nullptr, attributes);
}

int RangePushW(const wchar_t* message) {
  HookScope scope;
  if (!scope) return -1;
  return PushName(scope.log(), 0, WideName(scope.log(), message, 0));
}

void MarkA(const char* message) {
  HookScope scope;
  if (scope) MarkName(scope.log(), AsciiName(scope.log(), message, 0));
}

void MarkW(const wchar_t* message) {
  HookScope scope;
  if (scope) MarkName(scope.log(), WideName(scope.log(), message, 0));
}

void DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  HookScope scope;
  if (scope) Mark(scope.log(), domain, attributes);
}

void MarkEx(const nvtxEventAttributes_t* attributes) { DomainMarkEx(nullptr, attributes); }

}  // namespace syncline::nvtx::hook
