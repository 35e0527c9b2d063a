// SPDX-License-Identifier: Apache-2.0
// A Python file that runs one function of a recorded program alone, on made-up inputs of a form
// that a call of it had.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace syncline {

// Of io_signature.json.
struct SignedFunction {
  std::string name;    // "serve.Engine.step"
  std::string domain;  // of its calls
  size_t signatures;
};

struct BenchWish {
  std::string function;  // SignedFunction::name
  size_t signature = 0;
  // Where functions of __main__ are: a file, or a module that `python -m` ran; empty: not known.
  std::string script;
  std::string module;
  std::vector<std::string> arguments;  // behind it, any bytes
  bool arguments_cut = false;          // there were more
  std::string path;                    // of the file that is made, for its own text
};

// The functions in `signatures`, the text of io_signature.json. An error: it is none.
Status SignedFunctions(const std::string& signatures, std::vector<SignedFunction>* out);

// The file's text. The function is there and has that signature.
std::string BenchScript(const std::string& signatures, const BenchWish& wish);

}  // namespace syncline
