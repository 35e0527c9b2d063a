// SPDX-License-Identifier: Apache-2.0
// Sums up to each launch, and by kernel those of spells: a long range is a few of these and the
// launches at its ends.
#include "analysis/sums/launch_curve.h"

#include <algorithm>

#include "base/gallop_search.h"

namespace syncline {
namespace {

constexpr size_t kLaunchesOfSpell = 256;
constexpr size_t kSpellsOfSpell = 16;

}  // namespace

void LaunchCurve::Finish(size_t every) {
  const auto before = [](const Launch& a, const Launch& b) { return a.begin_ns < b.begin_ns; };
  if (!std::is_sorted(launches_.begin(), launches_.end(), before))
    std::stable_sort(launches_.begin(), launches_.end(), before);
  every_ = every;
  count_ = launches_.size();
  size_t kept = 0;
  for (size_t i = 0; i < count_; ++i) {
    Launch launch = launches_[i];
    const uint64_t ran_ns = launch.device_ns;
    launch.device_ns = device_ns_;
    launch.next = static_cast<uint32_t>(kept);
    if (i % every == 0) launches_[kept++] = launch;
    device_ns_ += ran_ns;
  }
  launches_.resize(kept);
  if (every_ == 1) return SumSpells();  // room that was never written is no memory
  launches_.shrink_to_fit();
}

void LaunchCurve::SumSpells() {
  levels_.push_back(SpellsOf(
      launches_.size(), kLaunchesOfSpell,
      [this](size_t from, size_t to, KernelTally* tally) { TallyLaunches(from, to, tally); }));
  for (size_t count = levels_[0].begins.size() - 1; count > kSpellsOfSpell;) {
    const size_t level = levels_.size() - 1;
    levels_.push_back(
        SpellsOf(count, kSpellsOfSpell, [this, level](size_t from, size_t to, KernelTally* tally) {
          TallySpells(level, from, to, tally);
        }));
    count = levels_.back().begins.size() - 1;
  }
}

// Whole ones only.
template <typename TallyOne>
LaunchCurve::Spells LaunchCurve::SpellsOf(size_t count, size_t each,
                                          const TallyOne& tally_one) const {
  Spells spells;
  KernelTally tally;
  for (size_t from = 0; from + each <= count; from += each) {
    tally_one(from, from + each, &tally);
    for (const uint32_t kernel : tally.kernels())
      spells.sums.emplace_back(kernel, tally.Of(kernel));
    spells.begins.push_back(static_cast<uint32_t>(spells.sums.size()));
    tally.Clear();
  }
  return spells;
}

uint64_t LaunchCurve::bytes() const {
  uint64_t bytes = launches_.size() * sizeof(Launch);
  for (const Spells& spells : levels_)
    bytes += spells.sums.size() * sizeof(spells.sums[0]) + spells.begins.size() * sizeof(uint32_t);
  return bytes;
}

LaunchSums LaunchCurve::SumsOf(size_t launch) const {
  const uint64_t after =
      launch + 1 == launches_.size() ? device_ns_ : launches_[launch + 1].device_ns;
  return {1, after - launches_[launch].device_ns, launches_[launch].cpu_ns};
}

void LaunchCurve::TallyLaunches(size_t from, size_t to, KernelTally* tally) const {
  for (size_t i = from; i < to; ++i) {
    if (launches_[i].kernel != kNoKernel) tally->Add(launches_[i].kernel, SumsOf(i));
  }
}

// The part that is whole spells of the next level is theirs.
void LaunchCurve::TallySpells(size_t level, size_t from, size_t to, KernelTally* tally) const {
  const auto tally_own = [&](size_t first, size_t last) {
    const Spells& spells = levels_[level];
    for (size_t i = spells.begins[first]; i < spells.begins[last]; ++i)
      tally->Add(spells.sums[i].first, spells.sums[i].second);
  };
  const size_t first = (from + kSpellsOfSpell - 1) / kSpellsOfSpell, last = to / kSpellsOfSpell;
  if (level + 1 >= levels_.size() || first >= last) return tally_own(from, to);
  tally_own(from, first * kSpellsOfSpell);
  TallySpells(level + 1, first, last, tally);
  tally_own(last * kSpellsOfSpell, to);
}

// Each range asks several times.
std::pair<size_t, size_t> LaunchCurve::Places(uint64_t begin_ns, uint64_t end_ns) {
  if (begin_ns == asked_.begin_ns && end_ns == asked_.end_ns) return {asked_.from, asked_.to};
  const auto place = [this](uint64_t ns, size_t near) {
    return PlaceNear(launches_.size(), near, [&](size_t i) { return launches_[i].begin_ns < ns; });
  };
  const size_t to = place(end_ns, asked_.to);
  asked_ = {begin_ns, end_ns, place(begin_ns, to), to};
  return {asked_.from, to};
}

void LaunchCurve::CountBetween(uint64_t begin_ns, uint64_t end_ns, StageWork* work) {
  const auto [from, to] = Places(begin_ns, end_ns);
  const auto time = [this](size_t at) {
    return at == launches_.size() ? device_ns_ : launches_[at].device_ns;
  };
  work->launched = std::min(to * every_, count_) - std::min(from * every_, count_);
  work->device_ns = time(to) - time(from);
}

void LaunchCurve::TallyBetween(uint64_t begin_ns, uint64_t end_ns, KernelTally* tally) {
  if (levels_.empty()) return;
  const auto [from, to] = Places(begin_ns, end_ns);
  const size_t first = (from + kLaunchesOfSpell - 1) / kLaunchesOfSpell,
               last = to / kLaunchesOfSpell;
  if (first >= last) return TallyLaunches(from, to, tally);
  TallyLaunches(from, first * kLaunchesOfSpell, tally);
  TallySpells(0, first, last, tally);
  TallyLaunches(last * kLaunchesOfSpell, to, tally);
}

// What lies behind a taken one is found by ways that each question halves.
size_t LaunchCurve::Untaken(size_t launch) {
  while (launch < launches_.size() && launches_[launch].next != launch) {
    uint32_t& next = launches_[launch].next;
    if (next < launches_.size()) next = launches_[next].next;
    launch = next;
  }
  return launch;
}

bool LaunchCurve::TakeBetween(uint64_t begin_ns, uint64_t end_ns, KernelTally* tally) {
  if (levels_.empty()) return true;
  const auto [from, to] = Places(begin_ns, end_ns);
  size_t taken = 0;
  for (size_t i = Untaken(from); i < to; i = Untaken(i)) {
    TallyLaunches(i, i + 1, tally);
    launches_[i].next = static_cast<uint32_t>(i + 1);
    ++taken;
  }
  return from + taken == to;
}

}  // namespace syncline
