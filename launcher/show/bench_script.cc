// SPDX-License-Identifier: Apache-2.0
// Inputs become expressions of Python; the rest of the file is the same for all.
#include "launcher/show/bench_script.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.h"
#include "base/utf8.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/bench_template.h"
#include "writers/files/json_fields.h"
#include "writers/tables/signature_json.h"

namespace syncline {
namespace {

constexpr char kCallDomain[] = "py.call";

// As Python has what the system gave it: a byte that is no UTF-8 is half of a character beyond 16
// bits.
std::string Quoted(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto hex = [&](const char* begin, unsigned char byte) {
    return Text(begin, std::string{kDigits[byte >> 4], kDigits[byte & 15]});
  };
  std::string text = "\"";
  while (!bytes.empty()) {
    const Utf8Char next = NextChar(bytes);
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (next.code == kNoChar) {
      text += hex("\\udc", first);
    } else if (first < 0x20 || first == 0x7f) {
      text += hex("\\x", first);
    } else {
      if (first == '"' || first == '\\') text += '\\';
      text += bytes.substr(0, next.bytes);
    }
    bytes.remove_prefix(next.bytes);
  }
  return text + "\"";
}

std::string Quoted(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += Text(list.empty() ? "" : ", ", Quoted(text));
  return Text("[", list, "]");
}

std::string TextIn(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string Expression(const Json& value, const std::string& what);

std::string Items(const Json& items, const std::string& what) {
  std::string text;
  for (const Json& item : items) text += Text(text.empty() ? "" : ", ", Expression(item, what));
  return text;
}

std::string Tensor(const Json& tensor) {
  std::string shape;
  if (const auto sizes = tensor.find("shape"); sizes != tensor.end() && sizes->is_array()) {
    for (const Json& size : *sizes)
      shape += Text(size.is_number_integer() ? size.dump() : "1", ", ");
  }
  return Text("tensor((", shape, "), ", Quoted(TextIn(tensor, "dtype")), ", ",
              Quoted(TextIn(tensor, "device")),
              tensor.contains("requires_grad") ? ", gradient=True)" : ")");
}

std::string Missing(const std::string& what, const std::string& why) {
  return Text("missing(", what, ", ", Quoted(why), ")");
}

std::string Dict(const Json& entries, const std::string& what) {
  std::string text;
  for (const Json& entry : entries) {
    if (!entry.is_array() || entry.size() != 2) continue;
    text += Text(text.empty() ? "" : ", ", Expression(entry[0], what), ": ",
                 Expression(entry[1], what));
  }
  return Text("{", text, "}");
}

// How many items it had; 0: all are told.
uint64_t ItemsOf(const Json& value) {
  const auto of = value.find("of");
  return of != value.end() && of->is_number_unsigned() ? of->get<uint64_t>() : 0;
}

// A list or tuple of which not all items are known is made as long as it was.
std::string Padded(const std::string& list, const Json& value) {
  const uint64_t items = ItemsOf(value);
  return items == 0 ? list : Text("padded(", list, ", ", items, ")");
}

// What somebody has to know who makes one of which only the beginning was recorded.
std::string CutText(const Json& value) {
  if (value.contains("dict"))
    return Text("a dict of ", ItemsOf(value), " entries, of which only the first are recorded");
  return Text("a text that is longer than what is recorded of it, \"", TextIn(value, "text"),
              "...\"");
}

// Of an object, whose first key says what it is.
std::string Kind(const Json& value, const std::string& what) {
  const auto of = [&](const char* key) -> const Json& { return *value.find(key); };
  if (value.contains("tensor") && of("tensor").is_object()) return Tensor(of("tensor"));
  if (value.contains("list") && of("list").is_array())
    return Padded(Text("[", Items(of("list"), what), "]"), value);
  if (value.contains("tuple") && of("tuple").is_array()) {
    const std::string items = Items(of("tuple"), what);
    return Padded(Text("(", items, items.empty() ? "" : ",", ")"), value);
  }
  if (value.contains("dict") && of("dict").is_array())
    return ItemsOf(value) == 0 ? Dict(of("dict"), what) : Missing(what, CutText(value));
  if (value.contains("float")) return Text("float(", Quoted(TextIn(value, "float")), ")");
  if (value.contains("text")) return Missing(what, CutText(value));
  if (value.contains("dtype")) return Text("dtype(", Quoted(TextIn(value, "dtype")), ")");
  if (value.contains("device")) return Text("device(", Quoted(TextIn(value, "device")), ")");
  if (value.contains("class") && value.contains("value"))
    return Text("of_class(", what, ", ", Quoted(TextIn(value, "module")), ", ",
                Quoted(TextIn(value, "class")), ", ", Expression(of("value"), what), ")");
  return Missing(what, TextIn(value, "object"));
}

std::string Expression(const Json& value, const std::string& what) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number()) return value.dump();
  if (value.is_string()) return Quoted(value.get<std::string>());
  return value.is_object() ? Kind(value, what) : "None";
}

std::string Inputs(const Json& signature) {
  std::string text;
  const auto inputs = signature.find("inputs");
  if (inputs == signature.end() || !inputs->is_array()) return text;
  for (const Json& input : *inputs) {
    const std::string name = Quoted(TextIn(input, "name"));
    if (!input.contains("value")) continue;
    text += Text("    ", name, ": lambda: ", Expression(input["value"], name), ",\n");
  }
  return text;
}

// True: there was no room for all of them.
bool AreInputsCut(const Json& signature) {
  const auto inputs = signature.find("inputs");
  return inputs != signature.end() && inputs->is_array() &&
         std::any_of(inputs->begin(), inputs->end(),
                     [](const Json& input) { return !input.contains("value"); });
}

std::string Flag(bool flag) { return flag ? "True" : "False"; }

std::string Gradients(const Json& signature) {
  const auto found = signature.find("gradients");
  return found != signature.end() && found->is_boolean() ? Flag(found->get<bool>()) : "None";
}

const Json* FunctionNamed(const Json& document, const std::string& name) {
  const auto functions = document.find("functions");
  if (functions == document.end() || !functions->is_array()) return nullptr;
  for (const Json& one : *functions) {
    if (TextIn(one, "name") == name) return &one;
  }
  return nullptr;
}

using Places = std::map<std::string, std::string>;  // "NAME": what stands for @NAME@

// In one pass: what is put in may look like a place itself.
std::string Filled(std::string_view text, const Places& places) {
  std::string filled;
  for (size_t at; (at = text.find('@')) != std::string_view::npos;) {
    filled += text.substr(0, at);
    text.remove_prefix(at + 1);
    const size_t end = text.find('@');
    const auto place = end == std::string_view::npos
                           ? places.end()
                           : places.find(std::string(text.substr(0, end)));
    filled += place == places.end() ? "@" : place->second;
    if (place != places.end()) text.remove_prefix(end + 1);
  }
  return filled.append(text);
}

// In a comment or a docstring of Python's.
std::string Harmless(std::string text) {
  for (char& c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '?';
  }
  return text;
}

// So deep that no signature of ours is.
bool IsTooDeep(const std::string& json) {
  constexpr size_t kMostDeep = 64;
  size_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < json.size() && depth <= kMostDeep; ++i) {
    const char c = json[i];
    if (in_text && c == '\\') ++i;
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth != 0) --depth;
  }
  return depth > kMostDeep;
}

}  // namespace

Status SignedFunctions(const std::string& signatures, std::vector<SignedFunction>* out) {
  if (IsTooDeep(signatures)) return Status::Error("its values are nested too deep");
  const Json document = Json::parse(signatures, nullptr, false);
  const auto functions = document.is_object() ? document.find("functions") : document.end();
  if (!document.is_object() || TextIn(document, "schema") != kSignatureSchema ||
      functions == document.end() || !functions->is_array())
    return Status::Error("it is no file of signatures");
  for (const Json& one : *functions) {
    const auto calls = one.is_object() ? one.find("signatures") : one.end();
    if (!one.is_object() || calls == one.end() || !calls->is_array() || calls->empty()) continue;
    out->push_back({TextIn(one, "name"), TextIn(one, "domain"), calls->size()});
  }
  return Status();
}

std::string BenchScript(const std::string& signatures, const BenchWish& wish) {
  const Json document = Json::parse(signatures, nullptr, false);
  const Json* function = FunctionNamed(document, wish.function);
  if (function == nullptr || wish.signature >= (*function)["signatures"].size()) return "";
  const Json& signature = (*function)["signatures"][wish.signature];
  return Filled(kBenchTemplate, {{"NAME", Harmless(wish.function)},
                                 {"PATH", Harmless(ShellQuote(wish.path))},
                                 {"FUNCTION", Quoted(wish.function)},
                                 {"SCRIPT", Quoted(wish.script)},
                                 {"MODULE", Quoted(wish.module)},
                                 {"ARGUMENTS", Quoted(wish.arguments)},
                                 {"ARGUMENTS_CUT", Flag(wish.arguments_cut)},
                                 {"GRADIENTS", Gradients(signature)},
                                 {"INPUTS_CUT", Flag(AreInputsCut(signature))},
                                 {"INPUTS", Inputs(signature)}});
}

}  // namespace syncline
