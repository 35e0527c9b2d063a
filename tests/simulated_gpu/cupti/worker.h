// SPDX-License-Identifier: Apache-2.0
// CUPTI's own thread: it waits until buffers are complete and hands them to the client.
#pragma once

#include <cupti.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/simulated_gpu/cupti/buffer.h"

namespace simgpu::cupti {

// Full buffers arrive by Take and are delivered once complete. Lives for ever: exit() must not meet
// a destructor of what this thread waits on.
class Worker {
 public:
  static Worker& Get();

  void Take(std::unique_ptr<Buffer> buffer);

  // Delivers what waits here, all of it or what is complete, and returns when the client has it.
  // False when called on this thread itself.
  bool Flush(bool forced);

  void Complete(uint64_t operation, uint64_t start_ns, uint64_t end_ns);

  // Deliver only every so many milliseconds; 0 as soon as complete.
  void SetPeriod(uint32_t milliseconds);

  // Forgets what waits, undelivered.
  void Drop();

  bool IsThisThread() const;

 private:
  struct Item {
    uint64_t number;
    std::unique_ptr<Buffer> buffer;
    bool at_once;
  };
  Worker();
  void Run();
  // The next item to deliver, or the time to look again.
  std::vector<Item>::iterator Next(uint64_t now_ns, uint64_t* wake_ns);
  bool IsUndelivered(uint64_t last_number) const;

  std::mutex mutex_;
  std::condition_variable arrived_, delivered_;
  std::vector<Item> items_;
  uint64_t numbered_ = 0;
  uint64_t delivering_ = 0;  // number of the item the client is being handed, 0 none
  uint64_t period_ns_ = 0, next_tick_ns_ = 0;
};

}  // namespace simgpu::cupti
