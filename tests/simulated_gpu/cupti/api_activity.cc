// SPDX-License-Identifier: Apache-2.0
// The exported functions of the activity API.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/simulated_gpu/cupti/answer.h"
#include "tests/simulated_gpu/cupti/client.h"
#include "tests/simulated_gpu/cupti/clock.h"
#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/external_ids.h"
#include "tests/simulated_gpu/cupti/hooks.h"
#include "tests/simulated_gpu/cupti/layouts.h"
#include "tests/simulated_gpu/cupti/observer.h"
#include "tests/simulated_gpu/cupti/settings.h"
#include "tests/simulated_gpu/cupti/subscribers.h"
#include "tests/simulated_gpu/cupti/worker.h"

namespace simgpu::cupti {
namespace {

// The fault activity_enable=ERROR[:KIND].
CUptiResult EnableFault(uint32_t kind) {
  const char* value = Fault("activity_enable");
  if (value == nullptr) return CUPTI_SUCCESS;
  const char* colon = std::strchr(value, ':');
  if (colon != nullptr && static_cast<uint32_t>(std::atoi(colon + 1)) != kind) return CUPTI_SUCCESS;
  return *value == '\0' ? CUPTI_ERROR_UNKNOWN : static_cast<CUptiResult>(std::atoi(value));
}

// The two kernel kinds exclude each other: one serialises kernels, the other does not.
uint32_t Excluded(uint32_t kind) {
  if (kind == CUPTI_ACTIVITY_KIND_KERNEL) return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return CUPTI_ACTIVITY_KIND_KERNEL;
  return CUPTI_ACTIVITY_KIND_INVALID;
}

CUptiResult CheckKind(uint32_t kind) {
  if (const CUptiResult bad = DriverState()) return bad;
  return KindExists(kind, Presented()) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

CUptiResult CheckEnable(uint32_t kind) {
  if (const CUptiResult bad = CheckKind(kind)) return bad;
  if (const CUptiResult bad = EnableFault(kind)) return bad;
  const uint32_t excluded = Excluded(kind);
  if (excluded != 0 && Client::Get().kinds().OnSomewhere(excluded))
    return CUPTI_ERROR_NOT_COMPATIBLE;
  if (RecordSize(kind, Presented()) == 0) {
    // Accepted as the real one does, but no record will come: the truth file and stderr say so.
    static const char* const names = "cuptiActivityEnable of a kind that is not modelled";
    FindEngine()->unsupported("libcupti", names);
  }
  return CUPTI_SUCCESS;
}

CUptiResult Switch(uint32_t kind, bool on) {
  if (const CUptiResult bad = on ? CheckEnable(kind) : CheckKind(kind)) return bad;
  Client::Get().kinds().Set(kind, on);
  if (on) StartObserving();
  UpdateObserver();
  return CUPTI_SUCCESS;
}

CUptiResult SwitchForContext(CUcontext context, uint32_t kind, bool on) {
  if (const CUptiResult bad = on ? CheckEnable(kind) : CheckKind(kind)) return bad;
  const uint32_t id = context == nullptr ? 0 : FindEngine()->context_id(context);
  if (id == 0) return CUPTI_ERROR_INVALID_CONTEXT;
  Client::Get().kinds().SetForContext(kind, id, on);
  if (on) StartObserving();
  UpdateObserver();
  return CUPTI_SUCCESS;
}

CUptiResult SwitchCall(simgpu::Domain domain, uint32_t cbid, bool on) {
  if (const CUptiResult bad = DriverState()) return bad;
  if (CallName(static_cast<uint32_t>(domain), cbid) == nullptr)
    return CUPTI_ERROR_INVALID_PARAMETER;
  Client::Get().kinds().SetCall(domain, cbid, on);
  if (on) StartObserving();
  UpdateObserver();
  return CUPTI_SUCCESS;
}

void Dump(const simgpu::Resource* resource, void* kind) {
  using simgpu::ResourceKind;
  const bool asked = (resource->kind == ResourceKind::kDevice &&
                      *static_cast<uint32_t*>(kind) == CUPTI_ACTIVITY_KIND_DEVICE) ||
                     (resource->kind == ResourceKind::kContext &&
                      *static_cast<uint32_t*>(kind) == CUPTI_ACTIVITY_KIND_CONTEXT) ||
                     (resource->kind == ResourceKind::kStream &&
                      *static_cast<uint32_t*>(kind) == CUPTI_ACTIVITY_KIND_STREAM);
  if (asked) PutResource(*resource);
}

CUptiResult Flush(bool forced) {
  if (const CUptiResult bad = DriverState()) return bad;
  while (Fault("flush_hangs") != nullptr) pause();
  return Client::Get().Flush(forced);
}

CUptiResult SetTimestampCallback(CUpti_TimestampCallbackFunc callback) {
  if (callback == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (const CUptiResult bad = DriverState()) return bad;
  if (Fault("timestamp_callback") != nullptr) {
    return static_cast<CUptiResult>(FaultNumber("timestamp_callback", CUPTI_ERROR_NOT_SUPPORTED));
  }
  TheClock().SetCallback(callback);
  return CUPTI_SUCCESS;
}

CUptiResult Register(CUpti_BuffersCallbackRequestFunc request,
                     CUpti_BuffersCallbackCompleteFunc complete) {
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  // Without any driver the real library answers success here, and only here (README.md).
  if (FindEngine() == nullptr) return CUPTI_SUCCESS;
  if (const CUptiResult bad = DriverState()) return bad;
  Client::Get().Register(request, complete);
  StartObserving();
  UpdateObserver();
  return CUPTI_SUCCESS;
}

CUptiResult SetSwitch(std::atomic<bool>* field, bool on) {
  if (const CUptiResult bad = DriverState()) return bad;
  field->store(on);
  return CUPTI_SUCCESS;
}

}  // namespace
}  // namespace simgpu::cupti

using namespace simgpu::cupti;  // the functions below have to stand outside

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  return Answer(Switch(kind, true));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  return Answer(Switch(kind, false));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  if (const CUptiResult bad = Switch(kind, true)) return Answer(bad);
  uint32_t number = kind;
  FindEngine()->for_each_resource(Dump, &number);
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableContext(CUcontext context,
                                                                    CUpti_ActivityKind kind) {
  return Answer(SwitchForContext(context, kind, true));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityDisableContext(CUcontext context,
                                                                     CUpti_ActivityKind kind) {
  return Answer(SwitchForContext(context, kind, false));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId cbid,
                                                                      uint8_t enable) {
  return Answer(SwitchCall(simgpu::Domain::kDriver, cbid, enable != 0));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid,
                                                                       uint8_t enable) {
  return Answer(SwitchCall(simgpu::Domain::kRuntime, cbid, enable != 0));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
  return Answer(Register(request, complete));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid,
                                                                    CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  return Answer(NextRecord(buffer, valid, record));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t,
                                                                           size_t* dropped) {
  if (dropped == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  *dropped = Client::Get().TakeDropped();
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
  return Answer(Flush((flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) {
  return cuptiActivityFlushAll(flag);
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityFlushPeriod(uint32_t milliseconds) {
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  Worker::Get().SetPeriod(milliseconds);
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI
cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, size_t* size, void* value) {
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  return Answer(Settings::Get().GetAttribute(attribute, size, value));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI
cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* size, void* value) {
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  return Answer(Settings::Get().SetAttribute(attribute, size, value));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI
cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  return Answer(ExternalIds::OfThread().Push(kind, id));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI
cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t* last) {
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  return Answer(ExternalIds::OfThread().Pop(kind, last));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback) {
  return Answer(SetTimestampCallback(callback));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableLatencyTimestamps(uint8_t enable) {
  return Answer(SetSwitch(&Settings::Get().latency_timestamps, enable != 0));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableAllSyncRecords(uint8_t enable) {
  return Answer(SetSwitch(&Settings::Get().all_sync_records, enable != 0));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI
cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable) {
  return Answer(SetSwitch(&Settings::Get().event_device_timestamps, enable != 0));
}

// Accepted and without effect: what they add to records (launch attributes, device-launched graphs,
// the library that an allocation came from) does not exist here.
SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableLaunchAttributes(uint8_t) {
  return Answer(DriverState());
}
SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableDeviceGraph(uint8_t) {
  return Answer(DriverState());
}
SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableAllocationSource(uint8_t) {
  return Answer(DriverState());
}

// Detaches: with several subscribers it is ignored.
SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiFinalize(void) {
  if (Subscribers::Get().Count() > 1) return CUPTI_SUCCESS;
  Subscribers::Get().Clear();
  if (FindEngine() == nullptr) return CUPTI_SUCCESS;
  Client::Get().Reset();
  UpdateObserver();
  StopObserving();
  TheClock().SetCallback(nullptr);
  Settings::Get().Reset();
  return CUPTI_SUCCESS;
}
