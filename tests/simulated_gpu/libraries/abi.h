// SPDX-License-Identifier: Apache-2.0
// How a function of a vendor's library is written down without the vendor's header.
//
// NVIDIA's headers of these libraries come in wheels of hundreds of megabytes. The functions are C
// functions under the System V ABI for x86-64: enumerations are ints, handles are pointers, and the
// caller owns the arguments. A function may therefore name only its leading parameters, up to the
// last that it looks at.
#pragma once

#ifndef __x86_64__
#error "the simulated libraries rely on the calling convention of x86-64"
#endif

#define SIMGPU_LIBRARY extern "C" __attribute__((visibility("default")))
