// SPDX-License-Identifier: Apache-2.0
// Four lists, each with an entry for each argument: Concrete Inputs, Input type, Input Strides,
// Input Dims.
#include "collectors/torch/argument_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "collectors/torch/argument_words.h"

namespace syncline::torch {
namespace {

// Of c10::ScalarType, as C++ names them.
constexpr const char* kTypes[] = {
    "unsigned char",
    "signed char",
    "short int",
    "int",
    "long int",
    "c10::Half",
    "float",
    "double",
    "c10::complex<c10::Half>",
    "c10::complex<float>",
    "c10::complex<double>",
    "bool",
    "c10::qint8",
    "c10::quint8",
    "c10::qint32",
    "c10::BFloat16",
    "c10::quint4x2",
    "c10::quint2x4",
    "c10::bits1x8",
    "c10::bits2x4",
    "c10::bits4x2",
    "c10::bits8",
    "c10::bits16",
    "c10::Float8_e5m2",
    "c10::Float8_e4m3fn",
    "c10::Float8_e5m2fnuz",
    "c10::Float8_e4m3fnuz",
    "short unsigned int",
    "unsigned int",
    "long unsigned int",
    "c10::dummy_uint1_7_t<1>",
    "c10::dummy_uint1_7_t<2>",
    "c10::dummy_uint1_7_t<3>",
    "c10::dummy_uint1_7_t<4>",
    "c10::dummy_uint1_7_t<5>",
    "c10::dummy_uint1_7_t<6>",
    "c10::dummy_uint1_7_t<7>",
    "c10::dummy_int1_7_t<1>",
    "c10::dummy_int1_7_t<2>",
    "c10::dummy_int1_7_t<3>",
    "c10::dummy_int1_7_t<4>",
    "c10::dummy_int1_7_t<5>",
    "c10::dummy_int1_7_t<6>",
    "c10::dummy_int1_7_t<7>",
    "c10::Float8_e8m0fnu",
    "c10::Float4_e2m1fn_x2",
};

void AppendInt(std::string* out, int64_t value) {
  char text[24];
  out->append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// As std::ostream writes a c10::IValue: whole numbers end in a point.
void AppendDouble(std::string* out, double value) {
  constexpr double kMostWhole = 9.2e18;
  if (std::abs(value) <= kMostWhole && value == std::trunc(value)) {
    AppendInt(out, static_cast<int64_t>(value));
    return out->push_back('.');
  }
  char text[40];
  out->append(text, static_cast<size_t>(std::snprintf(text, sizeof(text), "%.17g", value)));
}

// Reads words as they come; of what is not there, zeros.
class WordReader {
 public:
  explicit WordReader(std::string_view bytes) : bytes_(bytes) {}
  bool more() const { return bytes_.size() >= sizeof(uint64_t); }
  template <typename T = uint64_t>
  T Next() {
    static_assert(sizeof(T) == sizeof(uint64_t));
    T word{};
    if (!more()) return word;
    std::memcpy(&word, bytes_.data(), sizeof(word));
    bytes_.remove_prefix(sizeof(word));
    return word;
  }
  // "[2, 3]"
  void AppendList(uint64_t count, std::string* out) {
    out->push_back('[');
    for (uint64_t i = 0; i < count && more(); ++i) {
      if (i != 0) out->append(", ");
      AppendInt(out, Next<int64_t>());
    }
    out->push_back(']');
  }

 private:
  std::string_view bytes_;
};

// Each without the brackets around it.
struct Lists {
  std::string concrete, types, strides, dims;
};

void BeginEntry(std::string* list) {
  if (!list->empty()) list->append(", ");
}

void AppendQuoted(std::string_view text, std::string* list) {
  BeginEntry(list);
  list->append("\"").append(text).append("\"");
}

void Add(std::string_view concrete, std::string_view type, std::string_view strides,
         std::string_view dims, Lists* lists) {
  AppendQuoted(concrete, &lists->concrete);
  AppendQuoted(type, &lists->types);
  BeginEntry(&lists->strides);
  lists->strides.append(strides);
  BeginEntry(&lists->dims);
  lists->dims.append(dims);
}

// The text of a scalar; what is none has none.
std::string ScalarText(uint64_t head, WordReader* words) {
  std::string text;
  switch (KindOf(head)) {
    case Argument::kInt:
      AppendInt(&text, words->Next<int64_t>());
      break;
    case Argument::kDouble:
      AppendDouble(&text, words->Next<double>());
      break;
    case Argument::kComplex: {
      AppendDouble(&text, words->Next<double>());
      const auto imaginary = words->Next<double>();
      if (!(imaginary < 0)) text.push_back('+');
      AppendDouble(&text, imaginary);
      text.push_back('j');
      break;
    }
    case Argument::kBool:
      text = words->Next() != 0 ? "True" : "False";
      break;
    case Argument::kNone:
      text = "None";
      break;
    default:
      break;
  }
  return text;
}

struct Shape {
  std::string dims = "[]", strides = "[]";
};

Shape ShapeOf(uint64_t head, WordReader* words) {
  Shape shape;
  shape.dims.clear();
  words->AppendList(CountOf(head), &shape.dims);
  if ((head & kHasStrides) == 0) return shape;
  shape.strides.clear();
  words->AppendList(CountOf(head), &shape.strides);
  return shape;
}

// A list with a tensor that cannot be told is not told at all. False: it is cut.
bool AddTensors(uint64_t count, WordReader* words, Lists* lists) {
  Shape all = {"[", "["};
  bool told = true, cut = false;
  for (uint64_t i = 0; i < count && words->more(); ++i) {
    const auto head = words->Next();
    cut = KindOf(head) == Argument::kCut;
    if (cut) break;
    told = told && KindOf(head) == Argument::kTensor;
    const Shape one = KindOf(head) == Argument::kTensor ? ShapeOf(head, words) : Shape{};
    all.dims.append(i == 0 ? "" : ", ").append(one.dims);
    all.strides.append(i == 0 ? "" : ", ").append(one.strides);
  }
  if (told) {
    Add("", "TensorList", all.strides + "]", all.dims + "]", lists);
  } else {
    Add("", "", "[]", "[]", lists);
  }
  return !cut;
}

void AddScalars(uint64_t count, WordReader* words, Lists* lists) {
  std::string text = "[";
  for (uint64_t i = 0; i < count && words->more(); ++i) {
    if (i != 0) text.append(", ");
    const std::string one = ScalarText(words->Next(), words);
    text.append(one.empty() ? "?" : one);
  }
  Add(text + "]", "ScalarList", "[]", "[]", lists);
}

// False: nothing that is known stands behind it.
bool AddArgument(uint64_t head, WordReader* words, Lists* lists) {
  switch (KindOf(head)) {
    case Argument::kOther:
    case Argument::kNone:
      Add("", "", "[]", "[]", lists);
      return true;
    case Argument::kGroup:
      for (uint64_t i = 0; i < WordsOfGroup(head); ++i) words->Next();
      Add("", "", "[]", "[]", lists);
      return true;
    case Argument::kTensor: {
      const Shape shape = ShapeOf(head, words);
      const uint64_t type = TypeOf(head);
      Add("", type < std::size(kTypes) ? kTypes[type] : "", shape.strides, shape.dims, lists);
      return true;
    }
    case Argument::kTensors:
      return AddTensors(CountOf(head), words, lists);
    case Argument::kManyTensors:
      Add("", "TensorList", "[]", "[]", lists);
      return true;
    case Argument::kScalars:
      AddScalars(CountOf(head), words, lists);
      return true;
    case Argument::kInt:
    case Argument::kDouble:
    case Argument::kComplex:
    case Argument::kBool:
    case Argument::kSymbol:
      Add(ScalarText(head, words), "Scalar", "[]", "[]", lists);
      return true;
    case Argument::kCut:
      break;
  }
  return false;
}

}  // namespace

void AppendArguments(std::string_view bytes, std::string* out) {
  WordReader words(bytes);
  Lists lists;
  bool whole = true;
  while (whole && words.more()) whole = AddArgument(words.Next(), &words, &lists);
  out->append(", \"Concrete Inputs\": [").append(lists.concrete);
  out->append("], \"Input type\": [").append(lists.types);
  out->append("], \"Input Strides\": [").append(lists.strides);
  out->append("], \"Input Dims\": [").append(lists.dims).append("]");
  if (!whole) out->append(", \"Inputs cut\": true");
}

}  // namespace syncline::torch
