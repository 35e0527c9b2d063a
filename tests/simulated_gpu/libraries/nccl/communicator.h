// SPDX-License-Identifier: Apache-2.0
// One rank's communicator: how it is made, the kernels it has under way, and how it ends.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tests/simulated_gpu/libraries/nccl/exchange.h"
#include "tests/simulated_gpu/libraries/nccl/segment.h"

namespace simgpu::nccl {

// It has one thread, which first meets the other ranks and then does the kernels' part that waits
// for them, one kernel after the other in the order of their submission.
class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  // Sets segment, rank and ranks by Join; runs on the communicator's thread.
  using Making = std::function<Result(Communicator*)>;
  static std::shared_ptr<Communicator> Start(int device, bool blocking, Making making);

  // For `making`: takes the segment and waits until all ranks have.
  Result Join(const SegmentName& name, int rank, int ranks);
  Result AwaitMade();

  // Under the engine lock.
  void Submitted(uint64_t run, std::shared_ptr<const Batch> batch);
  void Ready(uint64_t run, const Arrival& arrival);

  void AwaitDrained();  // until no kernel is under way
  void Finalize();      // kInProgress until then
  void Abort();         // kernels that wait for others end
  void Close();         // the thread ends when no kernel is under way
  // What ncclCommGetAsyncError answers.
  Result state();

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int device() const { return device_; }
  bool blocking() const { return blocking_; }
  uint64_t number() const { return number_; }
  const std::shared_ptr<Segment>& segment() const { return segment_; }
  const std::atomic<bool>& stopped() const { return stop_; }

  // Communicators are made from this one in the order of the calls: runs `make` when it is its
  // turn. `make` gets the count of steps in Line::making so far and advances it.
  uint64_t TakeTurn();
  Result InTurn(uint64_t turn, const std::function<Result(uint32_t* step)>& make);

  int AddFactor(const Factor& factor);  // the number of the reduction
  bool RemoveFactor(int reduction);
  std::optional<Factor> FactorOf(int reduction);

 private:
  struct Run {
    uint64_t id;
    std::shared_ptr<const Batch> batch;
    std::optional<Arrival> arrival;
  };

  Communicator(int device, bool blocking) : device_(device), blocking_(blocking) {}
  void Loop(const Making& making);
  std::optional<Run> Next();
  void Perform(const Run& run);
  void LookForTheDead();
  void SetError(Result error, const std::string& why);

  const int device_;
  const bool blocking_;
  // A communicator that answers before it is made is asked for them meanwhile.
  std::atomic<int> rank_{-1}, ranks_{0};
  std::atomic<uint64_t> number_{0};
  std::shared_ptr<Segment> segment_;
  std::atomic<bool> stop_{false};

  // A leaf: nothing is called while it is held.
  std::mutex mutex_;
  std::condition_variable changed_;
  Result made_ = kInProgress, error_ = kSuccess;
  bool closing_ = false, finalizing_ = false, working_ = false;
  std::deque<Run> runs_;
  uint64_t next_turn_ = 0, turn_ = 0;
  uint32_t making_step_ = 1;
  std::map<int, Factor> factors_;
  int next_factor_ = kReductions;

  // Of the thread.
  std::unique_ptr<Exchange> exchange_;
  uint64_t last_end_ns_ = 0, sequence_ = 0;
};

// The text of ncclGetLastError.
void SetLastError(const std::string& text);
const char* LastError();

}  // namespace simgpu::nccl
