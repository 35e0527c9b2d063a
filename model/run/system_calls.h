// SPDX-License-Identifier: Apache-2.0
// Names of the system calls in which threads are blocked, as people know them.
#pragma once

#include <cstdint>
#include <string>

namespace syncline {

// "read", "futex"; another one "system call 333". "page fault": the thread is in none.
std::string SystemCallName(uint32_t number);

}  // namespace syncline
