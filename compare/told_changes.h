// SPDX-License-Identifier: Apache-2.0
// What changed, in sentences, in the order in which somebody wants to know it.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace syncline {

struct ToldChange {
  double delta = 0;  // of a step (without steps: of the run): ns, of memory bytes
  bool is_bytes = false;
  std::string sentence;              // "gone: wait at train.py:42 step(), 1 a step, 0.91 ms"
  const ComparedRow* row = nullptr;  // null: it is about several
};

// First what the program does more or less often, by its cost; then what takes longer or shorter by
// itself; then what follows from such: other waits, stages, idle devices. Rows of less than a
// hundredth of a step are left out, unless nothing else changed. Kernels with other names that came
// for those that went are one.
std::vector<ToldChange> ToldChanges(const Comparison& comparison);

// "-0.91 ms", "+12.0 MiB".
std::string DeltaText(double delta, bool is_bytes);
// "0.91 ms"; also of less than nothing.
std::string TimeText(double ns);
// "1", "0.25", "12.5".
std::string RateText(double count);
// "a step", "a run".
const char* PerText(const Comparison& comparison);
// "/home/me/train.py:42 step()" without its folders.
std::string ShortPlace(const std::string& where);
// "wait at train.py:42 step()".
std::string RowText(const ComparedRow& row);

// "-1.02 ms (-33 %), with 95 % between -1.10 and -0.95 ms"; or that nothing is told, and why.
std::string StepText(const Comparison& comparison);

}  // namespace syncline
