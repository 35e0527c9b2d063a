// SPDX-License-Identifier: Apache-2.0
// Sends and receives: those of one batch advance together, as far as their peers have come.
#include <algorithm>
#include <cstring>

#include "tests/simulated_gpu/libraries/nccl/exchange.h"

namespace simgpu::nccl {
namespace {

constexpr size_t kMostBytes = 64 << 20;

size_t Moved(size_t bytes) { return std::min(bytes, kMostBytes); }

// At least one: the peer has to see that it is over.
uint32_t Pieces(size_t bytes) {
  return static_cast<uint32_t>(std::max<size_t>(1, (Moved(bytes) + kPairBytes - 1) / kPairBytes));
}

}  // namespace

struct Exchange::Course {
  Transfer transfer;
  Pair* pair;
  char* stage;
  Pair::Side *mine, *other;
  uint32_t number = 0;  // of the pair's transfers, once it has begun
  uint32_t pieces = 0, moved = 0;
  uint64_t bytes = 0;  // those of the sender
  bool begun = false, met = false, over = false;
};

Exchange::Course Exchange::Begin(const Transfer& transfer) {
  const int from = transfer.sends ? rank_ : transfer.peer;
  const int to = transfer.sends ? transfer.peer : rank_;
  Course course{};
  course.transfer = transfer;
  course.pair = &segment_->pair(from, to);
  course.stage = segment_->pair_stage(from, to);
  course.mine = transfer.sends ? &course.pair->sender : &course.pair->receiver;
  course.other = transfer.sends ? &course.pair->receiver : &course.pair->sender;
  return course;
}

std::optional<Meeting> Exchange::MeetPairs(const Batch& batch, const Arrival& arrival) {
  std::vector<Course> courses;
  for (const Transfer& transfer : batch.transfers) courses.push_back(Begin(transfer));
  Meeting meeting;
  meeting.Add(rank_, arrival.ready_ns, arrival.duration_ns);
  const auto all_over = [&] {
    bool over = true, moved = false;
    for (size_t i = 0; i < courses.size(); ++i) {
      // Transfers of one pair go one after the other.
      const auto before = [&](const Course& c) { return c.mine == courses[i].mine && !c.over; };
      const auto here = courses.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::none_of(courses.begin(), here, before))
        moved |= Progress(&courses[i], arrival, &meeting);
      over = over && courses[i].over;
    }
    if (moved) segment_->Told();
    return over;
  };
  if (!segment_->Await(all_over, stop_, idle_)) return std::nullopt;
  return meeting;
}

// True if it has told the peer anything.
bool Exchange::Progress(Course* course, const Arrival& arrival, Meeting* meeting) {
  if (course->over) return false;
  const Transfer& transfer = course->transfer;
  const size_t peer = static_cast<size_t>(transfer.peer);
  bool told = false;
  if (!course->begun) {
    course->begun = told = true;
    course->number = transfer.sends ? sent_[peer]++ : received_[peer]++;
    course->mine->transfer[course->number % 2] = {arrival.ready_ns, arrival.duration_ns,
                                                  transfer.bytes};
    course->mine->begun.store(course->number + 1, std::memory_order_release);
  }
  if (!course->met) {
    const uint32_t begun = course->other->begun.load(std::memory_order_acquire);
    if (static_cast<int32_t>(begun - course->number) <= 0) return told;
    const auto& theirs = course->other->transfer[course->number % 2];
    meeting->Add(transfer.peer, theirs.ready_ns, theirs.duration_ns);
    course->met = true;
    course->bytes = transfer.sends ? transfer.bytes : theirs.bytes;
    course->pieces = Pieces(course->bytes);
  }
  return (transfer.sends ? Fill(course) : Take(course)) || told;
}

bool Exchange::Fill(Course* course) {
  Pair* pair = course->pair;
  const uint32_t filled = pair->filled.load(std::memory_order_relaxed);  // only written here
  if (pair->taken.load(std::memory_order_acquire) != filled) return false;
  if (course->moved == course->pieces) {
    course->over = true;
    return false;
  }
  const size_t offset = course->moved++ * kPairBytes, all = Moved(course->bytes);
  std::memcpy(course->stage, course->transfer.buffer + offset, std::min(kPairBytes, all - offset));
  pair->filled.store(filled + 1, std::memory_order_release);
  return true;
}

bool Exchange::Take(Course* course) {
  Pair* pair = course->pair;
  const uint32_t taken = pair->taken.load(std::memory_order_relaxed);  // only written here
  if (pair->filled.load(std::memory_order_acquire) == taken) return false;
  const size_t offset = course->moved++ * kPairBytes;
  const size_t all = Moved(std::min<size_t>(course->bytes, course->transfer.bytes));
  if (offset < all)
    std::memcpy(course->transfer.buffer + offset, course->stage,
                std::min(kPairBytes, all - offset));
  pair->taken.store(taken + 1, std::memory_order_release);
  course->over = course->moved == course->pieces;
  return true;
}

}  // namespace simgpu::nccl
