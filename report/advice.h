// SPDX-License-Identifier: Apache-2.0
// What each kind of finding means, on what its gain depends, and what to do: one row a kind.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "model/devices/problem_kind.h"
#include "model/findings/run_findings.h"

namespace syncline {

struct Advice {
  const char* kind;        // for programs: "read_back"
  const char* problem;     // for people
  const char* assumption;  // the gain holds so far as this does: "if ..."
  const char* advice;      // where neither a framework nor the source has words of its own
};
const Advice& AdviceOf(ProblemKind kind);

// Names of the sources whose framework the job's program uses (SourceFacts::framework_kernels), and
// which it uses from Python. Nothing is known of a program without kernels.
std::set<std::string> FrameworksOf(const RunFindings& findings);

// What to do, as a user of the framework and of the source would do it. `source`: its name; empty:
// no single one. `range`: the innermost one that it is in.
const char* AdviceFor(ProblemKind kind, std::string_view source,
                      const std::set<std::string>& frameworks, std::string_view range = {});

// Of a wait that reads nothing back.
ProblemKind KindOfWait(WaitClass wait_class);

}  // namespace syncline
