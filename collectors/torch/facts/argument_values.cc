// SPDX-License-Identifier: Apache-2.0
// Walks over the words; nothing is taken that is not there whole.
#include "collectors/torch/facts/argument_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace syncline::torch {
namespace {

bool IsList(Argument kind) { return kind == Argument::kTensors || kind == Argument::kScalars; }

class ValueReader {
 public:
  explicit ValueReader(std::string_view bytes) : bytes_(bytes) {}

  // So many, or all that there are. False: the last one is kCut.
  bool Read(uint64_t count, bool in_list, std::vector<ArgumentValue>* out) {
    for (uint64_t i = 0; i < count && (in_list || !bytes_.empty()); ++i) {
      ArgumentValue value;
      uint64_t head;
      const bool is_there = Take(&head) && !(in_list && IsList(KindOf(head)));
      const bool whole = is_there && Fill(head, &value);
      if (is_there && (whole || IsList(value.kind))) out->push_back(std::move(value));
      if (whole) continue;
      out->push_back({Argument::kCut});
      return false;
    }
    return true;
  }

 private:
  bool Take(uint64_t* word) {
    if (bytes_.size() < sizeof(*word)) return false;
    std::memcpy(word, bytes_.data(), sizeof(*word));
    bytes_.remove_prefix(sizeof(*word));
    return true;
  }

  bool TakeAll(uint64_t count, std::vector<int64_t>* out) {
    if (bytes_.size() / sizeof(uint64_t) < count) return false;
    out->resize(count);
    if (count != 0) std::memcpy(out->data(), bytes_.data(), count * sizeof(uint64_t));
    bytes_.remove_prefix(count * sizeof(uint64_t));
    return true;
  }

  bool TakeDouble(double* out) {
    uint64_t word;
    if (!Take(&word)) return false;
    *out = std::bit_cast<double>(word);
    return true;
  }

  bool Fill(uint64_t head, ArgumentValue* out) {
    out->kind = KindOf(head);
    switch (out->kind) {
      case Argument::kTensor:
        out->type = TypeOf(head);
        return CountOf(head) <= kMostDims && TakeAll(CountOf(head), &out->values) &&
               ((head & kHasStrides) == 0 || TakeAll(CountOf(head), &out->strides));
      case Argument::kTensors:
        return Read(CountOf(head), true, &out->items);
      case Argument::kScalars:
        return FillScalars(CountOf(head), out);
      case Argument::kInt:
      case Argument::kBool:
        if (!TakeAll(1, &out->values)) return false;
        if (out->kind == Argument::kBool) out->values[0] = out->values[0] != 0 ? 1 : 0;
        out->number = static_cast<double>(out->values[0]);
        return true;
      case Argument::kDouble:
        return TakeDouble(&out->number);
      case Argument::kComplex:
        return TakeDouble(&out->number) && TakeDouble(&out->imaginary);
      case Argument::kGroup:
        return FillGroup(head, out);
      case Argument::kOther:
      case Argument::kNone:
      case Argument::kSymbol:
      case Argument::kManyTensors:
        return true;
      case Argument::kCut:
        break;
    }
    return false;
  }

  bool FillScalars(uint64_t count, ArgumentValue* out) {
    const bool whole = Read(count, true, &out->items);
    for (const ArgumentValue& item : out->items) {
      if (item.kind != Argument::kInt && item.kind != Argument::kBool)
        return out->values.clear(), whole;
      out->values.push_back(item.values[0]);
    }
    return whole;
  }

  bool FillGroup(uint64_t head, ArgumentValue* out) {
    uint64_t ranks;
    const size_t bytes = (WordsOfGroup(head) - 1) * sizeof(uint64_t);
    if (!Take(&ranks) || bytes_.size() < bytes) return false;
    out->group_rank = static_cast<uint32_t>(ranks);
    out->ranks = static_cast<uint32_t>(ranks >> 32);
    out->group.assign(bytes_.substr(0, CountOf(head)));
    bytes_.remove_prefix(bytes);
    return true;
  }

  std::string_view bytes_;
};

}  // namespace

std::vector<ArgumentValue> ReadArgumentValues(std::string_view bytes) {
  std::vector<ArgumentValue> values;
  ValueReader(bytes).Read(UINT64_MAX, false, &values);
  return values;
}

}  // namespace syncline::torch
