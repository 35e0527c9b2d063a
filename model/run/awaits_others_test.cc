// SPDX-License-Identifier: Apache-2.0
// Statements of Python and C++.
#include "model/run/awaits_others.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(AwaitsOthers, QueuesSocketsAndFutures) {
  for (const char* line : {"request = requests.get()", "item = queue.get(timeout=1)",
                           "for x in iter(self.ready.get, None):", "data = s.recv(4096)",
                           "x = future.result()", "batch = await batches()"})
    EXPECT_TRUE(AwaitsOthers(line, Language::kPython)) << line;
  for (const char* line :
       {"#pragma omp barrier", "!$omp taskwait", "pthread_barrier_wait(&barrier);",
        "Frame f = queue.pop();", "    tile = next->get();", "worker.join();",
        "n = recv(socket, data, size, 0);", "filled.wait(lock);",
        "while (auto frame = ready.pop()) {", "while ((frame = ready.pop())) {"})
    EXPECT_TRUE(AwaitsOthers(line, Language::kBraces)) << line;
}

TEST(AwaitsOthers, NotWhatIsAtHand) {
  for (const char* line :
       {"x = options.get(key, 3)", "text = sep.join(words)", "for x in loader:", ""})
    EXPECT_FALSE(AwaitsOthers(line, Language::kPython)) << line;
  for (const char* line : {"dist.recv(x, 0)", "x = comm.recv(source=0)", "comm.Barrier()"})
    EXPECT_FALSE(AwaitsOthers(line, Language::kPython)) << line;
  EXPECT_FALSE(AwaitsOthers("MPI_Irecv(x, n, t, 0, 0, c, &r);", Language::kBraces));
  for (const char* line : {"float* p = owner.get();", "stack.pop();", "n = f(x.get());",
                           "while (float* p = owner.get()) {"})
    EXPECT_FALSE(AwaitsOthers(line, Language::kBraces)) << line;
  EXPECT_FALSE(AwaitsOthers("Add<<<1, 256>>>(x.get());", Language::kBraces)) << "a pointer's";
}

}  // namespace
}  // namespace syncline
