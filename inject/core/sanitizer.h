// SPDX-License-Identifier: Apache-2.0
// Which sanitizer this is built with, for tests: GCC has macros of its own for that.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define SYNCLINE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SYNCLINE_TSAN 1
#elif __has_feature(address_sanitizer)
#define SYNCLINE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SYNCLINE_ASAN 1
#endif
