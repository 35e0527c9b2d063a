// SPDX-License-Identifier: Apache-2.0
// What a process's steps computed.
#pragma once

#include "analysis/sums/flop_curve.h"
#include "analysis/sums/step_rows.h"

namespace syncline {

// `series`: with its steps, of which `timed` says when their thread was in them. Nothing where
// several threads have steps: whose step an operator of a third one is nobody knows.
void WorkOfSteps(const FlopCurve& flops, const TimedSeries& timed, StepSeries* series);

}  // namespace syncline
