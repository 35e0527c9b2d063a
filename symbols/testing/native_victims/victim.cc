// SPDX-License-Identifier: Apache-2.0
// Functions whose names, lines and inlining the tests know: the directives say other files, so that
// they stay where they are.
namespace victim {

using Call = void (*)();

// The compiler must not make a jump of the call: the caller's address would not be on the stack.
#define VICTIM_STAY() asm volatile("" ::: "memory")

namespace {
#line 11 "/source/inner.h"
template <int kBy>
inline __attribute__((always_inline)) void Innermost(long* count, Call call) {
  *count += kBy;
  call();
  VICTIM_STAY();
}
}  // namespace

#line 21 "middle.h"
struct Middle {
  inline __attribute__((always_inline)) void step(long* count, Call call) const {
    if (*count >= 0) {
      Innermost<1>(count, call);
    }
  }
};

#line 31 "/source/./sub/../outer.cc"
class Solver {
 public:
  __attribute__((noinline)) void run(long* count, Call call) {
    Middle().step(count, call);
    VICTIM_STAY();
  }
};

namespace {
// In no table of exported symbols.
__attribute__((noinline)) void Hidden(long* count, Call call) {
  Solver().run(count, call);
  VICTIM_STAY();
}
}  // namespace

#line 51 "/source/outer.cc"
extern "C" __attribute__((visibility("default"))) long VictimRun(Call call) {
  long count = 1;
  const auto lambda = [&](long* more) __attribute__((noinline)) {
    Hidden(more, call);
    VICTIM_STAY();
  };
  lambda(&count);
  VICTIM_STAY();
  return count;
}

}  // namespace victim
