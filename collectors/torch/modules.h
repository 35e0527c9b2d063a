// SPDX-License-Identifier: Apache-2.0
// Calls of a model's modules as ranges of a domain of their own, named by their path in it.
#pragma once

namespace syncline::torch {

inline constexpr char kModulesDomain[] = "modules";

// Before any collector is started: the calls are told by whoever watches Python's functions.
void WatchModules();

}  // namespace syncline::torch
