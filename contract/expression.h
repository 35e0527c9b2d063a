// SPDX-License-Identifier: Apache-2.0
// What a contract demands of a run, read from its text: "waits_per_step at 'train.py:38' <= 2".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/measures.h"

namespace syncline {

enum class Relation : uint8_t { kLess, kAtMost, kMore, kAtLeast, kEqual };
const char* RelationText(Relation relation);  // "<="

struct Expression {
  std::string text;
  // Null: "no new wait since BASE".
  const MeasureFacts* measure = nullptr;
  MeasureOf of = MeasureOf::kRun;
  std::string place{};  // of a line, stage or cause
  Relation relation = Relation::kAtMost;
  double number = 0;  // in the measure's unit; times what the base has, if `of_base`
  bool of_base = false;
  std::string base{};  // its directory; empty: the one that is named apart

  bool needs_base() const { return measure == nullptr || of_base; }
};

// Why a text is none.
struct ExpressionError {
  std::string message;  // "there is no measure `wait_per_step`: did you mean `waits_per_step`?"
  size_t at = 0;        // where in the text
  size_t length = 1;
};

// An expression is at most that long.
inline constexpr size_t kLongestExpression = 4096;

// False: `error` is filled in.
bool ParseExpression(std::string_view text, Expression* expression, ExpressionError* error);

// The text, and below it a mark under the place: two lines.
std::string MarkedText(std::string_view text, const ExpressionError& error);

}  // namespace syncline
