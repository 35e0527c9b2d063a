// SPDX-License-Identifier: Apache-2.0
// By what ranges and operations are summed up.
#pragma once

#include <compare>
#include <string>

#include "model/devices/compile_log.h"

namespace syncline {

// Of ranges beyond the most whose names are told apart.
inline constexpr char kOtherNames[] = "(other names)";

// Sources are named as in their SourceFacts. Names that differ in numbers only, and are many, are
// one: "request #" (analysis/sums/name_folder.h).
struct RangeKey {
  std::string source;
  std::string domain;  // empty: the default one
  std::string name;
  std::string program{};                              // as in RunFindings::NamePrograms
  auto operator<=>(const RangeKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// "Memcpy HtoD (Pageable -> Device)" too.
struct OpKey {
  std::string source;
  std::string name;                                // as people write it
  auto operator<=>(const OpKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct CompileKey {
  std::string source;
  CompileKind kind = CompileKind::kFirst;
  std::string where;  // "train.py:12 forward()"
  std::string why;
  auto operator<=>(const CompileKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// What a compiled graph runs.
struct CompiledKey {
  std::string source;
  CompiledKind kind = CompiledKind::kKernel;
  std::string name;
  std::string operators;  // as in KernelOrigin, of one graph
  std::string lines;
  auto operator<=>(const CompiledKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace syncline
