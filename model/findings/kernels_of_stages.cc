// SPDX-License-Identifier: Apache-2.0
// Lists by number; those of another rank are brought to the numbers here first.
#include "model/findings/kernels_of_stages.h"

#include <algorithm>

#include "base/stable_sort.h"
#include "model/findings/fold_names.h"

namespace syncline {
namespace {

using NumberedKernel = std::pair<uint32_t, StageKernel>;

bool HasLowerNumber(const NumberedKernel& a, const NumberedKernel& b) { return a.first < b.first; }

}  // namespace

void LaunchSums::Add(const LaunchSums& other) {
  launches += other.launches;
  device_ns += other.device_ns;
  cpu_ns += other.cpu_ns;
}

void StageKernel::Add(const StageKernel& other) {
  all.Add(other.all);
  own.Add(other.own);
}

uint32_t KernelsOfStages::NumberOf(const OpKey& kernel) {
  return numbers_.try_emplace(kernel, static_cast<uint32_t>(numbers_.size())).first->second;
}

// One walk over both, and mostly all are there.
void KernelList::Add(const KernelList& other) {
  const size_t size = kernels.size();
  size_t at = 0;
  for (const auto& [number, sums] : other.kernels) {
    while (at < size && kernels[at].first < number) ++at;
    if (at < size && kernels[at].first == number) {
      kernels[at].second.Add(sums);
    } else {
      kernels.emplace_back(number, sums);
    }
  }
  std::inplace_merge(kernels.begin(), kernels.begin() + static_cast<ptrdiff_t>(size), kernels.end(),
                     HasLowerNumber);
}

void KernelsOfStages::Add(const RangeKey& stage, KernelList list) {
  if (!std::is_sorted(list.kernels.begin(), list.kernels.end(), HasLowerNumber))
    StableSort(&list.kernels, HasLowerNumber);
  KernelList& sums = stages_[stage];
  if (sums.kernels.empty()) {
    sums = std::move(list);
  } else {
    sums.Add(list);
  }
}

void KernelsOfStages::Add(KernelsOfStages&& other) {
  std::vector<uint32_t> numbers(other.numbers_.size());
  for (const auto& [kernel, number] : other.numbers_) numbers[number] = NumberOf(kernel);
  for (auto& [stage, list] : other.stages_) {
    for (auto& [number, sums] : list.kernels) number = numbers[number];
    Add(stage, std::move(list));
  }
}

void KernelsOfStages::FoldNames() { FoldInto(&stages_, &RangeKey::name); }

std::map<RangeKey, std::map<OpKey, StageKernel>> KernelsOfStages::ByName() const {
  std::vector<const OpKey*> names(numbers_.size());
  for (const auto& [kernel, number] : numbers_) names[number] = &kernel;
  std::map<RangeKey, std::map<OpKey, StageKernel>> stages;
  for (const auto& [stage, list] : stages_) {
    for (const auto& [number, sums] : list.kernels) stages[stage][*names[number]].Add(sums);
  }
  return stages;
}

}  // namespace syncline
