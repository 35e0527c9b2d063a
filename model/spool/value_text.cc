// SPDX-License-Identifier: Apache-2.0
// One way through the words, from head to head.
#include "model/spool/value_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/utf8.h"
#include "inject/core/array_reader.h"
#include "inject/core/value_words.h"

namespace syncline {

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const Utf8Char next = NextChar(text);
    if (next.code == kNoChar) {
      valid.append("\xef\xbf\xbd");
    } else {
      valid.append(text.substr(0, next.bytes));
    }
    text.remove_prefix(next.bytes);
  }
  return valid;
}

std::string TextOfReal(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  std::string number(text, end);
  if (std::isfinite(value) && number.find_first_of(".e") == std::string::npos) number += ".0";
  return number;
}

namespace {

constexpr int kMostNested = 12;  // each of four lists may be of a class of its own

void AppendJsonText(std::string* out, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  out->push_back('"');
  for (const char c : ValidUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out->push_back('\\');
    if (byte < 0x20 || byte == 0x7f) {
      out->append("\\u00").push_back(kDigits[byte >> 4]);
      out->push_back(kDigits[byte & 15]);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

struct ArrayText {
  std::string dtype;    // "float32"
  std::string device;   // "cuda:0"
  std::string shape{};  // "[2, 3]"
};

class Values {
 public:
  explicit Values(std::string_view bytes) : bytes_(bytes) {
    // The last of so many only says that there are more.
    if (bytes.size() == kMostValueWords * sizeof(uint64_t)) {
      bytes_.remove_suffix(sizeof(uint64_t));
      is_cut_ = true;
    }
  }

  bool Next(uint64_t* word) {
    if (bytes_.size() < sizeof(*word)) return ran_out_ = true, false;
    std::memcpy(word, bytes_.data(), sizeof(*word));
    bytes_.remove_prefix(sizeof(*word));
    return true;
  }

  // Of a head that counts its bytes.
  bool Text(uint64_t head, std::string* out) {
    const size_t bytes = CountOfValue(head);
    const size_t room = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    if (room < bytes || room > bytes_.size()) return ran_out_ = true, false;
    out->assign(bytes_.substr(0, bytes));
    bytes_.remove_prefix(room);
    return true;
  }

  // A value as JSON, behind `out`; its form behind `form`. False: there is no whole one.
  bool Value(std::string* out, std::string* form, int depth = 0) {
    uint64_t head;
    return Next(&head) && Of(head, out, form, depth);
  }

  bool Of(uint64_t head, std::string* out, std::string* form, int depth) {
    form->push_back(static_cast<char>('a' + (head & 31)));
    switch (KindOfValue(head)) {
      case ValueForm::kNone:
        out->append("null");
        return true;
      case ValueForm::kBool:
        out->append(CountOfValue(head) != 0 ? "true" : "false");
        form->append(CountOfValue(head) != 0 ? "1" : "0");
        return true;
      case ValueForm::kInt:
      case ValueForm::kFloat:
        return Number(head, out);
      case ValueForm::kText:
        return TextValue(head, out);
      case ValueForm::kList:
        return Items("list", head, false, out, form, depth);
      case ValueForm::kTuple:
        return Items("tuple", head, false, out, form, depth);
      case ValueForm::kDict:
        return Items("dict", head, true, out, form, depth);
      case ValueForm::kArray:
        return Array(head, out, form);
      case ValueForm::kOther:
        return Other(head, out, form);
      case ValueForm::kClass:
        return OfClass(head, out, form, depth);
      case ValueForm::kArrayType:
      case ValueForm::kArrayDevice:
        return ArrayWord(head, out, form);
      default:
        return false;
    }
  }

  bool is_cut() const { return is_cut_ && ran_out_; }

  // Behind the head of an array.
  bool ArrayOf(uint64_t head, ArrayText* out) {
    uint64_t text, number, size;
    if (CountOfValue(head) > kMostArrayDims || !Next(&text) || !Text(text, &out->dtype) ||
        !Next(&text) || !Text(text, &out->device) || !Next(&number))
      return false;
    out->device = Numbered(out->device, static_cast<int64_t>(number));
    for (uint32_t i = 0; i < CountOfValue(head); ++i) {
      if (!Next(&size)) return false;
      out->shape.append(i == 0 ? "" : ", ").append(std::to_string(static_cast<int64_t>(size)));
    }
    out->shape = "[" + out->shape + "]";
    return true;
  }

 private:
  static std::string Numbered(const std::string& device, int64_t number) {
    return number < 0 ? device : device + ":" + std::to_string(number);
  }

  bool Number(uint64_t head, std::string* out) {
    uint64_t bits;
    if (!Next(&bits)) return false;
    if (KindOfValue(head) == ValueForm::kInt) {
      out->append(std::to_string(static_cast<int64_t>(bits)));
      return true;
    }
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    const std::string number = TextOfReal(value);
    out->append(std::isfinite(value) ? number : "{\"float\": \"" + number + "\"}");
    return true;
  }

  bool TextValue(uint64_t head, std::string* out) {
    std::string text;
    if (!Text(head, &text)) return false;
    const bool is_cut = (head & kCutValue) != 0;
    if (is_cut) out->append("{\"text\": ");
    AppendJsonText(out, text);
    if (is_cut) out->append(", \"cut\": true}");
    return true;
  }

  bool Items(const char* kind, uint64_t head, bool pairs, std::string* out, std::string* form,
             int depth) {
    if (depth == kMostNested) return false;
    out->append("{\"").append(kind).append("\": [");
    form->append(std::to_string(CountOfValue(head))).push_back('[');
    for (uint32_t i = 0; i < ToldOfValue(head); ++i) {
      out->append(i == 0 ? "" : ", ").append(pairs ? "[" : "");
      if (pairs && !Key(out, form, depth)) return false;
      out->append(pairs ? ", " : "");
      if (!Value(out, form, depth + 1)) return false;
      out->append(pairs ? "]" : "");
    }
    out->append("]");
    form->push_back(']');
    if (ToldOfValue(head) < CountOfValue(head))
      out->append(", \"of\": ").append(std::to_string(CountOfValue(head)));
    out->append("}");
    return true;
  }

  // Keys tell forms apart.
  bool Key(std::string* out, std::string* form, int depth) {
    const size_t begin = out->size();
    if (!Value(out, form, depth + 1)) return false;
    form->append(*out, begin);
    return true;
  }

  bool Array(uint64_t head, std::string* out, std::string* form) {
    ArrayText array;
    if (!ArrayOf(head, &array)) return false;
    std::string json = "{\"tensor\": {\"shape\": " + array.shape + ", \"dtype\": ";
    AppendJsonText(&json, array.dtype);
    json.append(", \"device\": ");
    AppendJsonText(&json, array.device);
    json.append(ToldOfValue(head) != 0 ? ", \"requires_grad\": true}}" : "}}");
    out->append(json);
    form->append(json);
    return true;
  }

  // A name that was cut leads to no class.
  bool OfClass(uint64_t head, std::string* out, std::string* form, int depth) {
    std::string name, module;
    uint64_t of_module;
    if (depth == kMostNested || !Text(head, &name) || !Next(&of_module) ||
        !Text(of_module, &module))
      return false;
    if (((head | of_module) & kCutValue) != 0) module.clear();
    std::string json = "{\"class\": ";
    AppendJsonText(&json, name);
    json.append(", \"module\": ");
    AppendJsonText(&json, module);
    form->append(json);
    out->append(json).append(", \"value\": ");
    if (!Value(out, form, depth + 1)) return false;
    out->append("}");
    return true;
  }

  bool ArrayWord(uint64_t head, std::string* out, std::string* form) {
    const bool is_device = KindOfValue(head) == ValueForm::kArrayDevice;
    std::string name;
    uint64_t number = 0;
    if (!Text(head, &name) || (is_device && !Next(&number))) return false;
    if (is_device) name = Numbered(name, static_cast<int64_t>(number));
    out->append(is_device ? "{\"device\": " : "{\"dtype\": ");
    AppendJsonText(out, name);
    out->append("}");
    form->append(name);
    return true;
  }

  bool Other(uint64_t head, std::string* out, std::string* form) {
    std::string name;
    if (!Text(head, &name)) return false;
    form->append(name);
    if (name.empty()) return out->append("{\"missing\": true}"), true;
    out->append("{\"object\": ");
    AppendJsonText(out, name);
    out->append("}");
    return true;
  }

  std::string_view bytes_;
  bool is_cut_ = false, ran_out_ = false;
};

// As Python prints what a label may be; a text without its quotes.
std::string PlainText(uint64_t head, const std::string& json, const std::string& text) {
  switch (KindOfValue(head)) {
    case ValueForm::kNone:
      return "None";
    case ValueForm::kBool:
      return CountOfValue(head) != 0 ? "True" : "False";
    case ValueForm::kText:
      return (head & kCutValue) != 0 ? text + "..." : text;
    case ValueForm::kOther:
      return text.empty() ? "(missing)" : "(" + text + ")";
    case ValueForm::kArray:
      return text;
    default:
      return json;
  }
}

bool TakeLabel(Values* values, uint64_t head, std::vector<LabelText>* labels) {
  LabelText label;
  std::string form;
  uint64_t of_value;
  if (!values->Text(head, &label.name) || !values->Next(&of_value)) return false;
  Values text_only = *values;
  std::string text;
  const ValueForm kind = KindOfValue(of_value);
  const bool has_text = kind == ValueForm::kText || kind == ValueForm::kOther;
  if (has_text && !text_only.Text(of_value, &text)) return false;
  if (ArrayText array; kind == ValueForm::kArray) {
    if (!text_only.ArrayOf(of_value, &array)) return false;
    text = array.dtype + array.shape;
  }
  if (!values->Of(of_value, &label.json, &form, 0)) return false;
  label.plain = PlainText(of_value, label.json, std::string(ValidUtf8(text)));
  labels->push_back(std::move(label));
  return true;
}

bool TakeArgument(Values* values, uint64_t head, DetailsText* out) {
  std::string name;
  if (!values->Text(head, &name)) return false;
  std::string json = out->inputs.empty() ? "[{\"name\": " : ", {\"name\": ";
  std::string form = name;
  AppendJsonText(&json, name);
  json.append(", \"value\": ");
  if (!values->Value(&json, &form)) return false;
  out->inputs.append(json).append("}");
  out->form.append(form).push_back(';');
  return true;
}

std::string HashText(std::string_view text) {
  uint64_t hash = 14695981039346656037ull;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  char digits[17] = "0000000000000000";
  const auto [end, error] = std::to_chars(digits, digits + 16, hash, 16);
  return {digits, end};
}

bool TakeDetail(Values* values, uint64_t head, DetailsText* out) {
  std::string form;
  switch (KindOfValue(head)) {
    case ValueForm::kLabel:
      return TakeLabel(values, head, &out->labels);
    case ValueForm::kArgument:
      return TakeArgument(values, head, out);
    case ValueForm::kResult:
      if (values->Value(&out->result, &form)) return true;
      out->result.clear();
      return false;
    case ValueForm::kRaised:
      out->result = "{\"raised\": true}";
      return true;
    case ValueForm::kGradients:
      out->gradients = CountOfValue(head) != 0 ? "true" : "false";
      out->form += out->gradients;
      return true;
    default:
      return false;
  }
}

}  // namespace

DetailsText DetailsOf(std::string_view bytes) {
  DetailsText details;
  Values values(bytes);
  uint64_t head;
  while (values.Next(&head) && TakeDetail(&values, head, &details)) {
  }
  if (details.inputs.empty() && !values.is_cut()) return details;
  if (values.is_cut())
    details.inputs += details.inputs.empty() ? "[{\"cut\": true}" : ", {\"cut\": true}";
  details.inputs += "]";
  details.form = HashText(details.form);
  return details;
}

std::vector<LabelText> LabelsOf(std::string_view bytes) {
  std::vector<LabelText> labels;
  Values values(bytes);
  uint64_t head;
  while (values.Next(&head) && KindOfValue(head) == ValueForm::kLabel &&
         TakeLabel(&values, head, &labels)) {
  }
  return labels;
}

}  // namespace syncline
