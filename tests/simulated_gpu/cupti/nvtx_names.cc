// SPDX-License-Identifier: Apache-2.0
// This library as an NVTX tool: the names that a program gives to threads, devices, contexts and
// streams become NAME records.
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <cstring>

#include "tests/simulated_gpu/cupti/answer.h"
#include "tests/simulated_gpu/cupti/client.h"
#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/records.h"

namespace simgpu::cupti {
namespace {

CUpti_ActivityName Name(CUpti_ActivityObjectKind kind, const char* name) {
  CUpti_ActivityName record;
  std::memset(static_cast<void*>(&record), 0, sizeof record);
  record.kind = CUPTI_ACTIVITY_KIND_NAME;
  record.objectKind = kind;
  record.name = Interned(name);
  return record;
}

void Put(const CUpti_ActivityName& record) {
  if (Client::Get().kinds().On(CUPTI_ACTIVITY_KIND_NAME)) Client::Get().Put(&record, nullptr);
}

void NVTX_API NameThread(uint32_t thread, const char* name) {
  CUpti_ActivityName record = Name(CUPTI_ACTIVITY_OBJECT_THREAD, name);
  record.objectId.pt.processId = static_cast<uint32_t>(getpid());
  record.objectId.pt.threadId = thread;
  Put(record);
}

void NVTX_API NameDevice(int device, const char* name) {
  CUpti_ActivityName record = Name(CUPTI_ACTIVITY_OBJECT_DEVICE, name);
  record.objectId.dcs.deviceId = static_cast<uint32_t>(device);
  Put(record);
}

void NVTX_API NameContext(void* context, const char* name) {
  CUpti_ActivityName record = Name(CUPTI_ACTIVITY_OBJECT_CONTEXT, name);
  if (const Engine* engine = FindEngine()) {
    record.objectId.dcs.deviceId = engine->device_of(context);
    record.objectId.dcs.contextId = engine->context_id(context);
  }
  Put(record);
}

void NVTX_API NameStream(void* stream, const char* name) {
  CUpti_ActivityName record = Name(CUPTI_ACTIVITY_OBJECT_STREAM, name);
  if (const Engine* engine = FindEngine()) {
    record.objectId.dcs.deviceId = engine->device_of(nullptr);
    record.objectId.dcs.contextId = engine->context_id(nullptr);
    record.objectId.dcs.streamId = engine->stream_id(nullptr, stream, false);
  }
  Put(record);
}

// Puts a function into the client's table, where that is long enough to have it.
template <typename Function>
void Fill(const NvtxExportTableCallbacks& tables, NvtxCallbackModule module, unsigned index,
          Function function) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!tables.GetModuleFunctionTable(module, &table, &size) || index >= size ||
      table[index] == nullptr)
    return;
  *table[index] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace
}  // namespace simgpu::cupti

// Called once per linkage unit that uses NVTX, where NVTX_INJECTION64_PATH names this library.
SIMGPU_CUPTI_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  using namespace simgpu::cupti;
  const auto* tables = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (tables == nullptr || tables->struct_size < sizeof *tables) return 0;
  Fill(*tables, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_NameOsThreadA, NameThread);
  Fill(*tables, NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuDeviceA, NameDevice);
  Fill(*tables, NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuContextA, NameContext);
  Fill(*tables, NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuStreamA, NameStream);
  Fill(*tables, NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaDeviceA, NameDevice);
  Fill(*tables, NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaStreamA, NameStream);
  return 1;
}
