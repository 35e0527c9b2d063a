// SPDX-License-Identifier: Apache-2.0
// What came of a contract, for people and for systems that build.
#pragma once

#include <string>
#include <vector>

#include "contract/check.h"

namespace syncline {

// A paragraph for each, and "run: 2 of 3 hold, 1 broken; steps: 20 of `step #`".
std::string VerdictsText(const std::vector<Verdict>& verdicts, const RunMeasures& run);
// Workflow commands of GitHub: an error at each line that breaks something; behind it the text.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
std::string VerdictsGithub(const std::vector<Verdict>& verdicts, const RunMeasures& run);
// One testsuite of JUnit's XML; what is not known is an error.
std::string VerdictsJunit(const std::vector<Verdict>& verdicts, const RunMeasures& run);
// syncline.check/1 (docs/check.md).
std::string VerdictsJson(const std::vector<Verdict>& verdicts, const RunMeasures& run);

}  // namespace syncline
