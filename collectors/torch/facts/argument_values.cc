// SPDX-License-Identifier: Apache-2.0
// Walks over the words; nothing is taken that is not there whole.
#include "collectors/torch/facts/argument_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "collectors/torch/argument_text.h"

namespace syncline::torch {
namespace {

constexpr size_t kMostArguments = 32;
constexpr std::string_view kDimsKey = "\"Input Dims\": ";

class ValueReader {
 public:
  explicit ValueReader(std::string_view bytes) : bytes_(bytes) {}

  // False: there are no more.
  bool Next(ArgumentValue* out) {
    uint64_t head = 0;
    if (!Take(&head) || KindOf(head) == Argument::kCut) return false;
    const bool whole = Fill(head, out);
    if (!whole) *out = ArgumentValue();
    return whole;
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
    for (int64_t& value : *out) {
      uint64_t word = 0;
      Take(&word);
      value = static_cast<int64_t>(word);
    }
    return true;
  }

  bool Fill(uint64_t head, ArgumentValue* out) {
    *out = ArgumentValue();
    switch (KindOf(head)) {
      case Argument::kTensor:
        return FillTensor(head, out);
      case Argument::kTensors: {
        ArgumentValue one;
        for (uint64_t i = 0; i < CountOf(head); ++i) {
          if (!FillItem(&one)) return false;
        }
        return true;
      }
      case Argument::kScalars:
        return FillScalars(CountOf(head), out);
      case Argument::kInt:
      case Argument::kDouble:
      case Argument::kBool:
        return FillNumber(KindOf(head), out);
      case Argument::kComplex: {
        uint64_t word = 0;
        return Take(&word) && Take(&word);
      }
      case Argument::kGroup: {
        std::vector<int64_t> passed;
        return TakeAll(WordsOfGroup(head), &passed);
      }
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

  // Of a list, which holds no lists.
  bool FillItem(ArgumentValue* out) {
    uint64_t head = 0;
    return Take(&head) && KindOf(head) != Argument::kTensors &&
           KindOf(head) != Argument::kScalars && Fill(head, out);
  }

  bool FillTensor(uint64_t head, ArgumentValue* out) {
    const uint64_t dims = CountOf(head);
    if (dims > kMostDims || !TakeAll(dims, &out->values)) return false;
    if ((head & kHasStrides) != 0 && !TakeAll(dims, &out->strides)) return false;
    if (std::any_of(out->values.begin(), out->values.end(), [](int64_t size) { return size < 0; }))
      return *out = ArgumentValue(), true;
    out->kind = Argument::kTensor;
    out->type = TypeOf(head);
    return true;
  }

  // One that is no whole number makes a list of which nothing is known.
  bool FillScalars(uint64_t count, ArgumentValue* out) {
    bool known = true;
    ArgumentValue one;
    for (uint64_t i = 0; i < count; ++i) {
      if (!FillItem(&one)) return false;
      known = known && (one.kind == Argument::kInt || one.kind == Argument::kBool);
      if (known) out->values.push_back(one.values[0]);
    }
    if (!known) return *out = ArgumentValue(), true;
    out->kind = Argument::kScalars;
    return true;
  }

  bool FillNumber(Argument kind, ArgumentValue* out) {
    uint64_t word = 0;
    if (!Take(&word)) return false;
    out->kind = kind;
    if (kind == Argument::kDouble) {
      out->number = std::bit_cast<double>(word);
      return true;
    }
    out->values = {kind == Argument::kBool ? int64_t{word != 0} : static_cast<int64_t>(word)};
    out->number = static_cast<double>(out->values[0]);
    return true;
  }

  std::string_view bytes_;
};

}  // namespace

std::vector<ArgumentValue> ReadArgumentValues(std::string_view bytes) {
  ValueReader reader(bytes);
  std::vector<ArgumentValue> values;
  ArgumentValue value;
  while (values.size() < kMostArguments && reader.Next(&value)) values.push_back(value);
  return values;
}

std::string ShapesText(std::string_view bytes) {
  std::string text;
  AppendArguments(bytes, &text);
  const size_t at = text.find(kDimsKey);
  if (at == std::string::npos) return "";
  text.erase(0, at + kDimsKey.size());
  return text.substr(0, text.rfind(']') + 1);
}

}  // namespace syncline::torch
