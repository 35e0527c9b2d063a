// SPDX-License-Identifier: Apache-2.0
// The life of a communicator, and its thread.
#include "tests/simulated_gpu/libraries/nccl/communicator.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "tests/simulated_gpu/libraries/nccl/engine.h"

namespace simgpu::nccl {
namespace {

// Whether a process has ended, be it that nobody has waited for it yet.
bool IsGone(int process) {
  if (kill(process, 0) != 0) return errno == ESRCH;
  char path[48], text[512] = {};
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  (void)!read(file, text, sizeof text - 1);
  close(file);
  const char* state = std::strrchr(text, ')');  // the name before it may hold anything
  return state != nullptr && state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X');
}

uint64_t TotalBytes(const Batch& batch) {
  uint64_t bytes = 0;
  for (const CollectiveCall& call : batch.collectives) bytes += call.bytes();
  for (const Transfer& transfer : batch.transfers) bytes += transfer.bytes;
  return bytes;
}

// The program's signals are not for this thread.
void StartThread(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(std::move(body)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

struct LastErrorText {
  std::mutex mutex;
  std::string text;
};

LastErrorText& TheLastError() {
  static auto& last = *new LastErrorText;
  return last;
}

}  // namespace

void SetLastError(const std::string& text) {
  std::lock_guard<std::mutex> lock(TheLastError().mutex);
  TheLastError().text = text;
}

const char* LastError() {
  thread_local std::string text;  // the caller's copy
  std::lock_guard<std::mutex> lock(TheLastError().mutex);
  return (text = TheLastError().text).c_str();
}

std::shared_ptr<Communicator> Communicator::Start(int device, bool blocking, Making making) {
  std::shared_ptr<Communicator> made(new Communicator(device, blocking));
  StartThread([made, making = std::move(making)] { made->Loop(making); });
  return made;
}

Result Communicator::Join(const SegmentName& name, int rank, int ranks) {
  int error = 0;
  std::shared_ptr<Segment> segment = Segment::Map(name, ranks, &error);
  if (segment == nullptr) {
    SetLastError("the memory of process " + std::to_string(name.process) +
                 ", which made the communicator's id, cannot be used: " + std::strerror(error) +
                 ". All ranks have to run on one machine, and that process until all have come.");
    return kSystemError;
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    segment_ = segment;
    rank_ = rank;
    ranks_ = ranks;
    number_ = name.number;
  }
  Line& line = segment->line(rank);
  line.process = getpid();
  line.making.store(1, std::memory_order_release);
  segment->Told();
  const auto all_there = [&] {
    for (int other = 0; other < ranks; ++other) {
      if (segment->line(other).making.load(std::memory_order_acquire) == 0) return false;
    }
    return true;
  };
  if (!segment->Await(all_there, stop_, [this] { LookForTheDead(); })) return kInternalError;
  exchange_ = std::make_unique<Exchange>(segment, rank, ranks, stop_, [this] { LookForTheDead(); });
  return kSuccess;
}

Result Communicator::AwaitMade() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return made_ != kInProgress; });
  return made_;
}

void Communicator::Submitted(uint64_t run, std::shared_ptr<const Batch> batch) {
  std::lock_guard<std::mutex> lock(mutex_);
  runs_.push_back({run, std::move(batch), std::nullopt});
}

void Communicator::Ready(uint64_t run, const Arrival& arrival) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (Run& known : runs_) {
    if (known.id == run) known.arrival = arrival;
  }
  changed_.notify_all();
}

void Communicator::AwaitDrained() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return (runs_.empty() && !working_) || stop_; });
}

void Communicator::Finalize() {
  std::lock_guard<std::mutex> lock(mutex_);
  finalizing_ = true;
}

void Communicator::Abort() {
  std::shared_ptr<Segment> segment;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_.store(true, std::memory_order_release);
    segment = segment_;
    changed_.notify_all();
  }
  if (segment != nullptr) segment->Told();
}

void Communicator::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  closing_ = true;
  changed_.notify_all();
}

Result Communicator::state() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (made_ != kSuccess) return made_;
  if (error_ != kSuccess) return error_;
  return finalizing_ && (working_ || !runs_.empty()) ? kInProgress : kSuccess;
}

uint64_t Communicator::TakeTurn() {
  std::lock_guard<std::mutex> lock(mutex_);
  return next_turn_++;
}

Result Communicator::InTurn(uint64_t turn, const std::function<Result(uint32_t* step)>& make) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return turn_ == turn; });
  lock.unlock();
  const Result result = make(&making_step_);  // nobody else's turn: only this thread uses it
  lock.lock();
  ++turn_;
  changed_.notify_all();
  return result;
}

int Communicator::AddFactor(const Factor& factor) {
  std::lock_guard<std::mutex> lock(mutex_);
  factors_[next_factor_] = factor;
  return next_factor_++;
}

bool Communicator::RemoveFactor(int reduction) {
  std::lock_guard<std::mutex> lock(mutex_);
  return factors_.erase(reduction) != 0;
}

std::optional<Factor> Communicator::FactorOf(int reduction) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = factors_.find(reduction);
  return found == factors_.end() ? std::nullopt : std::optional<Factor>(found->second);
}

void Communicator::Loop(const Making& making) {
  pthread_setname_np(pthread_self(), "simgpu-nccl");
  const Result made = making(this);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    made_ = made;
    changed_.notify_all();
  }
  if (made != kSuccess) return;
  while (const std::optional<Run> run = Next()) {
    Perform(*run);
    std::lock_guard<std::mutex> lock(mutex_);
    working_ = false;
    changed_.notify_all();
  }
}

// Waits for the next kernel to begin; empty when there will be none.
std::optional<Communicator::Run> Communicator::Next() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock,
                [this] { return runs_.empty() ? closing_ : runs_.front().arrival.has_value(); });
  if (runs_.empty()) return std::nullopt;
  Run run = std::move(runs_.front());
  runs_.pop_front();
  working_ = true;
  return run;
}

void Communicator::Perform(const Run& run) {
  // Kernels of one communicator run one after the other, on whatever streams they are.
  Arrival arrival = *run.arrival;
  arrival.ready_ns = std::max(arrival.ready_ns, last_end_ns_) + LateNs(rank_);
  std::optional<Meeting> meeting;
  if (IsDead(rank_)) {
    exchange_->Hang();
  } else {
    meeting = exchange_->Perform(*run.batch, arrival);
  }
  if (meeting && meeting->mismatch)
    SetError(kInvalidUsage, "the ranks called different collectives, or with different arguments");
  CollectiveFacts facts;
  facts.communicator = number_;
  facts.sequence = ++sequence_;
  facts.rank = static_cast<uint32_t>(rank_);
  facts.ranks = static_cast<uint32_t>(ranks_);
  facts.bytes = TotalBytes(*run.batch);
  facts.aborted = !meeting;
  // What the ranks' threads take to meet is time of the device: else a program would wait for what
  // is over already.
  last_end_ns_ = std::max(meeting ? meeting->end_ns() : arrival.ready_ns, NowNs());
  facts.last_rank = static_cast<uint32_t>(meeting ? meeting->last_rank : rank());
  facts.last_ns = meeting ? meeting->last_ns : arrival.ready_ns;
  FinishRun(run.id, arrival.ready_ns, last_end_ns_, facts);
}

void Communicator::LookForTheDead() {
  for (int rank = 0; rank < ranks_; ++rank) {
    const Line& line = segment_->line(rank);
    if (line.making.load(std::memory_order_acquire) == 0 || !IsGone(line.process)) continue;
    SetError(kRemoteError, "rank " + std::to_string(rank) + " (process " +
                               std::to_string(line.process) + ") has ended");
    return;
  }
}

void Communicator::SetError(Result error, const std::string& why) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (error_ != kSuccess) return;
    error_ = error;
  }
  const std::string text = "rank " + std::to_string(rank_) + ": " + why;
  SetLastError(text);
  std::fprintf(stderr, "simulated NCCL: %s\n", text.c_str());
}

}  // namespace simgpu::nccl
