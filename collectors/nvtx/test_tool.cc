// SPDX-License-Identifier: Apache-2.0
// A user's own NVTX injection library: hooks some functions, hands out its own handles, remembers
// its calls.
#include "collectors/nvtx/test_tool.h"

#include <cstring>

#include "collectors/nvtx/nvtx_headers.h"

namespace {

ToolCall g_calls[1000];
int g_count = 0;
bool g_accept = true;
uint64_t g_next = 0x70010000;  // handles and ids, recognisable

ToolCall& Note(const char* function, const char* text, const void* domain, uint64_t value) {
  ToolCall& call = g_calls[g_count < 999 ? g_count++ : 999];
  call = {};
  strncpy(call.function, function, sizeof(call.function) - 1);
  strncpy(call.text, text != nullptr ? text : "(null)", sizeof(call.text) - 1);
  call.domain = domain;
  call.value = value;
  return call;
}

template <typename Handle>
Handle New(const char* function, const char* text, const void* domain) {
  g_next += 16;
  Note(function, text, domain, g_next);
  return reinterpret_cast<Handle>(g_next);
}

int PushA(const char* message) {
  return static_cast<int>(Note("PushA", message, nullptr, 41).value);
}
int Pop() { return static_cast<int>(Note("Pop", nullptr, nullptr, 42).value); }
nvtxDomainHandle_t DomainCreateA(const char* name) {
  return New<nvtxDomainHandle_t>("DomainCreateA", name, nullptr);
}
nvtxStringHandle_t RegisterA(nvtxDomainHandle_t domain, const char* text) {
  return New<nvtxStringHandle_t>("RegisterA", text, domain);
}
int DomainPush(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  const bool registered =
      attributes != nullptr && attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  Note("DomainPush", registered ? "registered" : "other", domain,
       registered ? reinterpret_cast<uint64_t>(attributes->message.registered) : 0);
  return 43;
}
int DomainPop(nvtxDomainHandle_t domain) {
  return static_cast<int>(Note("DomainPop", nullptr, domain, 44).value);
}
nvtxRangeId_t DomainStart(nvtxDomainHandle_t domain, const nvtxEventAttributes_t*) {
  return Note("DomainStart", nullptr, domain, ++g_next).value;
}
void DomainEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  Note("DomainEnd", nullptr, domain, id);
}
void DomainDestroy(nvtxDomainHandle_t domain) { Note("DomainDestroy", nullptr, domain, 0); }
nvtxResourceHandle_t ResourceCreate(nvtxDomainHandle_t domain, nvtxResourceAttributes_t*) {
  return New<nvtxResourceHandle_t>("ResourceCreate", nullptr, domain);
}
void ResourceDestroy(nvtxResourceHandle_t resource) {
  Note("ResourceDestroy", nullptr, nullptr, reinterpret_cast<uint64_t>(resource));
}
uint64_t SchemaRegister(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t*) {
  return Note("SchemaRegister", nullptr, domain, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + 77).value;
}

void Set(const NvtxExportTableCallbacks* callbacks, NvtxCallbackModule module, unsigned id,
         NvtxFunctionPointer function) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(module, &table, &size) != 0 && id < size)
    *table[id] = function;
}

template <typename Function>
NvtxFunctionPointer Untyped(Function* function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

const ToolCall* ToolCalls(int* count) {
  *count = g_count;
  return g_calls;
}
void ToolReset() { g_count = 0; }
void ToolAccept(int accept) { g_accept = accept != 0; }

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  Note("Initialize", nullptr, nullptr, 0);
  Set(callbacks, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA, Untyped(PushA));
  Set(callbacks, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePop, Untyped(Pop));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainCreateA, Untyped(DomainCreateA));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRegisterStringA, Untyped(RegisterA));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePushEx, Untyped(DomainPush));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePop, Untyped(DomainPop));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeStartEx, Untyped(DomainStart));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeEnd, Untyped(DomainEnd));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainDestroy, Untyped(DomainDestroy));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainResourceCreate,
      Untyped(ResourceCreate));
  Set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainResourceDestroy,
      Untyped(ResourceDestroy));
  return g_accept ? 1 : 0;
}

int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* info) {
  Note("InitializeExtension", nullptr, nullptr, info->moduleId);
  if (info->moduleId == NVTX_EXT_PAYLOAD_MODULEID) {
    info->segments[0].functionSlots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] =
        reinterpret_cast<intptr_t>(&SchemaRegister);
  }
  return g_accept ? 1 : 0;
}

#pragma GCC visibility pop

}  // extern "C"
