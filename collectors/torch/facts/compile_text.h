// SPDX-License-Identifier: Apache-2.0
// Pieces of text and fields of JSON in a log of the compiler.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace syncline::torch {

using CompileJson = nlohmann::json;

// What is deeper is left out: nobody reads it. What is no JSON gives a discarded value.
inline CompileJson ParsedJson(std::string_view text) {
  constexpr int kDeepest = 8;
  const auto keeps = [](int depth, CompileJson::parse_event_t, CompileJson&) {
    return depth <= kDeepest;
  };
  return CompileJson::parse(text, keeps, false);
}

// Without the blanks at its ends.
inline std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

inline std::string TextField(const CompileJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

inline double NumberField(const CompileJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

// What remains of a function behind a break is a function for the compiler: "f" of
// "torch_dynamo_resume_in_f_at_6".
inline std::string_view FunctionOf(std::string_view name) {
  constexpr std::string_view kResumes = "torch_dynamo_resume_in_";
  if (!name.starts_with(kResumes)) return name;
  const size_t at = name.rfind("_at_");
  return at == std::string_view::npos || at < kResumes.size()
             ? std::string_view()
             : name.substr(kResumes.size(), at - kResumes.size());
}

}  // namespace syncline::torch
