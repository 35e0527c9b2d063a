// SPDX-License-Identifier: Apache-2.0
// What came of a contract, for people and for systems that build.
#pragma once

#include <string>
#include <vector>

#include "contract/check.h"

namespace syncline {

// "contract: 2 of 3 hold", with a paragraph for each that does not.
std::string VerdictsText(const std::vector<Verdict>& verdicts, const std::string& run);
// Workflow commands of GitHub: an error at each line that breaks something; behind it the text.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
std::string VerdictsGithub(const std::vector<Verdict>& verdicts, const std::string& run);
// One testsuite of JUnit's XML; what is not known is an error.
std::string VerdictsJunit(const std::vector<Verdict>& verdicts, const std::string& run);
// syncline.check/1 (docs/check.md).
std::string VerdictsJson(const std::vector<Verdict>& verdicts, const std::string& run);

}  // namespace syncline
