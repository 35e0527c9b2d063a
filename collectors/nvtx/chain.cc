// SPDX-License-Identifier: Apache-2.0
// Hooks that record and then call the user's own tool, with its handles in place of ours.
#include "collectors/nvtx/chain.h"

#include <atomic>
#include <cstring>

#include "collectors/nvtx/registry.h"
#include "collectors/nvtx/schema.h"
#include "inject/core/start_end.h"

namespace syncline::nvtx {
namespace {

std::atomic<NvtxFunctionPointer> g_next[kModules][kMaxFunctions];
std::atomic<NvtxFunctionPointer> g_next_extension[kExtensionModules][kMaxExtensionFunctions];

std::atomic<NvtxFunctionPointer>& Place(bool extension, uint32_t module, uint32_t id) {
  return extension ? g_next_extension[module][id] : g_next[module][id];
}

// Our argument as the tool knows it. A handle that is not ours is passed as it is.
template <typename T>
T ToTool(T value) {
  return value;
}

nvtxDomainHandle_t ToTool(nvtxDomainHandle_t domain) {
  const Domain* known = FindDomain(domain);
  return known != nullptr
             ? static_cast<nvtxDomainHandle_t>(known->tool.load(std::memory_order_acquire))
             : domain;
}

nvtxStringHandle_t StringToTool(nvtxStringHandle_t string) {
  const RegisteredString* known = FindString(string);
  return known != nullptr
             ? static_cast<nvtxStringHandle_t>(known->tool.load(std::memory_order_acquire))
             : string;
}

template <typename Handle>
Handle ObjectToTool(HandleKind kind, Handle handle) {
  const Object* known = g_registry.objects.At(HandleIndex(kind, handle));
  return known != nullptr ? static_cast<Handle>(known->tool.load(std::memory_order_acquire))
                          : handle;
}

nvtxResourceHandle_t ToTool(nvtxResourceHandle_t resource) {
  return ObjectToTool(HandleKind::kResource, resource);
}
nvtxSyncUser_t ToTool(nvtxSyncUser_t sync) { return ObjectToTool(HandleKind::kSync, sync); }

// Attributes whose registered message is the tool's; the program's own if there is nothing to
// translate.
template <typename Attributes>
class ToolAttributes {
 public:
  explicit ToolAttributes(Attributes* attributes) : used_(attributes) {
    if (attributes == nullptr || attributes->size < sizeof(Attributes) ||
        attributes->messageType != NVTX_MESSAGE_TYPE_REGISTERED) {
      return;
    }
    std::memcpy(&copy_, attributes, sizeof(copy_));
    copy_.size = sizeof(copy_);
    copy_.message.registered = StringToTool(attributes->message.registered);
    used_ = &copy_;
  }
  operator Attributes*() { return used_; }  // NOLINT: stands for an argument

 private:
  std::remove_const_t<Attributes> copy_;
  Attributes* used_;
};

ToolAttributes<const nvtxEventAttributes_t> ToTool(const nvtxEventAttributes_t* attributes) {
  return ToolAttributes<const nvtxEventAttributes_t>(attributes);
}
ToolAttributes<nvtxResourceAttributes_t> ToTool(nvtxResourceAttributes_t* attributes) {
  return ToolAttributes<nvtxResourceAttributes_t>(attributes);
}
ToolAttributes<const nvtxSyncUserAttributes_t> ToTool(const nvtxSyncUserAttributes_t* attributes) {
  return ToolAttributes<const nvtxSyncUserAttributes_t>(attributes);
}

// Where the tool's handle is kept with an object of ours; null if there was no memory for the
// object.
ToolHandle* ToolHandleOf(nvtxDomainHandle_t domain) {
  Domain* known = FindDomain(domain);
  return known != nullptr ? &known->tool : nullptr;
}
ToolHandle* ToolHandleOf(nvtxStringHandle_t string) {
  RegisteredString* known = FindString(string);
  return known != nullptr ? &known->tool : nullptr;
}
ToolHandle* ToolHandleOf(nvtxResourceHandle_t resource) {
  Object* known = g_registry.objects.At(HandleIndex(HandleKind::kResource, resource));
  return known != nullptr ? &known->tool : nullptr;
}
ToolHandle* ToolHandleOf(nvtxSyncUser_t sync) {
  Object* known = g_registry.objects.At(HandleIndex(HandleKind::kSync, sync));
  return known != nullptr ? &known->tool : nullptr;
}

// A hook and its place. Next: the tool's function there, null without one.
template <auto kHook, bool kExtension, uint32_t kModule, uint32_t kId>
struct At {
  static auto Next() {
    return reinterpret_cast<decltype(kHook)>(
        Place(kExtension, kModule, kId).load(std::memory_order_acquire));
  }
};

// Records, then calls the tool, whose return value the program gets.
template <auto kHook, typename kPlace>
struct Plainly;
template <typename R, typename... A, R (*kHook)(A...), typename kPlace>
struct Plainly<kHook, kPlace> {
  static R Call(A... arguments) {
    const auto next = kPlace::Next();
    if constexpr (std::is_void_v<R>) {
      kHook(arguments...);
      if (next != nullptr) next(ToTool(arguments)...);
    } else {
      const R own = kHook(arguments...);
      return next != nullptr ? next(ToTool(arguments)...) : own;
    }
  }
};

// Creates an object of ours and one of the tool's.
template <auto kHook, typename kPlace>
struct Creating;
template <typename R, typename... A, R (*kHook)(A...), typename kPlace>
struct Creating<kHook, kPlace> {
  static R Call(A... arguments) {
    const R own = kHook(arguments...);
    const auto next = kPlace::Next();
    if (next == nullptr) return own;
    const R tools = next(ToTool(arguments)...);
    ToolHandle* kept = ToolHandleOf(own);
    // Release: pairs with the acquire of the thread to which the program gives the handle.
    if (kept != nullptr) kept->store(tools, std::memory_order_release);
    return kept != nullptr ? own : tools;
  }
};

// Begins a range of ours and one of the tool's; the program holds our id.
template <auto kHook, typename kPlace>
struct Starting;
template <typename... A, nvtxRangeId_t (*kHook)(A...), typename kPlace>
struct Starting<kHook, kPlace> {
  static nvtxRangeId_t Call(A... arguments) {
    const nvtxRangeId_t own = kHook(arguments...);
    const auto next = kPlace::Next();
    if (next == nullptr) return own;
    const nvtxRangeId_t tools = next(ToTool(arguments)...);
    if (IsUnrecorded(own)) return tools;
    SetToolRange(own, tools);
    return own;
  }
};

// The tool's id has to be fetched before our end frees the lane.
nvtxRangeId_t RangeToTool(nvtxRangeId_t id) {
  const nvtxRangeId_t tools = ToolRange(id);
  return tools != 0 ? tools : id;
}

template <auto kHook, typename kPlace>
struct Ending;
template <void (*kHook)(nvtxRangeId_t), typename kPlace>
struct Ending<kHook, kPlace> {
  static void Call(nvtxRangeId_t id) {
    const nvtxRangeId_t tools = RangeToTool(id);
    kHook(id);
    if (const auto next = kPlace::Next()) next(tools);
  }
};
template <void (*kHook)(nvtxDomainHandle_t, nvtxRangeId_t), typename kPlace>
struct Ending<kHook, kPlace> {
  static void Call(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    const nvtxRangeId_t tools = RangeToTool(id);
    kHook(domain, id);
    if (const auto next = kPlace::Next()) next(ToTool(domain), tools);
  }
};
template <void (*kHook)(nvtxDomainHandle_t, nvtxRangeId_t, const nvtxPayloadData_t*, size_t),
          typename kPlace>
struct Ending<kHook, kPlace> {
  static void Call(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t* payloads,
                   size_t count) {
    const nvtxRangeId_t tools = RangeToTool(id);
    kHook(domain, id, payloads, count);
    if (const auto next = kPlace::Next()) next(ToTool(domain), tools, payloads, count);
  }
};

// The tool registers first: a schema without an id of the program's gets the tool's, so that both
// know it by one id.
template <auto kHook, typename kPlace>
struct Registering;
template <typename Attributes, uint64_t (*kHook)(nvtxDomainHandle_t, const Attributes*),
          typename kPlace>
struct Registering<kHook, kPlace> {
  static uint64_t Call(nvtxDomainHandle_t domain, const Attributes* attributes) {
    const auto next = kPlace::Next();
    const uint64_t tools = next != nullptr ? next(ToTool(domain), attributes) : 0;
    uint32_t number = DomainNumber(domain);
    if (number == kNoIndex) number = 0;
    if constexpr (std::is_same_v<Attributes, nvtxPayloadEnumAttr_t>) {
      return RegisterEnum(number, attributes, tools);
    } else {
      return RegisterSchema(number, attributes, tools);
    }
  }
};

// We record all domains, whatever the tool does.
template <auto kHook, typename kPlace>
struct Alone {
  static uint8_t Call(nvtxDomainHandle_t domain) { return kHook(domain); }
};

// How each function is chained: Plainly unless named here.
template <auto kHook, typename kPlace>
struct Chained : Plainly<kHook, kPlace> {};
#define SYNCLINE_NVTX_CHAIN(function, how) \
  template <typename kPlace>               \
  struct Chained<&hook::function, kPlace> : how<&hook::function, kPlace> {};
SYNCLINE_NVTX_CHAIN(DomainCreateA, Creating)
SYNCLINE_NVTX_CHAIN(DomainCreateW, Creating)
SYNCLINE_NVTX_CHAIN(DomainRegisterStringA, Creating)
SYNCLINE_NVTX_CHAIN(DomainRegisterStringW, Creating)
SYNCLINE_NVTX_CHAIN(DomainResourceCreate, Creating)
SYNCLINE_NVTX_CHAIN(DomainSyncUserCreate, Creating)
SYNCLINE_NVTX_CHAIN(RangeStartEx, Starting)
SYNCLINE_NVTX_CHAIN(RangeStartA, Starting)
SYNCLINE_NVTX_CHAIN(RangeStartW, Starting)
SYNCLINE_NVTX_CHAIN(DomainRangeStartEx, Starting)
SYNCLINE_NVTX_CHAIN(RangeStartPayload, Starting)
SYNCLINE_NVTX_CHAIN(RangeEnd, Ending)
SYNCLINE_NVTX_CHAIN(DomainRangeEnd, Ending)
SYNCLINE_NVTX_CHAIN(RangeEndPayload, Ending)
SYNCLINE_NVTX_CHAIN(PayloadSchemaRegister, Registering)
SYNCLINE_NVTX_CHAIN(PayloadEnumRegister, Registering)
SYNCLINE_NVTX_CHAIN(DomainIsEnabled, Alone)
#undef SYNCLINE_NVTX_CHAIN

}  // namespace

void SetNext(bool extension, uint32_t module, uint32_t id, NvtxFunctionPointer function) {
  if (function != nullptr) Place(extension, module, id).store(function, std::memory_order_release);
}

bool HasNext(bool extension, uint32_t module, uint32_t id) {
  return Place(extension, module, id).load(std::memory_order_acquire) != nullptr;
}

// reinterpret_cast stands in the tables themselves, where compilers fold it: there must be no
// static initialiser.
#define SYNCLINE_NVTX_ROW(extension, module_id, function_id, function)             \
  {module_id, function_id, reinterpret_cast<NvtxFunctionPointer>(&hook::function), \
   reinterpret_cast<NvtxFunctionPointer>(                                          \
       &Chained<&hook::function, At<&hook::function, extension, module_id, function_id>>::Call)},

const Hook kHooks[] = {
#define SYNCLINE_NVTX_HOOK(module, function) \
  SYNCLINE_NVTX_ROW(false, NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##function, function)
#include "collectors/nvtx/hooks.def"
};
const size_t kHookCount = sizeof(kHooks) / sizeof(kHooks[0]);

const Hook kExtensionHooks[] = {
#define SYNCLINE_NVTX_EXTENSION(module, function) \
  SYNCLINE_NVTX_ROW(true, NVTX_EXT_##module##_MODULEID, NVTX3EXT_CBID_nvtx##function, function)
#include "collectors/nvtx/hooks.def"
};
const size_t kExtensionHookCount = sizeof(kExtensionHooks) / sizeof(kExtensionHooks[0]);

}  // namespace syncline::nvtx
