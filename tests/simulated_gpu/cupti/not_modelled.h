// SPDX-License-Identifier: Apache-2.0
// The answer of functions that are not modelled, without CUPTI's headers.
#pragma once

namespace simgpu::cupti {

// CUPTI_ERROR_NOT_SUPPORTED, said once per function in the truth file and on fd 2.
int AnswerNotModelled(const char* function);

}  // namespace simgpu::cupti
