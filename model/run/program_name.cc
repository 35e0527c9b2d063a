// SPDX-License-Identifier: Apache-2.0
// Finds the script among an interpreter's arguments.
#include "model/run/program_name.h"

#include <algorithm>
#include <vector>

namespace syncline {
namespace {

std::string_view AllArguments(const ProcessFacts& facts) {
  return {facts.command_line,
          std::min<size_t>(facts.command_line_bytes, sizeof(facts.command_line))};
}

std::vector<std::string_view> Arguments(const ProcessFacts& facts) {
  std::string_view all = AllArguments(facts);
  std::vector<std::string_view> arguments;
  if (all.empty()) return arguments;
  for (size_t end; (end = all.find('\0')) != std::string_view::npos; all.remove_prefix(end + 1))
    arguments.push_back(all.substr(0, end));
  arguments.push_back(all);
  return arguments;
}

std::string_view BaseName(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                     : path.substr(slash + 1);
}

bool IsInterpreter(std::string_view program) {
  for (const std::string_view name :
       {"python", "pypy", "perl", "ruby", "node", "Rscript", "julia"}) {
    if (program.starts_with(name)) return true;
  }
  for (const std::string_view name : {"sh", "bash", "dash", "zsh", "ksh", "env"}) {
    if (program == name) return true;
  }
  return false;
}

std::string_view WithoutExtension(std::string_view name) {
  for (const std::string_view extension : {".py", ".pl", ".rb", ".sh", ".js", ".jl", ".R"}) {
    if (name.size() > extension.size() && name.ends_with(extension)) {
      return name.substr(0, name.size() - extension.size());
    }
  }
  return name;
}

// The script or module that an interpreter runs; empty: none, such as `python -c ...`.
std::string_view ScriptOf(const std::vector<std::string_view>& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "-c" || argument == "-e" || argument == "-") return {};
    if (argument == "-m") return i + 1 < arguments.size() ? arguments[i + 1] : std::string_view();
    if (argument == "-X" || argument == "-W") {
      ++i;
      continue;
    }
    if (!argument.empty() && argument[0] != '-') return WithoutExtension(BaseName(argument));
  }
  return {};
}

void AppendQuoted(std::string* out, std::string_view argument) {
  const bool plain = !argument.empty() && argument.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;#~!") ==
                                              std::string_view::npos;
  if (plain) {
    out->append(argument);
    return;
  }
  out->push_back('\'');
  for (const char c : argument) {
    if (c == '\'') {
      out->append("'\\''");
    } else {
      out->push_back(c);
    }
  }
  out->push_back('\'');
}

}  // namespace

std::string ProgramName(const ProcessFacts& facts) {
  const std::vector<std::string_view> arguments = Arguments(facts);
  std::string_view program = BaseName(FieldText(facts.executable));
  if (program.empty() && !arguments.empty()) program = BaseName(arguments[0]);
  if (program.empty()) program = FieldText(facts.comm);
  if (program.empty()) program = "unknown program";
  if (IsInterpreter(program)) {
    const std::string_view script = ScriptOf(arguments);
    if (!script.empty()) program = script;
  }
  return std::string(program);
}

std::vector<std::string> ArgumentsOf(const ProcessFacts& facts, bool* cut) {
  // A byte of the room is for what ends the text.
  if (cut != nullptr) *cut = AllArguments(facts).size() + 1 >= sizeof(facts.command_line);
  const std::vector<std::string_view> arguments = Arguments(facts);
  return {arguments.begin(), arguments.end()};
}

std::string CommandText(const ProcessFacts& facts) {
  std::string text;
  for (const std::string_view argument : Arguments(facts)) {
    if (!text.empty()) text.push_back(' ');
    AppendQuoted(&text, argument);
  }
  return text;
}

}  // namespace syncline
