// SPDX-License-Identifier: Apache-2.0
// What was done for a range waits until nothing can be around it that has its name, too.
#include "analysis/sums/stage_sums.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace syncline {
namespace {

constexpr uint32_t kFewNames = 1024;
constexpr size_t kMostInside = 64;  // of a name; only a damaged spool has more

}  // namespace

uint32_t StageSums::Thread::DepthOf(const Inside& inside) const {
  const auto since = std::partition_point(
      last.begin(), last.end(), [&](const Close& close) { return close.number <= inside.closes; });
  return since == last.end() ? inside.depth : std::min(inside.depth, since->depth);
}

void StageSums::Thread::End(uint32_t depth) {
  while (!last.empty() && last.back().depth >= depth) last.pop_back();
  last.push_back({depth, ++closes});
}

std::vector<StageSums::Inside>& StageSums::Thread::Of(uint32_t name) {
  if (name >= kFewNames) return more[name];
  if (name >= few.size()) few.resize(name + 1);
  return few[name];
}

StageSums::Thread& StageSums::ThreadOf(uint64_t stream, uint32_t tid) {
  if (thread_ != nullptr && stream_ == stream) return *thread_;
  const auto [found, added] = threads_.try_emplace(tid);
  thread_ = &found->second;
  stream_ = stream;
  if (added) thread_->work = curves_->ThreadOf(tid);
  return *thread_;
}

void StageSums::Reserve(uint32_t name) {
  if (name < sums_.size()) return;
  sums_.resize(name + size_t{1});
  kernels_.resize(name + size_t{1});
}

void StageSums::Count(uint32_t name, Inside* inside) {
  sums_[name].Add(inside->work);
  kernels_[name].Take(&inside->kernels, &room_);
}

// Mostly nothing within it launched anything: then all is its own.
void StageSums::AddNestedKernels(WorkCurves::Thread* thread, uint64_t begin_ns, uint64_t end_ns,
                                 KernelSums* sums) {
  const bool all = WorkCurves::TakeBetween(thread, begin_ns, end_ns, &tally_);
  for (const uint32_t kernel : tally_.kernels()) {
    const LaunchSums& own = tally_.Of(kernel);
    sums->Add(kernel, {all ? own : LaunchSums{}, own}, &room_);
  }
  tally_.Clear();
  if (!all) AddKernels(thread, begin_ns, end_ns, sums);
}

void StageSums::AddKernels(WorkCurves::Thread* thread, uint64_t begin_ns, uint64_t end_ns,
                           KernelSums* sums) {
  WorkCurves::TallyBetween(thread, begin_ns, end_ns, &tally_);
  for (const uint32_t kernel : tally_.kernels()) sums->Add(kernel, {tally_.Of(kernel), {}}, &room_);
  tally_.Clear();
}

// It is within another range of its name, which has all of it but what is its own.
void StageSums::KeepOwn(uint32_t name, Inside* inside) {
  for (const auto& [kernel, sums] : inside->kernels.entries())
    kernels_[name].Add(kernel, {{}, sums.own}, &room_);
  inside->kernels.Clear(&room_);
}

void StageSums::SetHelpers(const std::vector<uint32_t>& tids) {
  for (const uint32_t tid : tids) {
    WorkCurves::Thread* const thread = curves_->ThreadOf(tid);
    if (thread != nullptr) helpers_.push_back(thread);
  }
}

void StageSums::AddHelped(uint64_t stream, uint32_t tid, uint64_t begin_ns, uint64_t end_ns) {
  if (helpers_.empty()) return;
  std::vector<Spell>& helped = ThreadOf(stream, tid).helped;
  while (!helped.empty() && helped.back().begin_ns >= begin_ns) helped.pop_back();  // within this
  helped.push_back({begin_ns, end_ns});
}

StageWork StageSums::WorkOf(const Thread& thread, uint64_t begin_ns, uint64_t end_ns) {
  StageWork work = curves_->Between(thread.work, begin_ns, end_ns);
  for (auto spell = thread.helped.rbegin();
       spell != thread.helped.rend() && spell->begin_ns >= begin_ns; ++spell) {
    for (WorkCurves::Thread* helper : helpers_)
      work.Add(WorkCurves::GivenBetween(helper, spell->begin_ns, spell->end_ns));
  }
  return work;
}

void StageSums::AddAllKernels(const Thread& thread, uint64_t begin_ns, uint64_t end_ns,
                              KernelSums* sums) {
  AddNestedKernels(thread.work, begin_ns, end_ns, sums);
  for (auto spell = thread.helped.rbegin();
       spell != thread.helped.rend() && spell->begin_ns >= begin_ns; ++spell) {
    for (WorkCurves::Thread* helper : helpers_)
      AddNestedKernels(helper, spell->begin_ns, spell->end_ns, sums);
  }
}

void StageSums::AddNested(uint64_t stream, uint32_t tid, uint32_t name, uint32_t depth,
                          uint64_t begin_ns, uint64_t end_ns) {
  Thread& thread = ThreadOf(stream, tid);
  Reserve(name);
  std::vector<Inside>& insides = thread.Of(name);
  size_t kept = 0;
  for (Inside& inside : insides) {
    inside.depth = thread.DepthOf(inside);
    inside.closes = thread.closes;
    if (inside.depth == 0) {  // nothing is around it any more
      Count(name, &inside);
    } else if (inside.depth > depth && inside.begin_ns >= begin_ns) {
      KeepOwn(name, &inside);
    } else if (kept != 0 && insides[kept - 1].depth == inside.depth) {
      insides[kept - 1].work.Add(inside.work);
      insides[kept - 1].kernels.Take(&inside.kernels, &room_);
    } else {
      if (&insides[kept] != &inside) insides[kept] = std::move(inside);
      ++kept;
    }
  }
  insides.resize(kept);
  thread.End(depth);
  const StageWork work = WorkOf(thread, begin_ns, end_ns);
  const bool joins = kept != 0 && insides[kept - 1].depth == depth;
  if (depth == 0 || (!joins && kept == kMostInside)) {
    sums_[name].Add(work);
    AddAllKernels(thread, begin_ns, end_ns, &kernels_[name]);
    if (depth == 0 && thread.helped.size() >= kMostKept) thread.helped.clear();
    return;
  }
  if (!joins) insides.push_back({depth, begin_ns, thread.closes, {}, {}});
  insides.back().work.Add(work);
  insides.back().closes = thread.closes;
  AddAllKernels(thread, begin_ns, end_ns, &insides.back().kernels);
}

void StageSums::AddStarted(uint32_t tid, uint32_t name, uint64_t begin_ns, uint64_t end_ns) {
  WorkCurves::Thread* const thread = curves_->ThreadOf(tid);
  Reserve(name);
  sums_[name].Add(curves_->Between(thread, begin_ns, end_ns));
  AddKernels(thread, begin_ns, end_ns, &kernels_[name]);
  if (!helpers_.empty() && started_.size() < kMostKept)
    started_.push_back({tid, name, begin_ns, end_ns});
}

void StageSums::AddHelpOf(const Started& range) {
  const auto thread = threads_.find(range.tid);
  if (thread == threads_.end()) return;
  const std::vector<Spell>& helped = thread->second.helped;
  auto spell = std::partition_point(helped.begin(), helped.end(), [&](const Spell& before) {
    return before.end_ns <= range.begin_ns;
  });
  for (; spell != helped.end() && spell->begin_ns < range.end_ns; ++spell) {
    const uint64_t begin_ns = std::max(spell->begin_ns, range.begin_ns);
    const uint64_t end_ns = std::min(spell->end_ns, range.end_ns);
    for (WorkCurves::Thread* helper : helpers_) {
      sums_[range.name].Add(WorkCurves::GivenBetween(helper, begin_ns, end_ns));
      AddKernels(helper, begin_ns, end_ns, &kernels_[range.name]);
    }
  }
}

void StageSums::AddOpen(uint32_t name, uint64_t begin_ns, uint64_t end_ns) {
  Reserve(name);
  sums_[name].Add(curves_->Between(nullptr, begin_ns, end_ns));
}

void StageSums::CountInsides(uint32_t name, std::vector<Inside>* insides) {
  for (Inside& inside : *insides) Count(name, &inside);
  insides->clear();
}

void StageSums::Finish(size_t most) {
  for (auto& [tid, thread] : threads_) {
    for (uint32_t name = 0; name < thread.few.size(); ++name) CountInsides(name, &thread.few[name]);
    for (auto& [name, insides] : thread.more) CountInsides(name, &insides);
  }
  for (const Started& range : started_) AddHelpOf(range);
  KeepCostliest(most);
}

void StageSums::KeepCostliest(size_t most) {
  using Pair = std::tuple<uint64_t, uint32_t, uint32_t>;  // time, name, kernel
  std::vector<Pair> pairs;
  for (uint32_t name = 0; name < kernels_.size(); ++name) {
    for (const auto& [kernel, sums] : kernels_[name].entries()) {
      if (kernel != KernelSums::kOtherKernels) pairs.emplace_back(sums.all.device_ns, name, kernel);
    }
  }
  if (pairs.size() <= most) return;
  std::nth_element(pairs.begin(), pairs.begin() + static_cast<ptrdiff_t>(most), pairs.end(),
                   std::greater<>());
  const Pair least = pairs[most];
  size_t room = most;
  for (uint32_t name = 0; name < kernels_.size(); ++name) {
    const KernelSums all = std::exchange(kernels_[name], {});
    for (const auto& [kernel, sums] : all.entries()) {
      const bool kept = Pair{sums.all.device_ns, name, kernel} > least;
      kernels_[name].Add(kept ? kernel : KernelSums::kOtherKernels, sums, &room);
    }
  }
}

}  // namespace syncline
