// SPDX-License-Identifier: Apache-2.0
// How ranks find each other.
#include "tests/simulated_gpu/libraries/nccl/making.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace simgpu::nccl {
namespace {

// Segments of ids that this process has made and that are still open for others.
struct OpenIds {
  std::mutex mutex;
  std::set<int> descriptors;
};

OpenIds& TheOpenIds() {
  static auto& open = *new OpenIds;
  return open;
}

// All ranks have mapped it.
void CloseIfOurs(const SegmentName& name) {
  if (name.process != getpid()) return;
  std::lock_guard<std::mutex> lock(TheOpenIds().mutex);
  if (TheOpenIds().descriptors.erase(name.descriptor) != 0) Segment::Close(name);
}

Result MakeName(SegmentName* name) {
  int error = 0;
  if (Segment::Make(name, &error)) return kSuccess;
  SetLastError(std::string("no memory file could be made: ") + std::strerror(error));
  return kSystemError;
}

// One making of communicators from another one.
class Division {
 public:
  Division(Communicator* made, Communicator* parent, const std::vector<int>& participants,
           uint32_t* step)
      : made_(made),
        segment_(*parent->segment()),
        me_(parent->rank()),
        participants_(participants),
        step_(step) {}

  Result Run(int color, int key) {
    Line& mine = segment_.line(me_);
    mine.color = color;
    mine.key = key;
    if (!Meet()) return kInternalError;
    const std::vector<int> members = Members(color);
    const bool offers = color != kNoColor && members.front() == me_;
    mine.offer = SegmentName{};
    const Result offered = offers ? MakeName(&mine.offer) : kSuccess;
    if (!Meet()) return kInternalError;
    Result joined = offered;
    if (joined == kSuccess && color != kNoColor) {
      const auto place = std::find(members.begin(), members.end(), me_) - members.begin();
      joined = made_->Join(segment_.line(members.front()).offer, static_cast<int>(place),
                           static_cast<int>(members.size()));
    }
    // Nobody reads the lines after this.
    const bool met = Meet();
    if (offers && offered == kSuccess) Segment::Close(mine.offer);
    return met ? joined : kInternalError;
  }

 private:
  bool Meet() {
    const uint32_t step = ++*step_;
    segment_.line(me_).making.store(step, std::memory_order_release);
    segment_.Told();
    const auto all_there = [&] {
      for (const int rank : participants_) {
        const uint32_t theirs = segment_.line(rank).making.load(std::memory_order_acquire);
        if (static_cast<int32_t>(theirs - step) < 0) return false;
      }
      return true;
    };
    return segment_.Await(all_there, made_->stopped(), [] {});
  }

  std::vector<int> Members(int color) {
    std::vector<int> members;
    for (const int rank : participants_) {
      if (segment_.line(rank).color == color) members.push_back(rank);
    }
    std::sort(members.begin(), members.end(), [this](int a, int b) {
      return std::tuple(segment_.line(a).key, a) < std::tuple(segment_.line(b).key, b);
    });
    return members;
  }

  Communicator* const made_;
  Segment& segment_;
  const int me_;
  const std::vector<int>& participants_;
  uint32_t* const step_;
};

}  // namespace

Result MakeId(UniqueId* id) {
  SegmentName name;
  if (const Result error = MakeName(&name)) return error;
  {
    std::lock_guard<std::mutex> lock(TheOpenIds().mutex);
    TheOpenIds().descriptors.insert(name.descriptor);
  }
  static_assert(sizeof name <= sizeof id->bytes);
  std::memset(id->bytes, 0, sizeof id->bytes);
  std::memcpy(id->bytes, &name, sizeof name);
  return kSuccess;
}

std::shared_ptr<Communicator> MakeOfId(const UniqueId& id, int rank, int ranks, int device,
                                       bool blocking) {
  SegmentName name;
  std::memcpy(&name, id.bytes, sizeof name);
  return Communicator::Start(device, blocking, [=](Communicator* made) {
    const Result result = made->Join(name, rank, ranks);
    if (result == kSuccess) CloseIfOurs(name);
    return result;
  });
}

std::shared_ptr<Communicator> MakeOfParent(const std::shared_ptr<Communicator>& parent,
                                           std::vector<int> participants, int color, int key,
                                           bool blocking) {
  const uint64_t turn = parent->TakeTurn();
  return Communicator::Start(
      parent->device(), blocking, [=, participants = std::move(participants)](Communicator* made) {
        return parent->InTurn(turn, [&](uint32_t* step) {
          return Division(made, parent.get(), participants, step).Run(color, key);
        });
      });
}

}  // namespace simgpu::nccl
