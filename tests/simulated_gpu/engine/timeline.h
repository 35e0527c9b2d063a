// SPDX-License-Identifier: Apache-2.0
// Time of operations: places them on their device when all they depend on is known, and keeps those
// that must wait for it.
//
// Kernels compute nothing, so an operation's start and end are known when it is submitted, unless
// something before it ends at a time nobody knows yet: a host function, a collective that waits for
// other ranks, an operation that hangs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/collective.h"
#include "tests/simulated_gpu/engine/model.h"

namespace simgpu {

enum class Ending : uint8_t {
  kModelled,      // start + duration_ns
  kHostFunction,  // when `body` has returned, on the engine's thread
  kExternal,      // when Finish is called
  kNever,
};

// One operation to be submitted.
struct Work {
  Operation op;
  Device* device = nullptr;
  uint64_t duration_ns = 0;
  uint64_t earliest_ns = 0;  // not before this, whatever it depends on
  Ending ending = Ending::kModelled;
  std::function<void()> body;  // moves the bytes; run once, in an order that keeps dependencies
  const char* call = "";       // for the truth file
  uint32_t thread = 0;
  uint32_t waits_for = 0;
  uint64_t first_start_ns = UINT64_MAX;  // graph launches: when the first of its operations starts
  std::shared_ptr<Collective> collective;
  CollectiveFacts facts;  // once it has ended
  bool silent = false;    // neither in the truth file nor told: joins of a graph's ends
};

struct Pending {
  Work work;
  size_t unresolved = 0;  // how many of its dependencies are pending, and one until it is published
  std::vector<std::shared_ptr<Pending>> dependents;
  bool resolved = false;
  bool told = false;  // to the observer, who then hears of its end too
};

// The operation whose end this one stands for: records and waits of events have no work of their
// own.
uint32_t Represented(const Work& work);

// What an operation depends on.
class Dependencies {
 public:
  void Add(const Point& point);
  void Merge(const Dependencies& other);
  bool known() const { return pending_.empty(); }
  uint64_t ns() const { return latest_.ns; }
  uint32_t correlation() const;  // of the one that ends last; of a pending one where there is one
  uint32_t known_correlation() const { return latest_.correlation; }
  const std::vector<std::shared_ptr<Pending>>& pending() const { return pending_; }

 private:
  Point latest_;
  std::vector<std::shared_ptr<Pending>> pending_;
};

// The operations that one API call submitted: run their bodies and tell of them when the lock is
// open again.
class Submitted {
 public:
  struct Placed {
    Point end;
    uint64_t start_ns;  // 0 where it is not known
  };
  // Under the engine lock.
  Placed Add(Work&& work, const Dependencies& after);
  // Without the lock.
  void Publish();

 private:
  std::vector<Operation> known_;
  std::vector<std::shared_ptr<Pending>> pending_;
  std::vector<std::function<void()>> bodies_;
};

// Replaces a pending point by its time where that has become known. Under the lock.
void Settle(Point* point);
bool IsOver(Point* point, uint64_t now);

// The stream's order: what an operation submitted to it now comes after. Under the lock.
Dependencies StreamOrder(Stream* stream);

// tail(stream) of docs/waits.md, what a host call on the stream waits for: work of the legacy
// stream only as far as the stream's own work stands behind it. Under the lock.
Dependencies StreamTail(Stream* stream);
// All work of the context; of its blocking streams only; of all contexts of a device.
Dependencies ContextWork(Context* context, bool blocking_only);
Dependencies DeviceWork(Device* device);
// The operation is now the last of the stream.
void Advance(Stream* stream, const Point& end);

// Waits until `after` is over, and returns when that was (0: nothing). Until all ends are known the
// thread blocks. Without the lock.
uint64_t AwaitAll(const Dependencies& after, Waiting waiting = Waiting::kBlocks);

// Gives a kExternal operation its end. Without the lock.
void Finish(const std::shared_ptr<Pending>& pending, uint64_t start_ns, uint64_t end_ns);

// The same for a run of a collective. Of an unknown run nothing happens.
void FinishCollective(uint64_t run, uint64_t start_ns, uint64_t end_ns,
                      const CollectiveFacts* facts);

// Runs `body` on the engine's own thread at or after `ns`; for host functions. Any thread, with or
// without the lock.
void RunLater(uint64_t ns, std::function<void()> body);

}  // namespace simgpu
