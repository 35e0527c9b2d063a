// SPDX-License-Identifier: Apache-2.0
// The objects of a simulated machine: devices, contexts, streams and events. All of it is guarded
// by the engine lock.
//
// Nothing here is ever freed: the program's last threads and static destructors may still call.
// Destroyed streams and events are kept for reuse; `alive` tells a handle that is no longer good.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/lanes.h"
#include "tests/simulated_gpu/engine/observer.h"

namespace simgpu {

struct Capture;
struct Context;
struct Node;
struct Pending;
struct SharedRecord;

// A point of a device's time line: the end of an operation. Where `pending` is set its time is not
// known yet.
struct Point {
  uint64_t ns = 0;
  uint32_t correlation = 0;  // of the operation
  std::shared_ptr<Pending> pending;
};

struct Device {
  Device(uint32_t ordinal_, uint32_t physical_, uint32_t kernels)
      : ordinal(ordinal_), physical(physical_), slots(kernels) {}
  const uint32_t ordinal;   // as the program counts
  const uint32_t physical;  // as the machine counts
  CopyEngine to_device, from_device, peer;
  KernelSlots slots;
  uint64_t used_bytes = 0;     // by allocations
  uint64_t context_bytes = 0;  // by contexts
  Context* primary = nullptr;
  uint32_t primary_users = 0;
  bool runtime_uses_primary = false;  // one of the users
  unsigned primary_flags = 0;
};

struct Stream {
  bool alive = false;
  bool blocking = true;  // takes part in the legacy default stream's order
  bool is_legacy = false, is_per_thread = false;
  uint32_t id = 0;
  unsigned flags = 0;
  int priority = 0;
  Context* context = nullptr;
  Point tail;               // the end of what was submitted so far
  std::deque<Point> queue;  // starts of operations that have not started: the launch queue
  uint64_t sequence = 0;    // of its operations, for the jitter
  Capture* capture = nullptr;
  std::vector<Node*> capture_tail;
};

struct Event {
  bool alive = false;
  bool recorded = false;
  uint32_t id = 0;
  unsigned flags = 0;
  uint64_t sync_id = 0;  // of its last record
  Point point;
  Context* context = nullptr;
  Stream* stream = nullptr;  // of its last record
  Capture* capture = nullptr;
  uint64_t capture_id = 0;
  std::vector<Node*> capture_nodes;
  SharedRecord* shared = nullptr;  // of an event that other processes may use
  uint64_t shared_number = 0;      // of the record it has taken from there
  int shared_descriptor = -1;
};

struct Context {
  bool alive = true;
  bool primary = false;
  uint32_t id = 0;
  unsigned flags = 0;
  uint64_t bytes = 0;  // of the device's memory
  Device* device = nullptr;
  uint32_t next_stream_id = 7;  // CUPTI calls the legacy default stream 7
  Stream* legacy = nullptr;
  std::vector<Stream*> streams;            // the living ones, the default streams too
  std::map<uint32_t, Stream*> per_thread;  // by gettid
  Point blocking_end;                      // the latest known end of a blocking stream
  Point end;                               // the latest known end of any stream
  std::vector<Stream*> pending;            // streams whose tail was not known when last looked at
  std::set<Context*> peers;
};

// The one lock of the engine. Held for moves of state only: never while sleeping, copying bytes or
// calling out.
std::mutex& EngineMutex();
using EngineLock = std::unique_lock<std::mutex>;

// The devices the program sees.
std::vector<Device*>& Devices();
Device* DeviceAt(int64_t ordinal);  // null where there is none

// Contexts. The functions below take the engine lock.
Context* CreateContext(Device* device, unsigned flags, bool primary);
void DestroyContext(Context* context);
Context* PrimaryContext(Device* device);  // made at first use
// The same for the runtime, which uses each primary context once, until it is reset.
Context* RuntimeContext(Device* device);
Context* AsContext(const void* handle);  // null unless it is a living context

// Streams. `handle` as the API takes it: null, 1 and 2 are the default streams.
Stream* CreateStream(Context* context, unsigned flags, int priority);
void DestroyStream(Stream* stream);
Stream* FindStream(Context* context, const void* handle,
                   bool per_thread);  // null: not a living stream

Event* CreateEvent(Context* context, unsigned flags);
void DestroyEvent(Event* event);
Event* AsEvent(const void* handle);

const std::vector<Context*>& Contexts();  // all there ever were; under the lock

// How a thread waits for work of the context (null: of any), by the schedule of its flags.
Waiting WaitingOf(const Context* context);
// Whether flags name one schedule at most.
bool IsSchedule(unsigned flags);

// Tells the observer, if it wants to know. Without the lock.
void TellResource(const Resource& resource, bool created);
Resource Describe(const Device* device);
Resource Describe(const Context* context);
Resource Describe(const Stream* stream);

}  // namespace simgpu
