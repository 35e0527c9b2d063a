// SPDX-License-Identifier: Apache-2.0
// Lists of names, as programs use them.
#include "model/run/called_words.h"

#include <algorithm>
#include <cctype>

namespace syncline {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string Lower(std::string_view word) {
  std::string lower;
  for (const char c : word) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

namespace {

// "range_push" (torch.cuda.nvtx), "push_range" (CuPy), "nvtxRangePushA", "record_function".
bool IsMark(std::string_view word) {
  std::string name = Lower(word);
  std::erase(name, '_');
  const bool is_nvtx = name.starts_with("nvtx");
  if (is_nvtx) name.erase(0, 4);
  if (IsOneOf(name, {"rangepush", "rangepop", "rangestart", "rangeend", "pushrange", "poprange",
                     "startrange", "endrange", "annotate", "recordfunction"}))
    return true;
  return is_nvtx && (name.starts_with("range") || name.starts_with("mark") ||
                     name.starts_with("domainrange") || name.starts_with("domainmark"));
}

// Of what is asked of a device, what only notes something: "EventRecord", "SetDevice" of any
// vendor.
bool IsNote(std::string_view word) {
  for (const std::string_view end :
       {"LastError", "ErrorString", "EventRecord", "StreamWaitEvent", "SetDevice", "GetDevice",
        "EventQuery", "StreamQuery", "EventElapsedTime"}) {
    if (word.ends_with(end)) return true;
  }
  return false;
}

// Of numbers: "sqrtf", "std::max". Programs have functions of their own that are called log().
bool IsArithmetic(std::string_view word, std::string_view before) {
  const std::string_view plain = word.substr(0, word.size() - (word.ends_with('f') ? 1 : 0));
  if (IsOneOf(plain,
              {"sqrt", "cbrt", "fabs", "fmin", "fmax", "fmod", "hypot", "isnan", "isfinite"}))
    return true;
  return before.ends_with("std::") &&
         IsOneOf(word, {"min", "max", "abs", "pow", "exp", "log", "sin", "cos", "floor", "ceil",
                        "round", "swap", "move", "forward", "get", "make_pair", "tie"});
}

}  // namespace

bool IsQuick(std::string_view word, std::string_view before) {
  return IsMark(word) || IsNote(word) || IsArithmetic(word, before) ||
         IsOneOf(word, {"if",    "while", "for",       "return", "and",    "or",     "not",
                        "in",    "elif",  "switch",    "assert", "lambda", "sizeof", "range",
                        "len",   "int",   "enumerate", "zip",    "float",  "bool",   "isinstance",
                        "catch", "data",  "size",      "c_loc",  "c_str"});
}

bool IsWrapper(std::string_view word) {
  const bool is_macro = word.size() > 1 && std::none_of(word.begin(), word.end(), [](char c) {
                          return std::islower(static_cast<unsigned char>(c)) != 0;
                        });
  const std::string name = Lower(word);
  return is_macro ||
         (name.find("check") != std::string::npos && name.find("checkpoint") == std::string::npos);
}

bool IsExchange(std::string_view word, std::string_view before) {
  std::string name = Lower(word);
  std::erase(name, '_');
  // A class around them is called so, too: "halo.exchange(left, right)".
  const bool is_halo = name.find("halo") != name.npos || Lower(before).ends_with("halo.");
  if (is_halo && name.find("exchange") != name.npos) return true;
  if (name.starts_with("mpi")) {
    name.erase(0, 3);
  } else if (!before.ends_with("comm.") && !before.ends_with("dist.") &&
             !before.ends_with("COMM_WORLD.") && !before.ends_with("distributed.")) {
    return false;
  }
  if (name.starts_with("i") && name != "init" && name != "initialized") name.erase(0, 1);
  for (const std::string_view start :
       {"send",       "recv",     "bsend",    "ssend",     "rsend",  "wait",      "test",
        "probe",      "barrier",  "bcast",    "broadcast", "reduce", "allreduce", "gather",
        "allgather",  "scatter",  "alltoall", "scan",      "exscan", "neighbor",  "start",
        "batchisend", "winfence", "winlock",  "winunlock", "put",    "accumulate"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

bool OnlyLaunches(std::string_view statement) {
  for (const std::string_view call :
       {".backward(", "optimizer.step(", "optim.step(", "opt.step(", "scaler.step("}) {
    if (statement.find(call) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace syncline
