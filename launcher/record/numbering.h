// SPDX-License-Identifier: Apache-2.0
// Which of the launchers that numbered processes is the one whose numbers are the ranks'.
#pragma once

#include <vector>

#include "launcher/record/jobs_of_run.h"

namespace syncline {

// Where launchers are nested (torchrun under mpirun), the numbers of the inner one count: those of
// the outer one are of agents. RANK and its like that only a program has set for its child do not
// make it a launcher: where processes of an outer launcher recorded something and did not start
// such children, or several ranks of it started children of one number, its numbers count, and the
// child is of the rank that started it. After this, a member without a number has rank -1.
void ChooseNumbers(std::vector<JobMember>* members);

}  // namespace syncline
