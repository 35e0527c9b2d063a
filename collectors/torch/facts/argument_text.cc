// SPDX-License-Identifier: Apache-2.0
// Four lists, each with an entry for each argument: Concrete Inputs, Input type, Input Strides,
// Input Dims.
#include "collectors/torch/facts/argument_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

#include "collectors/torch/facts/argument_values.h"

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

std::string ListText(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (const int64_t value : values) {
    if (text.size() > 1) text.append(", ");
    AppendInt(&text, value);
  }
  return text + "]";
}

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
std::string ScalarText(const ArgumentValue& value) {
  std::string text;
  switch (value.kind) {
    case Argument::kInt:
      AppendInt(&text, value.values[0]);
      break;
    case Argument::kDouble:
      AppendDouble(&text, value.number);
      break;
    case Argument::kComplex:
      AppendDouble(&text, value.number);
      if (!(value.imaginary < 0)) text.push_back('+');
      AppendDouble(&text, value.imaginary);
      text.push_back('j');
      break;
    case Argument::kBool:
      return value.values[0] != 0 ? "True" : "False";
    case Argument::kNone:
      return "None";
    default:
      break;
  }
  return text;
}

// A list with a tensor that cannot be told is not told at all.
void AddTensors(const std::vector<ArgumentValue>& tensors, Lists* lists) {
  std::string dims = "[", strides = "[";
  for (const ArgumentValue& one : tensors) {
    if (one.kind == Argument::kCut) break;
    if (one.kind != Argument::kTensor) return Add("", "", "[]", "[]", lists);
    dims.append(dims.size() == 1 ? "" : ", ").append(ListText(one.values));
    strides.append(strides.size() == 1 ? "" : ", ").append(ListText(one.strides));
  }
  Add("", "TensorList", strides + "]", dims + "]", lists);
}

void AddScalars(const std::vector<ArgumentValue>& scalars, Lists* lists) {
  std::string text = "[";
  for (const ArgumentValue& one : scalars) {
    if (one.kind == Argument::kCut) break;
    const std::string of_one = ScalarText(one);
    text.append(text.size() == 1 ? "" : ", ").append(of_one.empty() ? "?" : of_one);
  }
  Add(text + "]", "ScalarList", "[]", "[]", lists);
}

void AddArgument(const ArgumentValue& value, Lists* lists) {
  switch (value.kind) {
    case Argument::kOther:
    case Argument::kNone:
    case Argument::kGroup:
      return Add("", "", "[]", "[]", lists);
    case Argument::kTensor:
      return Add("", value.type < std::size(kTypes) ? kTypes[value.type] : "",
                 ListText(value.strides), ListText(value.values), lists);
    case Argument::kTensors:
      return AddTensors(value.items, lists);
    case Argument::kManyTensors:
      return Add("", "TensorList", "[]", "[]", lists);
    case Argument::kScalars:
      return AddScalars(value.items, lists);
    case Argument::kInt:
    case Argument::kDouble:
    case Argument::kComplex:
    case Argument::kBool:
    case Argument::kSymbol:
      return Add(ScalarText(value), "Scalar", "[]", "[]", lists);
    case Argument::kCut:
      break;
  }
}

Lists ListsOf(const std::vector<ArgumentValue>& values) {
  Lists lists;
  for (const ArgumentValue& value : values) AddArgument(value, &lists);
  return lists;
}

}  // namespace

void AppendArguments(std::string_view bytes, std::string* out) {
  const std::vector<ArgumentValue> values = ReadArgumentValues(bytes);
  const Lists lists = ListsOf(values);
  out->append(", \"Concrete Inputs\": [").append(lists.concrete);
  out->append("], \"Input type\": [").append(lists.types);
  out->append("], \"Input Strides\": [").append(lists.strides);
  out->append("], \"Input Dims\": [").append(lists.dims).append("]");
  if (!values.empty() && values.back().kind == Argument::kCut)
    out->append(", \"Inputs cut\": true");
}

std::string ShapesText(std::string_view bytes) {
  return "[" + ListsOf(ReadArgumentValues(bytes)).dims + "]";
}

}  // namespace syncline::torch
