// SPDX-License-Identifier: Apache-2.0
// Ranges of a thread come in the order of their ends: when a module ends, all operators in it have,
// and those that no module within took are its own.
#include "model/run/module_log.h"

#include <algorithm>
#include <tuple>

#include "inject/core/domain_marks.h"

namespace syncline {
namespace {

constexpr size_t kMostPending = 1 << 16;
constexpr size_t kMostPaths = 1 << 16;

bool Follows(int64_t sequence, int64_t last) { return sequence == last || sequence == last + 1; }

}  // namespace

bool ModuleLog::IsKnown(const Stream& stream) {
  any_ = any_ || (stream.marks() & kDomainOfModules) != 0;
  return any_;
}

bool ModuleLog::TakeRoom() {
  if (*room_ == 0) return ++left_out_, false;
  --*room_;
  return true;
}

uint32_t ModuleLog::PathOf(const RangeEvent& event) {
  const auto [known, is_new] =
      path_numbers_.try_emplace(event.attributes->payload, static_cast<uint32_t>(paths_.size()));
  if (is_new) {
    const std::string_view* const name = event.stream.Name(event.record.head.id);
    paths_.push_back({std::string(name == nullptr ? "(name lost)" : *name), ""});
    source_ = event.record.source;
    if (const DomainEntry* domain = event.stream.Domain(event.record.domain))
      domain_ = domain->name;
  }
  Path& path = paths_[known->second];
  const std::string_view* const of_class = event.stream.Name(event.attributes->arguments);
  if (of_class != nullptr && path.of_class != *of_class) path.of_class = *of_class;
  return known->second;
}

void ModuleLog::Keep(const RangeEvent& event, uint64_t end) {
  if (event.attributes == nullptr) return;
  if (paths_.size() >= kMostPaths) return void(++left_out_);  // more than a process makes
  if (!TakeRoom()) return;
  const uint32_t path = PathOf(event);
  const uint32_t tid = event.stream.tid();
  const uint64_t begin = event.record.begin;
  threads_[tid].spans.push_back({begin, end, path, kNoModule});
  if (event.attributes->forward_thread != 0) tids_[event.attributes->forward_thread] = tid;
  Draft& draft = drafts_[tid];
  const auto own =
      std::find_if(draft.pending.rbegin(), draft.pending.rend(), [&](const Pending& pending) {
        return pending.begin < begin;
      }).base();
  Count(own, draft.pending.end(), path, &draft.counted);
  draft.pending.erase(own, draft.pending.end());
  ++draft.ended;
}

void ModuleLog::OnModule(const RangeEvent& event) {
  any_ = true;
  Keep(event, event.record.end);
}

void ModuleLog::OnOpenModule(const RangeEvent& event) {
  any_ = true;
  Keep(event, UINT64_MAX);
}

// Numbers that follow each other, with no module between.
void ModuleLog::Count(std::vector<Pending>::iterator begin, std::vector<Pending>::iterator end,
                      uint32_t path, std::vector<Counted>* counted) {
  std::sort(begin, end, [](const Pending& a, const Pending& b) {
    return std::tie(a.ended_before, a.sequence, a.begin) <
           std::tie(b.ended_before, b.sequence, b.begin);
  });
  const Pending* last = nullptr;
  for (auto at = begin; at != end; ++at) {
    if (last != nullptr && last->ended_before == at->ended_before &&
        Follows(at->sequence, last->sequence)) {
      counted->back().last = at->sequence;
    } else {
      counted->push_back({at->sequence, at->sequence, at->begin, path});
    }
    last = &*at;
  }
}

void ModuleLog::OnOperator(const RangeEvent& event) {
  if (event.attributes == nullptr || !IsKnown(event.stream)) return;
  const auto sequence = static_cast<int64_t>(event.attributes->payload);
  if (sequence < 0) return;
  const RangeRecord& record = event.record;
  Draft& draft = drafts_[event.stream.tid()];
  if (event.attributes->forward_thread == 0) {
    if (draft.pending.size() == kMostPending)
      draft.pending.erase(draft.pending.begin(), draft.pending.begin() + kMostPending / 2);
    draft.pending.push_back({sequence, record.begin, draft.ended});
    return;
  }
  std::vector<Backward>& all = draft.backward;
  const auto repeats = [&](const Backward& one) {
    return one.begin >= record.begin && one.sequence == sequence &&
           one.forward_thread == event.attributes->forward_thread;
  };
  // Within this one. Of another number: a backward operator that goes back itself (a checkpoint).
  while (!all.empty() && repeats(all.back())) {
    all.pop_back();
    ++*room_;
  }
  if (TakeRoom())
    all.push_back({record.begin, record.end, sequence, event.attributes->forward_thread});
}

void ModuleLog::OnCall(Stream& stream, const CallRecord& call) {
  if ((call.head.flags & kInnerCall) != 0 || call.correlation == 0 ||
      !GivesWork(RoleOf(call.role)) || !IsKnown(stream) || !TakeRoom())
    return;
  launches_[call.source].push_back({call.begin, stream.tid(), call.correlation});
}

// kNoModule: none, or it is not known which.
uint32_t ModuleLog::PathCounting(uint32_t forward_thread, int64_t sequence) const {
  const auto tid = tids_.find(forward_thread);
  const auto draft = tid == tids_.end() ? drafts_.end() : drafts_.find(tid->second);
  if (draft == drafts_.end()) return kNoModule;
  const std::vector<Counted>& all = draft->second.counted;
  const auto behind =
      std::upper_bound(all.begin(), all.end(), sequence,
                       [](int64_t wanted, const Counted& one) { return wanted < one.first; });
  if (behind == all.begin() || (behind - 1)->last < sequence) return kNoModule;
  return (behind - 1)->path;
}

void ModuleLog::AddBackward() {
  // An operator that makes nothing to go back through has the number of the next one that does: of
  // those with one number the last counts.
  for (auto& [tid, draft] : drafts_) {
    std::sort(draft.counted.begin(), draft.counted.end(), [](const Counted& a, const Counted& b) {
      return std::tie(a.first, a.begin) < std::tie(b.first, b.begin);
    });
  }
  for (const auto& [tid, draft] : drafts_) {
    Thread* thread = nullptr;
    for (const Backward& one : draft.backward) {
      const uint32_t path = PathCounting(one.forward_thread, one.sequence);
      if (path == kNoModule) continue;
      if (thread == nullptr) {
        thread = &threads_[tid];
        thread->backward.resize(thread->spans.size());
      }
      thread->spans.push_back({one.begin, one.end, path, kNoModule});
      thread->backward.push_back(true);
    }
  }
}

void ModuleLog::Nest(Thread* thread) {
  thread->backward.resize(thread->spans.size());
  std::vector<uint32_t> order(thread->spans.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const ModuleSpan &one = thread->spans[a], &other = thread->spans[b];
    return std::tie(one.begin, other.end) < std::tie(other.begin, one.end);
  });
  Thread sorted;
  uint32_t around = kNoModule;
  for (const uint32_t i : order) {
    ModuleSpan span = thread->spans[i];
    while (around != kNoModule && sorted.spans[around].end < span.end)
      around = sorted.spans[around].around;
    span.around = around;
    around = static_cast<uint32_t>(sorted.spans.size());
    sorted.spans.push_back(span);
    sorted.backward.push_back(thread->backward[i]);
  }
  *thread = std::move(sorted);
}

void ModuleLog::Finish() {
  AddBackward();
  drafts_.clear();
  for (auto& [tid, thread] : threads_) Nest(&thread);
  for (const auto& [source, launches] : launches_) {
    auto& all = launched_[source];
    for (const Launch& launch : launches) {
      const Path* const path = At(launch.tid, launch.begin);
      if (path != nullptr)
        all.emplace_back(launch.correlation, static_cast<uint32_t>(path - paths_.data()));
    }
    std::sort(all.begin(), all.end());
  }
  launches_.clear();
}

const ModuleLog::Path* ModuleLog::At(uint32_t tid, uint64_t ticks) const {
  const auto thread = threads_.find(tid);
  if (thread == threads_.end()) return nullptr;
  const std::vector<ModuleSpan>& spans = thread->second.spans;
  const auto behind =
      std::upper_bound(spans.begin(), spans.end(), ticks,
                       [](uint64_t at, const ModuleSpan& span) { return at < span.begin; });
  auto index = static_cast<uint32_t>(behind - spans.begin()) - 1;  // kNoModule: all are later
  while (index != kNoModule && spans[index].end < ticks) index = spans[index].around;
  return index == kNoModule ? nullptr : &paths_[spans[index].path];
}

const ModuleLog::Path* ModuleLog::OfLaunch(Source source, uint32_t correlation) const {
  const auto all = launched_.find(source);
  if (all == launched_.end()) return nullptr;
  const auto found = std::lower_bound(all->second.begin(), all->second.end(),
                                      std::pair<uint32_t, uint32_t>(correlation, 0));
  return found == all->second.end() || found->first != correlation ? nullptr
                                                                   : &paths_[found->second];
}

}  // namespace syncline
