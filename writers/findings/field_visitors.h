// SPDX-License-Identifier: Apache-2.0
// What puts the fields of findings into a file, and what takes them from one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "model/findings/run_findings.h"
#include "writers/files/json_fields.h"
#include "writers/files/json_view.h"

namespace syncline {

// With the sketch's buckets, which can be merged, or with its quantiles.
Json SumsJson(const DurationSums& sums);
Json QuantilesJson(const DurationSums& sums);
using SumsWriter = Json (*)(const DurationSums&);
void TakeSums(const JsonValue& object, DurationSums* sums);
// Fields `in_steps` and its like, which are there only where something is.
void PutParts(const StepParts& parts, Json* object);
void TakeParts(const JsonValue& object, StepParts* parts);

// Numbers that are not negative and may be larger than whole ones.
std::string RealText(double value);
void TakeReal(const JsonValue& text, double* value);
Json FormatsJson(const ByFormat& numbers);  // without those that are 0
void TakeFormats(const JsonValue& object, ByFormat* numbers);

// Puts fields into an object, sums as `write` does.
class FieldWriter {
 public:
  static constexpr bool kWrites = true;
  FieldWriter(Json* object, SumsWriter write) : object_(object), write_(write) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    (*object_)[key] = value;
  }
  template <typename Enum, typename NameOf>
  void OneOf(const char* key, size_t /*count*/, const NameOf& name_of, const Enum& value) {
    (*object_)[key] = name_of(value);
  }
  // Beyond whole numbers: as text.
  void Real(const char* key, const double& value) { (*object_)[key] = RealText(value); }
  void Reals(const char* key, const ByFormat& numbers) { (*object_)[key] = FormatsJson(numbers); }
  void Sums(const DurationSums& sums) { object_->update(write_(sums)); }
  void InSteps(const StepParts& parts) { PutParts(parts, object_); }
  void Gains(const std::map<std::string, RankGain>& of_ranks) {
    Json gains = Json::object(), ahead = gains, joint = gains;  // a further key moves the others
    for (const auto& [rank, gain] : of_ranks) {
      gains[rank] = gain.gain_ns;
      if (gain.ahead_ns != 0) ahead[rank] = gain.ahead_ns;
      if (gain.joint != 0) joint[rank] = gain.joint;
    }
    (*object_)["gain_ns"] = std::move(gains);
    (*object_)["ahead_ns"] = std::move(ahead);
    (*object_)["joint"] = std::move(joint);
  }

 private:
  Json* const object_;
  const SumsWriter write_;
};

// Takes what is there and of the right type.
class FieldReader {
 public:
  static constexpr bool kWrites = false;
  explicit FieldReader(const JsonValue& object) : object_(object) {}

  template <typename T>
  void operator()(const char* key, T& value) {
    object_[key].Take(&value);
  }
  template <typename Enum, typename NameOf>
  void OneOf(const char* key, size_t count, const NameOf& name_of, Enum& value) {
    const std::string_view name = object_[key].Raw();
    for (size_t one = 0; one < count; ++one) {
      if (name != name_of(static_cast<Enum>(one))) continue;
      value = static_cast<Enum>(one);
      return;
    }
    known_ = false;
  }
  void Real(const char* key, double& value) { TakeReal(object_[key], &value); }
  void Reals(const char* key, ByFormat& numbers) { TakeFormats(object_[key], &numbers); }
  void Sums(DurationSums& sums) { TakeSums(object_, &sums); }

  // False: a name was of a kind that this build does not know, so that nothing can be told of it.
  bool known() const { return known_; }

  void InSteps(StepParts& parts) { TakeParts(object_, &parts); }
  void Gains(std::map<std::string, RankGain>& of_ranks) {
    TakeGains("gain_ns", &RankGain::gain_ns, &of_ranks);
    TakeGains("ahead_ns", &RankGain::ahead_ns, &of_ranks);
    TakeGains("joint", &RankGain::joint, &of_ranks);
  }

 private:
  template <typename Number>
  void TakeGains(const char* key, Number RankGain::*field,
                 std::map<std::string, RankGain>* of_ranks) {
    for (const JsonValue ns : object_[key].Fields()) {
      Number gain = 0;
      if (ns.Take(&gain)) (*of_ranks)[ns.Key()].*field = gain;
    }
  }

  const JsonValue object_;
  bool known_ = true;
};

template <typename Visitor, typename T>
using FieldsOf = std::conditional_t<Visitor::kWrites, const T, T>;

}  // namespace syncline
