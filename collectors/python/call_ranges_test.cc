// SPDX-License-Identifier: Apache-2.0
// Calls of coroutines: each is one start/end range, whatever else its thread does meanwhile.
#include "collectors/python/call_ranges.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <vector>

#include "collectors/python/open_calls.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/trace.h"

namespace syncline::test {
namespace {

constexpr python::Chosen kHandle = {"m.handle", 8, nullptr};
constexpr python::Chosen kAnswer = {"m.answer", 8, nullptr};
const char g_frames[kMaxOpen + 10] = {};

class PythonCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetSession();
    python::ForgetCalls();
  }
};

TEST_F(PythonCalls, ThoseThatTakeTurnsDoNotMix) {
  python::BeginCall(kHandle, &g_frames[0], nullptr);
  python::BeginCall(kAnswer, &g_frames[1], nullptr);
  python::BeginCall(kHandle, &g_frames[2], nullptr);
  python::EndCall(kHandle, &g_frames[0], nullptr);
  python::EndCall(kHandle, &g_frames[2], nullptr);
  python::EndCall(kHandle, &g_frames[1], nullptr);
  Trace trace = ReadTrace();
  const std::vector<TraceEvent> starts = trace.Of(RecordKind::kRangeStart);
  const std::vector<TraceEvent> ends = trace.Of(RecordKind::kRangeEnd);
  ASSERT_EQ(starts.size(), 3u);
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_EQ(starts[0].name, "m.handle");
  EXPECT_EQ(starts[0].domain, "py.call");
  EXPECT_EQ(ends[0].end, starts[0].end);
  EXPECT_EQ(ends[1].end, starts[2].end);
  EXPECT_EQ(ends[2].end, starts[1].end);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(PythonCalls, AnEndWithoutABeginIsIgnored) {
  python::EndCall(kHandle, &g_frames[0], nullptr);
  EXPECT_EQ(ReadTrace().Of(RecordKind::kRangeEnd).size(), 0u);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(PythonCalls, OneThatWasNotSeenToEndEndsWhereItsFrameIsUsedAgain) {
  python::BeginCall(kHandle, &g_frames[0], nullptr);
  python::BeginCall(kAnswer, &g_frames[0], nullptr);
  Trace trace = ReadTrace();
  ASSERT_EQ(trace.Of(RecordKind::kRangeEnd).size(), 1u);
  EXPECT_EQ(trace.Of(RecordKind::kRangeEnd)[0].end, trace.Of(RecordKind::kRangeStart)[0].end);
}

TEST_F(PythonCalls, BeyondTheMostTheyAreCounted) {
  for (uint32_t i = 0; i < kMaxOpen + 10; ++i) python::BeginCall(kHandle, &g_frames[i], nullptr);
  EXPECT_EQ(Losses(kLoss_too_many_open), 10u);
  for (uint32_t i = 0; i < kMaxOpen + 10; ++i) python::EndCall(kHandle, &g_frames[i], nullptr);
  EXPECT_EQ(ReadTrace().Of(RecordKind::kRangeEnd).size(), size_t{kMaxOpen});
  ResetSession();
}

TEST_F(PythonCalls, AForksChildHasNoneOfItsParent) {
  python::BeginCall(kHandle, &g_frames[0], nullptr);
  const pid_t child = fork();
  if (child == 0) {
    python::ForgetCalls();
    python::EndCall(kHandle, &g_frames[0], nullptr);
    python::BeginCall(kAnswer, &g_frames[0], nullptr);
    python::EndCall(kHandle, &g_frames[0], nullptr);
    const Trace trace = ReadTrace();
    _exit(trace.Of(RecordKind::kRangeEnd).size() == 1 && AllLosses() == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  python::EndCall(kHandle, &g_frames[0], nullptr);
  EXPECT_EQ(ReadTrace().Of(RecordKind::kRangeEnd).size(), 1u);
}

// Against a plain list, with many more frames than are open.
TEST(OpenCallsTest, FindsWhatIsOpenWhateverWasRemovedBetween) {
  static python::OpenCalls calls = {};
  std::vector<std::pair<const void*, uint64_t>> open;
  std::set<const void*> frames;
  uint64_t random = 1;
  for (uint64_t id = 1; id < 40000; ++id) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    const auto* frame = reinterpret_cast<const void*>((random >> 40) * 16 + 16);  // NOLINT
    if (open.size() < 3000 && frames.insert(frame).second) {
      ASSERT_TRUE(calls.Add(frame, id));
      open.emplace_back(frame, id);
    } else if (!open.empty()) {
      std::swap(open[random % open.size()], open.back());
      ASSERT_EQ(calls.Remove(open.back().first), open.back().second);
      ASSERT_EQ(calls.Remove(open.back().first), 0u);
      frames.erase(open.back().first);
      open.pop_back();
    }
  }
  EXPECT_GT(open.size(), 1000u);
  for (const auto& [frame, id] : open) EXPECT_EQ(calls.Remove(frame), id);
}

}  // namespace
}  // namespace syncline::test
