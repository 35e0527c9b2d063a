// SPDX-License-Identifier: Apache-2.0
// Whole numbers, real ones and texts: a program's labels are of no other kinds.
#include "analysis/sums/payload_labels.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "model/spool/payload_walk.h"

namespace syncline {
namespace {

class LabelReader : public PayloadVisitor {
 public:
  void Key(std::string_view key) override { key_ = key; }
  void Unsigned(uint64_t value) override { Add(std::to_string(value)); }
  void Signed(int64_t value) override { Add(std::to_string(value)); }
  void Double(double value) override { Add(TextOfReal(value)); }
  void Text(std::string_view value) override { Add(ValidUtf8(value)); }

  std::vector<LabelText> labels;

 private:
  void Add(std::string plain) {
    std::string name = ValidUtf8(key_);
    const bool is_there = std::any_of(labels.begin(), labels.end(),
                                      [&](const LabelText& label) { return label.name == name; });
    if (!is_there) labels.push_back({std::move(name), "", std::move(plain)});
  }

  std::string key_;
};

}  // namespace

std::vector<LabelText> LabelsOfPayloads(const Stream& stream, const Payloads& payloads) {
  std::vector<LabelText> labels;
  for (const ExtendedPayload& payload : payloads) {
    LabelReader reader;
    if (WalkPayload(stream, payload, &reader) != PayloadShape::kWhole) continue;
    for (LabelText& label : reader.labels) labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace syncline
