// SPDX-License-Identifier: Apache-2.0
// A column for each number; what stages launched themselves stands there where it is not all.
#include "writers/findings/stage_kernels_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "writers/findings/columns.h"
#include "writers/findings/findings_fields.h"

namespace syncline {
namespace {

struct NumberOf {
  const char* key;
  LaunchSums StageKernel::*sums;
  uint64_t LaunchSums::*number;
};
constexpr std::array<NumberOf, 6> kNumbers = {
    {{"launches", &StageKernel::all, &LaunchSums::launches},
     {"device_ns", &StageKernel::all, &LaunchSums::device_ns},
     {"cpu_ns", &StageKernel::all, &LaunchSums::cpu_ns},
     {"own_launches", &StageKernel::own, &LaunchSums::launches},
     {"own_device_ns", &StageKernel::own, &LaunchSums::device_ns},
     {"own_cpu_ns", &StageKernel::own, &LaunchSums::cpu_ns}}};
constexpr size_t kOwn = 3;  // from here on they are left out if each kernel's are as those before

uint64_t Number(const StageKernel& kernel, const NumberOf& of) {
  return kernel.*of.sums.*of.number;
}

using StageByName = std::map<OpKey, StageKernel>;

bool AllIsOwn(const StageByName& stage) {
  return std::all_of(stage.begin(), stage.end(),
                     [](const auto& kernel) { return kernel.second.own == kernel.second.all; });
}

Json ColumnsOf(const StageByName& stage, const std::map<OpKey, uint64_t>& places, Json object) {
  const size_t count = AllIsOwn(stage) ? kOwn : kNumbers.size();
  std::map<uint64_t, StageKernel> by_place;  // those that have none are one
  for (const auto& [kernel, sums] : stage) {
    const auto place = places.find(kernel);
    by_place[place == places.end() ? places.size() : place->second].Add(sums);
  }
  ColumnWriter kernels;
  std::array<ColumnWriter, kNumbers.size()> writers;
  for (const auto& [place, sums] : by_place) {
    kernels.Add(place);
    for (size_t i = 0; i < count; ++i) writers[i].Add(Number(sums, kNumbers[i]));
  }
  object["kernel"] = kernels.Take();
  for (size_t i = 0; i < count; ++i) object[kNumbers[i].key] = writers[i].Take();
  return object;
}

// `numbers`: by place. Places ascend; what comes after one that does not is damaged.
KernelList StageFrom(const JsonValue& object, const std::vector<uint32_t>& numbers) {
  KernelList stage;
  std::vector<ColumnReader> readers;
  for (const NumberOf& of : kNumbers) readers.emplace_back(object[of.key].Raw());
  const bool all_is_own = readers[kOwn].Most() == 0;
  const size_t count = all_is_own ? kOwn : kNumbers.size();
  ColumnReader kernels(object["kernel"].Raw());
  stage.kernels.reserve(kernels.Most());
  for (uint64_t place = 0, last = 0; kernels.Next(&place); last = place) {
    StageKernel sums;
    for (size_t i = 0; i < count; ++i) {
      if (!readers[i].Next(&(sums.*kNumbers[i].sums.*kNumbers[i].number))) return stage;
    }
    if (place >= numbers.size() || (place <= last && !stage.kernels.empty())) return stage;
    if (all_is_own) sums.own = sums.all;
    stage.kernels.emplace_back(numbers[place], sums);
  }
  return stage;
}

}  // namespace

Json StageKernelColumns(const RunFindings& findings) {
  std::map<OpKey, uint64_t> places;
  for (const auto& [key, sums] : findings.kernels) places.emplace(key, places.size());
  Json array = Json::array();
  for (const auto& [key, stage] : findings.stage_kernels.ByName())
    array.push_back(ColumnsOf(stage, places, ObjectOf(SumsJson, key)));
  return array;
}

Json StageKernelRows(const RunFindings& findings) {
  Json array = Json::array();
  for (const auto& [key, stage] : findings.stage_kernels.ByName()) {
    for (const auto& [kernel, sums] : stage) {
      Json object = ObjectOf(SumsJson, key);
      object["kernel"] = kernel.name;
      for (const NumberOf& of : kNumbers) object[of.key] = Number(sums, of);
      array.push_back(std::move(object));
    }
  }
  return array;
}

void TakeStageKernels(const JsonValue& document, RunFindings* findings) {
  KernelsOfStages& stages = findings->stage_kernels;
  std::vector<uint32_t> numbers;
  for (const JsonValue object : document["kernels"].Items()) {
    OpKey kernel;
    TakeObject(object, &kernel);
    numbers.push_back(stages.NumberOf(kernel));
  }
  numbers.push_back(stages.NumberOf({"", kOtherNames}));
  for (const JsonValue object : document["stage_kernels"].Items()) {
    RangeKey key;
    if (TakeObject(object, &key)) stages.Add(key, StageFrom(object, numbers));
  }
}

}  // namespace syncline
