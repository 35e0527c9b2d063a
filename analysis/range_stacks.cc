// SPDX-License-Identifier: Apache-2.0
// Each range is noted at the moments inside it.
#include "analysis/range_stacks.h"

#include <algorithm>

#include "model/findings/collective_words.h"

namespace syncline {
namespace {

const std::string kNowhere;
// Threads that are looked at for a call of another one; with more, each has only its own calls.
constexpr size_t kMostThreads = 8;

}  // namespace

MomentId RangeStacks::Ask(uint32_t tid, uint64_t at_ns) {
  of_threads_[tid].at.emplace_back(at_ns, stacks_.size());
  stacks_.emplace_back();
  where_.push_back(nullptr);
  before_.emplace_back();
  after_.emplace_back();
  return MomentId{stacks_.size() - 1};
}

void RangeStacks::OnRange(const RangeEvent& event) { Add(event, host_->Convert(event.record.end)); }

void RangeStacks::OnOpenRange(const RangeEvent& event) { Add(event, end_ns_); }

void RangeStacks::OnRangeAround(const RangeEvent& event) {
  Add(event, event.record.end == 0 ? end_ns_ : host_->Convert(event.record.end));
}

void RangeStacks::OnCall(Stream& stream, const CallRecord& call) {
  if (stream.stack() != nullptr)
    AddCall(stream, host_->Convert(call.begin), host_->Convert(call.end));
}

void RangeStacks::OnOpenCall(Stream& stream, const CallRecord& call) {
  if (stream.stack() != nullptr) AddCall(stream, host_->Convert(call.begin), end_ns_);
}

void RangeStacks::AddCall(const Stream& stream, uint64_t begin, uint64_t end) {
  const OwnFrames* path = &places_.PathOf(stream.stack());
  ForEachWithin(stream.tid(), begin, end, [&](size_t moment) { where_[moment] = path; });
  NoteBefore(stream.tid(), end, &Before::own, path);
  NoteAfter(stream.tid(), begin, path);
  if (of_threads_.contains(stream.tid())) {
    StackAt& last = last_calls_[stream.tid()];
    if (last.path != nullptr && begin >= last.at_ns)
      lines_.NoteWay(last.path, path, begin - last.at_ns);
    last = {end, path};
  }
  if (of_threads_.size() > kMostThreads || path->frames.empty()) return;
  for (const auto& thread : of_threads_) {
    if (thread.first == stream.tid()) continue;
    NoteBefore(thread.first, end, path->on_behalf ? &Before::helper : &Before::other, path);
  }
}

void RangeStacks::NoteBefore(uint32_t tid, uint64_t end, StackAt Before::*whose,
                             const OwnFrames* path) {
  const Moments* moments = MomentsOf(tid);
  if (moments == nullptr) return;
  const auto next =
      std::lower_bound(moments->at.begin(), moments->at.end(), std::pair(end, size_t{0}));
  if (next == moments->at.end()) return;
  StackAt& before = before_[next->second].*whose;
  if (end >= before.at_ns) before = {end, path};
}

// A thread's calls come in their order.
void RangeStacks::NoteAfter(uint32_t tid, uint64_t begin, const OwnFrames* path) {
  const Moments* moments = MomentsOf(tid);
  if (moments == nullptr) return;
  auto at = std::upper_bound(moments->at.begin(), moments->at.end(), std::pair(begin, SIZE_MAX));
  while (at != moments->at.begin()) {
    StackAt& after = after_[(--at)->second];
    if (after.path != nullptr && after.at_ns <= begin) return;
    after = {begin, path};
  }
}

// Where no call ended since the moment before, the last is the same.
void RangeStacks::Settle() {
  for (const auto& thread : of_threads_) {
    Before last;
    for (const auto& [at, moment] : MomentsOf(thread.first)->at) {
      Before& before = before_[moment];
      for (StackAt Before::*const whose : {&Before::own, &Before::helper, &Before::other}) {
        if ((before.*whose).path == nullptr) before.*whose = last.*whose;
      }
      last = before;
    }
  }
  settled_ = true;
}

RangeStacks::Moments* RangeStacks::MomentsOf(uint32_t tid) {
  const auto thread = of_threads_.find(tid);
  if (thread == of_threads_.end()) return nullptr;
  Moments& moments = thread->second;
  if (!moments.sorted) std::sort(moments.at.begin(), moments.at.end());
  moments.sorted = true;
  return &moments;
}

template <typename Note>
void RangeStacks::ForEachWithin(uint32_t tid, uint64_t begin, uint64_t end, const Note& note) {
  const Moments* moments = MomentsOf(tid);
  if (moments == nullptr) return;
  auto at = std::lower_bound(moments->at.begin(), moments->at.end(), std::pair(begin, size_t{0}));
  for (; at != moments->at.end() && at->first <= end; ++at) note(at->second);
}

void RangeStacks::Add(const RangeEvent& event, uint64_t end) {
  const uint64_t begin = host_->Convert(event.record.begin);
  ForEachWithin(event.stream.tid(), begin, end, [&](size_t moment) {
    const DomainEntry* const domain = event.stream.Domain(event.record.domain);
    const std::string_view* name = event.stream.Name(event.record.head.id);
    const std::string_view text = name == nullptr ? std::string_view("(no name)") : *name;
    if (IsOfLibraryCall(FactsOfSource(event.record.source).name,
                        domain == nullptr ? std::string_view() : domain->name, text))
      return;
    stacks_[moment].emplace_back(begin, event.record.depth, std::string(text));
  });
}

const std::string& RangeStacks::WhereOf(MomentId moment) const {
  if (moment == MomentId::kNotAsked) return kNowhere;
  const OwnFrames* const path = where_[static_cast<size_t>(moment)];
  return path == nullptr ? kNowhere : *path->where;
}

const std::string& RangeStacks::CallerOf(MomentId moment) const {
  if (moment == MomentId::kNotAsked) return kNowhere;
  const OwnFrames* const path = where_[static_cast<size_t>(moment)];
  return path == nullptr || path->caller == nullptr ? kNowhere : *path->caller;
}

std::string RangeStacks::StatementOf(MomentId moment) {
  if (moment == MomentId::kNotAsked) return "";
  const OwnFrames* const path = where_[static_cast<size_t>(moment)];
  return path == nullptr ? "" : lines_.StatementOf(*path);
}

LinesBetween RangeStacks::LinesAround(MomentId moment, uint64_t until_ns) {
  if (moment == MomentId::kNotAsked) return {};
  const auto [before, next] = PathsAround(moment, until_ns);
  return lines_.Between(before, next);
}

LinesBetween RangeStacks::TailAround(MomentId moment, uint64_t until_ns, uint64_t took_ns) {
  if (moment == MomentId::kNotAsked) return {};
  const auto [before, next] = PathsAround(moment, until_ns);
  return lines_.TailBetween(before, next, took_ns);
}

std::pair<const OwnFrames*, const OwnFrames*> RangeStacks::PathsAround(MomentId moment,
                                                                       uint64_t until_ns) {
  if (!settled_) Settle();
  const auto asked = static_cast<size_t>(moment);
  const StackAt& after = after_[asked];
  const OwnFrames* next = after.at_ns <= until_ns ? after.path : nullptr;
  const Before& before = before_[asked];
  StackAt last = before.own;
  const auto take_later = [&](const StackAt& other) {
    if (other.path != nullptr && (last.path == nullptr || other.at_ns > last.at_ns)) last = other;
  };
  take_later(before.helper);
  if (next != nullptr && next->on_behalf) take_later(before.other);
  return {last.path, next};
}

std::string RangeStacks::StackOf(MomentId moment) {
  if (moment == MomentId::kNotAsked) return "";
  std::vector<Named>& stack = stacks_[static_cast<size_t>(moment)];
  std::sort(stack.begin(), stack.end());
  std::string text;
  for (const auto& [begin, depth, name] : stack) {
    if (!text.empty()) text += " > ";
    text += name;
  }
  return text;
}

}  // namespace syncline
