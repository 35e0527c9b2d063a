// SPDX-License-Identifier: Apache-2.0
// Push, pop and mark: the hot path, and behind it the general one.
#include "collectors/nvtx/event.h"
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/hot_path.h"
#include "collectors/nvtx/text.h"

namespace syncline::nvtx::hook {
namespace {

Name WideName(ThreadLog& log, const wchar_t* message) {
  Name name;
  name.id = WideNameId(log, message, &name.lost);
  return name;
}

__attribute__((noinline)) int PushAnyA(const char* message) {
  HookScope scope;
  if (!scope) return -1;
  return PushName(scope.log(), 0, AsciiName(scope.log(), message));
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

}  // namespace

int RangePushA(const char* message) {
  ThreadLog* log = Enter();
  if (__builtin_expect(log != nullptr, 1)) {
    uint32_t name;
    int level;
    const bool pushed = FindName(*log, message, &name) && PushPlain(*log, name, 0, &level);
    Leave(*log);
    if (__builtin_expect(pushed, 1)) return level;
  }
  return PushAnyA(message);
}

int RangePop() {
  if (ThreadLog* log = Enter()) {
    int level;
    const bool popped = PopPlain(*log, IsDefaultDomain(), &level);
    Leave(*log);
    if (__builtin_expect(popped, 1)) return level;
  }
  return PopAny(nullptr);
}

int DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (__builtin_expect(IsPlain(attributes), 1)) {
    if (ThreadLog* log = Enter()) {
      const uint16_t domain_id = KnownDomainId(*log, domain);
      uint32_t name;
      int level;
      const bool pushed = __builtin_expect(domain_id != kNoDomain, 1) &&
                          FindMessage(*log, *attributes, &name) &&
                          PushPlain(*log, name, domain_id, &level);
      Leave(*log);
      if (__builtin_expect(pushed, 1)) return level;
    }
  }
  return PushAny(domain, attributes);
}

int DomainRangePop(nvtxDomainHandle_t domain) {
  if (ThreadLog* log = Enter()) {
    int level;
    const bool popped = PopPlain(*log, IsDomain{domain}, &level);
    Leave(*log);
    if (__builtin_expect(popped, 1)) return level;
  }
  return PopAny(domain);
}

int RangePushEx(const nvtxEventAttributes_t* attributes) {
  return DomainRangePushEx(nullptr, attributes);
}

int RangePushW(const wchar_t* message) {
  HookScope scope;
  if (!scope) return -1;
  return PushName(scope.log(), 0, WideName(scope.log(), message));
}

void MarkA(const char* message) {
  HookScope scope;
  if (scope) MarkName(scope.log(), AsciiName(scope.log(), message));
}

void MarkW(const wchar_t* message) {
  HookScope scope;
  if (scope) MarkName(scope.log(), WideName(scope.log(), message));
}

void DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  HookScope scope;
  if (scope) Mark(scope.log(), domain, attributes);
}

void MarkEx(const nvtxEventAttributes_t* attributes) { DomainMarkEx(nullptr, attributes); }

}  // namespace syncline::nvtx::hook
