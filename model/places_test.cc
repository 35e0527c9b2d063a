// SPDX-License-Identifier: Apache-2.0
// Which frames are the user's own, and how places are written.
#include "model/places.h"

#include <gtest/gtest.h>

#include <deque>

namespace syncline {
namespace {

// Holds the code of the stacks that it makes.
class PlacesTest : public ::testing::Test {
 protected:
  PythonStack::Frame Frame(const std::string& file, uint32_t line, const std::string& function) {
    codes_.push_back({.file = file, .function = function, .table = ""});
    return {&codes_.back(), line};
  }
  const PythonStack* Stack(std::vector<PythonStack::Frame> frames, bool cut = false) {
    stacks_.push_back({std::move(frames), cut});
    return &stacks_.back();
  }

 private:
  std::deque<PythonCode> codes_;
  std::deque<PythonStack> stacks_;
};

TEST(OwnCode, IsWhatNoInstallationBrings) {
  const OwnCode own{"/home/me", ""};
  for (const char* path :
       {"/home/me/train.py", "train.py", "./a.py", "../a.py", "/home/me/lib/train.py",
        "/home/me/lib/pythonic/a.py", "/data/usr/lib/a.py", "/usr/local/bin/tool", "lib/a.py",
        "/x/site-packages.py", "/home/\xe6\x97\xa5.py", "/opt/app/lib/python/a.py"})
    EXPECT_TRUE(own.Has(path)) << path;
  for (const char* path :
       {"/x/lib/python3.11/site-packages/torch/nn/modules/module.py", "/v/site-packages/a.py",
        "/usr/lib/python3/dist-packages/numpy/core.py", "/usr/local/dist-packages/a.py",
        "/usr/lib/a.py", "/x/lib/python3.11/threading.py", "/x/lib64/python3.9/a.py",
        "/x/lib/python3/a.py", "<frozen importlib._bootstrap>", "<string>", "<stdin>", "",
        "/tmp/torchinductor_root/ab/cab.py"})
    EXPECT_FALSE(own.Has(path)) << path;
}

TEST(OwnCode, PatternsSayAll) {
  OwnCode own{"/home/me", "train*.py,models/*,/opt/lib/python3.11/site-packages/mine/*,,"};
  for (const char* path : {"/home/me/train.py", "train_2.py", "/home/me/models/a/b.py",
                           "./models/a.py", "/opt/lib/python3.11/site-packages/mine/a.py"})
    EXPECT_TRUE(own.Has(path)) << path;
  for (const char* path : {"/home/me/eval.py", "/home/you/train.py", "/home/me/models.py",
                           "<string>", "", "/opt/lib/python3.11/site-packages/others/a.py"})
    EXPECT_FALSE(own.Has(path)) << path;
  own.patterns = "*";
  EXPECT_TRUE(own.Has("/usr/lib/python3.11/threading.py"));
  EXPECT_FALSE(own.Has("<frozen runpy>")) << "no file that can be opened";
  EXPECT_FALSE(own.Has("/tmp/torchinductor_root/ab/cab.py"));
  own.patterns = ",";
  EXPECT_FALSE(own.Has("/home/me/train.py"));
}

TEST(OwnCode, PathsAreShownFromTheDirectory) {
  const OwnCode own{"/home/me", ""};
  EXPECT_EQ(ShownPath(own, "/home/me/a/b.py"), "a/b.py");
  EXPECT_EQ(ShownPath(own, "/home/me2/b.py"), "/home/me2/b.py");
  EXPECT_EQ(ShownPath(own, "/home/me/"), "/home/me/");
  EXPECT_EQ(ShownPath(own, "/home/me"), "/home/me");
  EXPECT_EQ(ShownPath(own, "././a.py"), "a.py");
  EXPECT_EQ(ShownPath(own, "../a.py"), "../a.py");
  EXPECT_EQ(ShownPath(own, ""), "");
  EXPECT_EQ(ShownPath({}, "/home/me/a.py"), "/home/me/a.py");
}

TEST_F(PlacesTest, FramesAreWrittenAsPeopleDo) {
  const OwnCode own{"/home/me", ""};
  EXPECT_EQ(FrameText(own, Frame("/home/me/train.py", 42, "step")), "train.py:42 step()");
  EXPECT_EQ(FrameText(own, Frame("a.py", 3, "<module>")), "a.py:3 <module>");
  EXPECT_EQ(FrameText(own, Frame("a.py", 3, "f.<locals>.<lambda>")), "a.py:3 f.<locals>.<lambda>");
  EXPECT_EQ(FrameText(own, Frame("a.py", 0, "A.f")), "a.py A.f()");
  EXPECT_EQ(FrameText(own, {nullptr, 5}), "(lost)");
}

TEST_F(PlacesTest, TheInnermostFrameOfOnesOwnIsThePlace) {
  const OwnCode own{"/home/me", ""};
  Places places(own);
  const Place& place = places.Of(Stack({Frame("/x/site-packages/torch/a.py", 1, "to"),
                                        Frame("/home/me/train.py", 42, "step"),
                                        {nullptr, 0},
                                        Frame("/home/me/train.py", 60, "<module>")}));
  EXPECT_EQ(place.where, "train.py:42 step()");
  EXPECT_EQ(
      place.stack,
      "/x/site-packages/torch/a.py:1 to() < train.py:42 step() < (lost) < train.py:60 <module>");
}

TEST_F(PlacesTest, BehindALostFrameThePlaceIsNotKnown) {
  const OwnCode own{"/home/me", ""};
  Places places(own);
  const Place& place = places.Of(Stack({Frame("/x/site-packages/torch/a.py", 1, "to"),
                                        {nullptr, 0},
                                        Frame("/home/me/train.py", 42, "step")}));
  EXPECT_EQ(place.where, "");
  EXPECT_EQ(place.stack, "/x/site-packages/torch/a.py:1 to() < (lost) < train.py:42 step()");
}

TEST_F(PlacesTest, TextsOfStacksEndSomewhere) {
  const OwnCode own;
  Places places(own);
  const std::string name(4000, 'f');
  const std::vector<PythonStack::Frame> frames(100, Frame("a.py", 1, name));
  const std::string text = places.Of(Stack(frames)).stack;
  EXPECT_LT(text.size(), size_t{24} << 10);
  EXPECT_TRUE(text.ends_with(" < ..."));
}

TEST_F(PlacesTest, WithoutOwnCodeTheInnermostFrameIsThePlace) {
  const OwnCode own;
  Places places(own);
  EXPECT_EQ(
      places.Of(Stack({Frame("/usr/lib/a.py", 1, "f"), Frame("<string>", 2, "<module>")})).where,
      "/usr/lib/a.py:1 f()");
  EXPECT_EQ(places.Of(Stack({{nullptr, 0}, Frame("/usr/lib/a.py", 1, "f")})).where, "");
}

TEST_F(PlacesTest, AStackThatWasCutSaysSo) {
  const OwnCode own;
  Places places(own);
  EXPECT_EQ(places.Of(Stack({Frame("a.py", 1, "f")}, true)).stack, "a.py:1 f() < ...");
  EXPECT_EQ(places.Of(Stack({Frame("a.py", 1, "f")}, true)).where, "a.py:1 f()");
}

TEST_F(PlacesTest, EachStackIsWorkedOutOnce) {
  const OwnCode own;
  Places places(own);
  const PythonStack* stack = Stack({Frame("a.py", 1, "f")});
  const Place* place = &places.Of(stack);
  for (int i = 0; i < 1000; ++i) places.Of(Stack({Frame("b.py", 1, "f")}));
  EXPECT_EQ(&places.Of(stack), place);
}

}  // namespace
}  // namespace syncline
