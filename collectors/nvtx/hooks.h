// SPDX-License-Identifier: Apache-2.0
// The functions that we put behind NVTX's (hooks.def), and the tables in which they are found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/nvtx/nvtx_headers.h"

namespace syncline::nvtx {

// A function and its place in a program's table. `chained` also calls the user's own tool
// (chain.h).
struct Hook {
  uint32_t module;
  uint32_t id;
  NvtxFunctionPointer plain;
  NvtxFunctionPointer chained;
};

extern const Hook kHooks[];  // module is a NvtxCallbackModule
extern const size_t kHookCount;
extern const Hook kExtensionHooks[];  // module is an extension's module id
extern const size_t kExtensionHookCount;

inline constexpr uint32_t kModules = 7;        // of kHooks, 0 is none
inline constexpr uint32_t kMaxFunctions = 17;  // of one module
inline constexpr uint32_t kExtensionModules = 5;
inline constexpr uint32_t kMaxExtensionFunctions = 18;

namespace hook {

// Signatures and meaning are NVTX's. Any thread; none waits, allocates from libc or changes errno.
void MarkEx(const nvtxEventAttributes_t* attributes);
void MarkA(const char* message);
void MarkW(const wchar_t* message);
nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* attributes);
nvtxRangeId_t RangeStartA(const char* message);
nvtxRangeId_t RangeStartW(const wchar_t* message);
void RangeEnd(nvtxRangeId_t id);
int RangePushEx(const nvtxEventAttributes_t* attributes);
int RangePushA(const char* message);
int RangePushW(const wchar_t* message);
int RangePop();
void NameCategoryA(uint32_t category, const char* name);
void NameCategoryW(uint32_t category, const wchar_t* name);
void NameOsThreadA(uint32_t thread, const char* name);
void NameOsThreadW(uint32_t thread, const wchar_t* name);

void DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes);
nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain,
                                 const nvtxEventAttributes_t* attributes);
void DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id);
int DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes);
int DomainRangePop(nvtxDomainHandle_t domain);
nvtxResourceHandle_t DomainResourceCreate(nvtxDomainHandle_t domain,
                                          nvtxResourceAttributes_t* attributes);
void DomainResourceDestroy(nvtxResourceHandle_t resource);
void DomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name);
void DomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t* name);
nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t domain, const char* string);
nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* string);
nvtxDomainHandle_t DomainCreateA(const char* name);
nvtxDomainHandle_t DomainCreateW(const wchar_t* name);
void DomainDestroy(nvtxDomainHandle_t domain);
void Initialize(const void* reserved);

// Names of a vendor's objects; NVTX passes handles as pointers and devices as int.
void NameCuDeviceA(nvtx_CUdevice device, const char* name);
void NameCuDeviceW(nvtx_CUdevice device, const wchar_t* name);
void NameCudaDeviceA(int device, const char* name);
void NameCudaDeviceW(int device, const wchar_t* name);
#define SYNCLINE_NVTX_NAMED(object)              \
  void Name##object##A(void*, const char* name); \
  void Name##object##W(void*, const wchar_t* name);
SYNCLINE_NVTX_NAMED(CuContext)
SYNCLINE_NVTX_NAMED(CuStream)
SYNCLINE_NVTX_NAMED(CuEvent)
SYNCLINE_NVTX_NAMED(CudaStream)
SYNCLINE_NVTX_NAMED(CudaEvent)
SYNCLINE_NVTX_NAMED(ClDevice)
SYNCLINE_NVTX_NAMED(ClContext)
SYNCLINE_NVTX_NAMED(ClCommandQueue)
SYNCLINE_NVTX_NAMED(ClMemObject)
SYNCLINE_NVTX_NAMED(ClSampler)
SYNCLINE_NVTX_NAMED(ClProgram)
SYNCLINE_NVTX_NAMED(ClEvent)
#undef SYNCLINE_NVTX_NAMED

nvtxSyncUser_t DomainSyncUserCreate(nvtxDomainHandle_t domain,
                                    const nvtxSyncUserAttributes_t* attributes);
void DomainSyncUserDestroy(nvtxSyncUser_t sync);
void DomainSyncUserAcquireStart(nvtxSyncUser_t sync);
void DomainSyncUserAcquireFailed(nvtxSyncUser_t sync);
void DomainSyncUserAcquireSuccess(nvtxSyncUser_t sync);
void DomainSyncUserReleasing(nvtxSyncUser_t sync);

uint64_t PayloadSchemaRegister(nvtxDomainHandle_t domain,
                               const nvtxPayloadSchemaAttr_t* attributes);
uint64_t PayloadEnumRegister(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attributes);
void MarkPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count);
int RangePushPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count);
int RangePopPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count);
nvtxRangeId_t RangeStartPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads,
                                size_t count);
void RangeEndPayload(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t* payloads,
                     size_t count);
uint8_t DomainIsEnabled(nvtxDomainHandle_t domain);
int64_t TimestampGet();
uint64_t TimeDomainRegister(nvtxDomainHandle_t domain, const nvtxTimeDomainAttr_t* attributes);
uint64_t ScopeRegister(nvtxDomainHandle_t domain, const nvtxScopeAttr_t* attributes);
void EventSubmit(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count);
void EventBatchSubmit(nvtxDomainHandle_t domain, const nvtxEventBatch_t* batch);
uint64_t CounterRegister(nvtxDomainHandle_t domain, const nvtxCounterAttr_t* attributes);
void CounterSampleInt64(nvtxDomainHandle_t domain, uint64_t counter, int64_t value);
void CounterSampleFloat64(nvtxDomainHandle_t domain, uint64_t counter, double value);
void CounterSample(nvtxDomainHandle_t domain, uint64_t counter, const void* values, size_t size);
void CounterSampleNoValue(nvtxDomainHandle_t domain, uint64_t counter, uint8_t reason);
void CounterBatchSubmit(nvtxDomainHandle_t domain, const nvtxCounterBatch_t* batch);

}  // namespace hook
}  // namespace syncline::nvtx
