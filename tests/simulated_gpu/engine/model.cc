// SPDX-License-Identifier: Apache-2.0
// Makes and finds devices, contexts, streams and events.
#include "tests/simulated_gpu/engine/model.h"

#include <cuda.h>
#include <unistd.h>

#include <algorithm>

#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/interprocess.h"
#include "tests/simulated_gpu/engine/settings.h"
#include "tests/simulated_gpu/engine/timeline.h"

namespace simgpu {
namespace {

uint32_t next_context_id = 1, next_event_id = 1;  // under the engine lock

// What a context takes of its device's memory: ours; a real one takes some hundred MB.
uint64_t ContextBytes() {
  constexpr uint64_t kMost = 512ull << 20;
  return std::min(kMost, Settings::OfProcess().memory_bytes / 16);
}

std::vector<Context*>& AllContexts() {
  static auto& contexts = *new std::vector<Context*>;
  return contexts;
}

// Objects that were handed out once: an address among them can be looked at, alive or not.
template <class T>
class Store {
 public:
  T* Take() {
    if (free_.empty()) {
      T* made = new T;
      all_.insert(made);
      return made;
    }
    T* used = free_.back();
    free_.pop_back();
    *used = T{};
    return used;
  }
  void Give(T* object) { free_.push_back(object); }
  T* Find(const void* handle) const {
    T* object = static_cast<T*>(const_cast<void*>(handle));
    return all_.count(object) != 0 && object->alive ? object : nullptr;
  }

 private:
  std::set<T*> all_;
  std::vector<T*> free_;
};

Store<Stream>& Streams() {
  static auto& streams = *new Store<Stream>;
  return streams;
}

Store<Event>& Events() {
  static auto& events = *new Store<Event>;
  return events;
}

// Under the lock.
Stream* MakeStream(Context* context, unsigned flags, int priority) {
  Stream* stream = Streams().Take();
  stream->alive = true;
  stream->blocking = (flags & 1) == 0;
  stream->flags = flags;
  stream->priority = priority;
  stream->context = context;
  stream->id = context->next_stream_id++;
  context->streams.push_back(stream);
  return stream;
}

}  // namespace

std::mutex& EngineMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::vector<Device*>& Devices() {
  static std::vector<Device*>& devices = *[] {
    auto* made = new std::vector<Device*>;
    const Settings& settings = Settings::OfProcess();
    for (uint32_t i = 0; i < settings.visible.size(); ++i) {
      made->push_back(new Device(i, settings.visible[i], settings.concurrent_kernels));
    }
    return made;
  }();
  return devices;
}

Device* DeviceAt(int64_t ordinal) {
  auto& devices = Devices();
  return ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size()
             ? devices[static_cast<size_t>(ordinal)]
             : nullptr;
}

const std::vector<Context*>& Contexts() { return AllContexts(); }

Resource Describe(const Device* device) {
  Resource resource{};
  resource.kind = ResourceKind::kDevice;
  resource.id = resource.device = device->ordinal;
  return resource;
}

Resource Describe(const Context* context) {
  Resource resource{};
  resource.kind = ResourceKind::kContext;
  resource.id = resource.context_id = context->id;
  resource.device = context->device->ordinal;
  resource.handle = resource.context = const_cast<Context*>(context);
  resource.flags = context->flags;
  resource.default_stream = context->legacy->id;
  return resource;
}

Resource Describe(const Stream* stream) {
  Resource resource{};
  resource.kind = ResourceKind::kStream;
  resource.id = stream->id;
  resource.context_id = stream->context->id;
  resource.device = stream->context->device->ordinal;
  resource.handle = const_cast<Stream*>(stream);
  resource.context = stream->context;
  resource.flags = stream->flags;
  resource.priority = stream->priority;
  resource.default_stream = stream->is_legacy ? 1 : stream->is_per_thread ? 2 : 0;
  return resource;
}

void TellResource(const Resource& resource, bool created) {
  if (!Observed(kResources)) return;
  const Observer* observer = CurrentObserver();
  if (observer != nullptr && observer->resource != nullptr) observer->resource(&resource, created);
}

Context* CreateContext(Device* device, unsigned flags, bool primary) {
  auto* context = new Context;
  {
    EngineLock lock(EngineMutex());
    context->id = next_context_id++;
    context->device = device;
    context->flags = flags;
    context->primary = primary;
    context->bytes = ContextBytes();
    device->context_bytes += context->bytes;
    context->legacy = MakeStream(context, 0, 0);
    context->legacy->is_legacy = true;
    context->next_stream_id = 13;  // as seen with CUPTI: the first created stream is 13
    AllContexts().push_back(context);
  }
  TellResource(Describe(context), true);
  return context;
}

void DestroyContext(Context* context) {
  TellResource(Describe(context), false);
  EngineLock lock(EngineMutex());
  context->alive = false;
  for (Stream* stream : context->streams) stream->alive = false;
  Device* device = context->device;
  device->context_bytes -= context->bytes;
  if (device->primary != context) return;
  device->primary = nullptr;
  device->primary_users = 0;
  device->runtime_uses_primary = false;
}

Context* PrimaryContext(Device* device) {
  {
    EngineLock lock(EngineMutex());
    if (device->primary != nullptr) return device->primary;
  }
  // Two threads may come here at once: the second one's context is given up before anybody saw it.
  static std::mutex& making = *new std::mutex;
  std::lock_guard<std::mutex> one_at_a_time(making);
  {
    EngineLock lock(EngineMutex());
    if (device->primary != nullptr) return device->primary;
  }
  Context* context = CreateContext(device, device->primary_flags, true);
  EngineLock lock(EngineMutex());
  device->primary = context;
  return context;
}

Context* RuntimeContext(Device* device) {
  Context* context = PrimaryContext(device);
  EngineLock lock(EngineMutex());
  if (!device->runtime_uses_primary) ++device->primary_users;
  device->runtime_uses_primary = true;
  return context;
}

bool IsSchedule(unsigned flags) {
  const unsigned schedule = flags & CU_CTX_SCHED_MASK;
  return (schedule & (schedule - 1)) == 0;
}

Waiting WaitingOf(const Context* context) {
  EngineLock lock(EngineMutex());
  const unsigned flags = context == nullptr ? 0 : context->flags;
  switch (flags & CU_CTX_SCHED_MASK) {
    case CU_CTX_SCHED_SPIN:
      return Waiting::kSpins;
    case CU_CTX_SCHED_YIELD:
      return Waiting::kYields;
    case CU_CTX_SCHED_BLOCKING_SYNC:
      return Waiting::kBlocks;
    default: {  // CU_CTX_SCHED_AUTO: cuda.h's rule
      static const long processors = sysconf(_SC_NPROCESSORS_ONLN);
      const auto living = std::count_if(AllContexts().begin(), AllContexts().end(),
                                        [](const Context* one) { return one->alive; });
      return living > processors ? Waiting::kYields : Waiting::kSpins;
    }
  }
}

Context* AsContext(const void* handle) {
  EngineLock lock(EngineMutex());
  for (Context* context : AllContexts()) {
    if (context == handle) return context->alive ? context : nullptr;
  }
  return nullptr;
}

Stream* CreateStream(Context* context, unsigned flags, int priority) {
  Stream* stream;
  {
    EngineLock lock(EngineMutex());
    stream = MakeStream(context, flags, priority);
  }
  TellResource(Describe(stream), true);
  return stream;
}

void DestroyStream(Stream* stream) {
  TellResource(Describe(stream), false);
  EngineLock lock(EngineMutex());
  stream->alive = false;
  auto& streams = stream->context->streams;
  streams.erase(std::remove(streams.begin(), streams.end(), stream), streams.end());
  // One with work of an unknown end stays as it is: its context still waits for it.
  Settle(&stream->tail);
  if (stream->tail.pending == nullptr) {
    auto& pending = stream->context->pending;
    if (std::find(pending.begin(), pending.end(), stream) != pending.end())
      ContextWork(stream->context, false);
    Streams().Give(stream);
  }
}

Stream* FindStream(Context* context, const void* handle, bool per_thread) {
  const uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  if (value == 1 || (value == 0 && !per_thread)) return context->legacy;
  if (value > 2) {
    EngineLock lock(EngineMutex());
    return Streams().Find(handle);
  }
  Stream* stream;
  {
    EngineLock lock(EngineMutex());
    Stream*& mine = context->per_thread[CurrentTid()];
    if (mine != nullptr) return mine;
    mine = stream = MakeStream(context, 0, 0);
    stream->is_per_thread = true;
  }
  TellResource(Describe(stream), true);
  return stream;
}

Event* CreateEvent(Context* context, unsigned flags) {
  Event* event;
  Resource resource{};
  {
    EngineLock lock(EngineMutex());
    event = Events().Take();
    event->alive = true;
    event->id = next_event_id++;
    event->flags = flags;
    event->context = context;
  }
  if (Observed(kResources)) {
    resource.kind = ResourceKind::kEvent;
    resource.id = event->id;
    resource.context_id = context->id;
    resource.device = context->device->ordinal;
    resource.handle = event;
    resource.context = context;
    resource.flags = flags;
    TellResource(resource, true);
  }
  return event;
}

void DestroyEvent(Event* event) {
  if (Observed(kResources)) {
    Resource resource{};
    resource.kind = ResourceKind::kEvent;
    resource.id = event->id;
    resource.context_id = event->context->id;
    resource.device = event->context->device->ordinal;
    resource.handle = event;
    resource.context = event->context;
    TellResource(resource, false);
  }
  EngineLock lock(EngineMutex());
  event->alive = false;
  Events().Give(event);
}

Event* AsEvent(const void* handle) {
  EngineLock lock(EngineMutex());
  Event* event = Events().Find(handle);
  if (event != nullptr) TakeRecord(event);
  return event;
}

}  // namespace simgpu

using simgpu::Context;
using simgpu::EngineLock;

SIMGPU_EXPORT uint32_t simgpu_context_id(void* handle) {
  const Context* context = handle == nullptr ? simgpu::CurrentContext() : simgpu::AsContext(handle);
  return context == nullptr ? 0 : context->id;
}

SIMGPU_EXPORT uint32_t simgpu_device_of(void* handle) {
  const Context* context = handle == nullptr ? simgpu::CurrentContext() : simgpu::AsContext(handle);
  return context == nullptr ? 0 : context->device->ordinal;
}

SIMGPU_EXPORT uint32_t simgpu_stream_id(void* handle, void* stream_handle, bool per_thread) {
  Context* context = handle == nullptr ? simgpu::CurrentContext() : simgpu::AsContext(handle);
  if (context == nullptr) return 0;
  const simgpu::Stream* stream = simgpu::FindStream(context, stream_handle, per_thread);
  return stream == nullptr ? 0 : stream->id;
}

SIMGPU_EXPORT void simgpu_for_each_resource(void (*tell)(const simgpu::Resource*, void*),
                                            void* user) {
  std::vector<simgpu::Resource> all;
  for (const simgpu::Device* device : simgpu::Devices()) all.push_back(simgpu::Describe(device));
  {
    EngineLock lock(simgpu::EngineMutex());
    for (const Context* context : simgpu::Contexts()) {
      if (!context->alive) continue;
      all.push_back(simgpu::Describe(context));
      for (const simgpu::Stream* stream : context->streams) all.push_back(simgpu::Describe(stream));
    }
  }
  for (const simgpu::Resource& resource : all) tell(&resource, user);
}
