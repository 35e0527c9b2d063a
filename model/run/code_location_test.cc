// SPDX-License-Identifier: Apache-2.0
// Which frames are the user's own, and how places are written.
#include "model/run/code_location.h"

#include <gtest/gtest.h>

#include <deque>

namespace syncline {
namespace {

// Holds the code of the stacks that it makes.
class PlacesTest : public ::testing::Test {
 protected:
  CodeStack::Frame Frame(const std::string& file, uint32_t line, const std::string& function) {
    return {FrameKind::kPython, Kept(file), Kept(function), line, {}, false};
  }
  CodeStack::Frame Native(const std::string& module, const std::string& function,
                          const std::string& file = "", uint32_t line = 0) {
    return {FrameKind::kNative, Kept(file), Kept(function), line, Kept(module), false};
  }
  const CodeStack* Stack(std::vector<CodeStack::Frame> frames, bool cut = false) {
    CodeStack& stack = stacks_.emplace_back();
    stack.cut = cut;
    for (CodeStack::Frame& frame : frames) stack.frames.push_back(&frames_.emplace_back(frame));
    return &stack;
  }

 private:
  const std::string& Kept(const std::string& text) { return texts_.emplace_back(text); }

  std::deque<std::string> texts_;
  std::deque<CodeStack::Frame> frames_;
  std::deque<CodeStack> stacks_;
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
  EXPECT_EQ(FrameText(own, {}), "(lost)");
}

TEST_F(PlacesTest, NativeFramesAreWrittenWithWhatIsKnown) {
  const OwnCode own{"/home/me", ""};
  EXPECT_EQ(FrameText(own, Native("/home/me/run", "ns::relax", "/home/me/src/solver.cc", 88)),
            "src/solver.cc:88 ns::relax()");
  EXPECT_EQ(FrameText(own, Native("/home/me/run", "relax")), "run relax()");
  EXPECT_EQ(FrameText(own, Native("/lib/libfoo.so.1", "libfoo.so.1+0x12")), "libfoo.so.1+0x12");
  EXPECT_EQ(FrameText(own, Native("/lib/libfoo.so.1", "f::operator()")),
            "libfoo.so.1 f::operator()");
  EXPECT_EQ(FrameText(own, Native("/home/me/run", "swap<int>")), "run swap<int>()");
}

constexpr char kRuntime[] = "/x/site-packages/nvidia/lib/libcudart.so.13";
constexpr char kTorch[] = "/x/site-packages/torch/lib/libtorch_cpu.so";

TEST_F(PlacesTest, ThePlaceIsTheNearestToTheUser) {
  const OwnCode own{"/home/me", ""};
  CodeLocations places(own);
  const auto where = [&](std::vector<CodeStack::Frame> frames) {
    return places.Of(Stack(std::move(frames))).where;
  };
  const auto wait = Native(kRuntime, "cudaStreamSynchronize"), torch = Native(kTorch, "at::item");
  const auto program = Native("/home/me/run", "main");
  const auto line = Native("/home/me/run", "relax", "/home/me/solver.cc", 88);
  const auto python = Frame("/usr/lib/python3.11/a.py", 1, "f"), mine = Frame("a.py", 3, "f");
  EXPECT_EQ(where({wait, torch, line, mine}), "solver.cc:88 relax()");
  EXPECT_EQ(where({wait, torch, python, program, mine}), "a.py:3 f()");
  EXPECT_EQ(where({wait, torch, program, python}), "/usr/lib/python3.11/a.py:1 f()");
  EXPECT_EQ(where({wait, torch, program}), "run main()");
  EXPECT_EQ(where({wait, torch, torch}), "libtorch_cpu.so at::item()");
  EXPECT_EQ(where({wait}), "libcudart.so.13 cudaStreamSynchronize()");
  EXPECT_EQ(where({Native("/home/me/run", "cudaMemcpy"),
                   Native("/home/me/run", "cudaMalloc<float>", "/usr/local/cuda/include/a.h", 9),
                   Native("/home/me/run", "std::sort<int*>", "/usr/include/c++/12/algorithm", 9),
                   program}),
            "run main()")
      << "code of headers is nobody's own";
  EXPECT_EQ(where({wait, Native("/home/me/run", "std::sort", "/usr/include/c++/12/a", 9), line}),
            "solver.cc:88 relax()");
}

TEST_F(PlacesTest, OfAHelperThePlaceIsThatOfTheCallItWorksFor) {
  const OwnCode own{"/home/me", ""};
  CodeLocations places(own);
  const CodeStack::Frame on_behalf = {FrameKind::kOnBehalf, {}, {}, 0, {}, false};
  const auto wait = Native(kRuntime, "cudaStreamSynchronize"), torch = Native(kTorch, "backward");
  const auto python = Frame("/x/site-packages/torch/_tensor.py", 9, "backward");
  const auto mine = Frame("/home/me/a.py", 3, "f");
  const CodeStack* stack = Stack({wait, torch, on_behalf, python, mine});
  EXPECT_EQ(places.Of(stack).where, "a.py:3 f()");
  EXPECT_EQ(places.Of(stack).stack,
            "libcudart.so.13 cudaStreamSynchronize() < libtorch_cpu.so backward() < "
            "(on behalf of) < /x/site-packages/torch/_tensor.py:9 backward() < a.py:3 f()");
  const auto line = Native("/home/me/run", "relax", "/home/me/solver.cc", 88);
  EXPECT_EQ(places.WhereOf(Stack({wait, line, on_behalf, mine})), "solver.cc:88 relax()");
  EXPECT_EQ(places.WhereOf(Stack({wait, {}, on_behalf, mine})), "")
      << "what is lost may be one's own";
}

TEST_F(PlacesTest, AFrameWhoseFileIsGoneMayBeTheUsersOwn) {
  const OwnCode own{"/home/me", ""};
  CodeLocations places(own);
  const auto wait = Native(kRuntime, "cudaStreamSynchronize");
  auto gone = Native("/home/me/libsolver.so", "libsolver.so (deleted)+0x12");
  gone.gone = true;
  auto gone_of_vendor = Native("/usr/lib/libcuda.so.1", "libcuda.so.1 (deleted)+0x12");
  gone_of_vendor.gone = true;
  const auto line = Native("/home/me/run", "main", "/home/me/main.cc", 40);
  EXPECT_EQ(places.WhereOf(Stack({wait, gone, line})),
            "libsolver.so (deleted)+0x12, called at main.cc:40 main()");
  EXPECT_EQ(places.WhereOf(Stack({wait, gone})), "libsolver.so (deleted)+0x12");
  EXPECT_EQ(places.WhereOf(Stack({wait, line, gone})), "main.cc:40 main()") << "further out";
  EXPECT_EQ(places.WhereOf(Stack({gone_of_vendor, line})), "main.cc:40 main()");
}

TEST_F(PlacesTest, PatternsChooseNativeCodeToo) {
  const OwnCode own{"/home/me", "/opt/pytorch/*"};
  CodeLocations places(own);
  EXPECT_EQ(places
                .Of(Stack({Native(kTorch, "at::item", "/opt/pytorch/aten/item.cpp", 7),
                           Native("/home/me/run", "relax", "/home/me/solver.cc", 88)}))
                .where,
            "/opt/pytorch/aten/item.cpp:7 at::item()");
}

TEST_F(PlacesTest, ALongWayThroughAFrameworkIsToldShortly) {
  const OwnCode own{"/home/me", ""};
  CodeLocations places(own);
  const auto wait = Native(kRuntime, "cudaStreamSynchronize"), torch = Native(kTorch, "at::item");
  const auto inside = Native("/usr/lib/libcuda.so.1", "libcuda.so.1+0x123");
  const auto tool = Native("/x/nvidia/lib/libcupti.so.13", "libcupti.so.13+0x9");
  EXPECT_EQ(
      places.Of(Stack({tool, inside, wait, torch, torch, torch, torch, Frame("a.py", 3, "f")}))
          .stack,
      "libcudart.so.13 cudaStreamSynchronize() < (4 native frames) < a.py:3 f()");
  EXPECT_EQ(places.Of(Stack({tool, inside, wait, Frame("a.py", 3, "f")})).stack,
            "libcudart.so.13 cudaStreamSynchronize() < a.py:3 f()");
  EXPECT_EQ(places.Of(Stack({wait, torch, torch, Frame("a.py", 3, "f"), torch})).stack,
            "libcudart.so.13 cudaStreamSynchronize() < libtorch_cpu.so at::item() < "
            "libtorch_cpu.so at::item() < a.py:3 f() < libtorch_cpu.so at::item()");
  const auto own_frame = Native("/home/me/run", "f");
  EXPECT_EQ(places.Of(Stack({own_frame, own_frame, own_frame, own_frame})).stack,
            "run f() < run f() < run f() < run f()")
      << "of the user's own code all is told";
}

TEST_F(PlacesTest, TheInnermostFrameOfOnesOwnIsThePlace) {
  const OwnCode own{"/home/me", ""};
  CodeLocations places(own);
  const CodeLocation& place = places.Of(Stack({Frame("/x/site-packages/torch/a.py", 1, "to"),
                                               Frame("/home/me/train.py", 42, "step"),
                                               {},
                                               Frame("/home/me/train.py", 60, "<module>")}));
  EXPECT_EQ(place.where, "train.py:42 step()");
  EXPECT_EQ(
      place.stack,
      "/x/site-packages/torch/a.py:1 to() < train.py:42 step() < (lost) < train.py:60 <module>");
}

TEST_F(PlacesTest, AComprehensionIsALineOfItsFunction) {
  const OwnCode own{"", ""};
  CodeLocations places(own);
  const auto place = [&](const char* function) {
    return places.Of(Stack({Frame("a.py", 3, function)}));
  };
  EXPECT_EQ(place("f.<locals>.<listcomp>").where, "a.py:3 f()");
  EXPECT_EQ(place("f.<locals>.<listcomp>").stack, "a.py:3 f.<locals>.<listcomp>")
      << "Python's name";
  EXPECT_EQ(place("A.<genexpr>").where, "a.py:3 A()");
  EXPECT_EQ(place("f.<locals>.<genexpr>.<dictcomp>").where, "a.py:3 f()");
  EXPECT_EQ(place("<setcomp>").where, "a.py:3 <setcomp>");
  EXPECT_EQ(place("f.<locals>.<lambda>").where, "a.py:3 f.<locals>.<lambda>");
}

TEST_F(PlacesTest, WhatAConstructorHoldsIsItsUsers) {
  const OwnCode own{"/home/me", ""};
  CodeLocations places(own);
  const char* const run = "/home/me/run";
  const auto buffer = [&](const char* function) {
    return Native(run, function, "/home/me/buffer.h", 9);
  };
  const CodeStack::Frame user = Native(run, "blur", "/home/me/filter.cu", 12);
  const auto where = [&](const char* function) {
    return places.Of(Stack({buffer(function), user})).where;
  };
  EXPECT_EQ(where("ns::Buffer<float>::~Buffer"),
            "filter.cu:12 blur(), in buffer.h:9 ns::Buffer<float>::~Buffer()");
  EXPECT_EQ(
      where("Buffer<std::pair<int, int>>::Buffer(unsigned long)"),
      "filter.cu:12 blur(), in buffer.h:9 Buffer<std::pair<int, int>>::Buffer(unsigned long)");
  EXPECT_EQ(where("Buffer::resize"), "buffer.h:9 Buffer::resize()");
  EXPECT_EQ(where("blur::other::blur"), "buffer.h:9 blur::other::blur()");
  EXPECT_EQ(places.Of(Stack({buffer("Buffer::~Buffer"), {}, user})).where,
            "buffer.h:9 Buffer::~Buffer()")
      << "nobody knows who used it";
  EXPECT_EQ(places.Of(Stack({buffer("A::A"), buffer("B::B"), user})).where,
            "filter.cu:12 blur(), in buffer.h:9 A::A()");
  EXPECT_EQ(places.Of(Stack({buffer("Buffer::Buffer")})).where, "buffer.h:9 Buffer::Buffer()");
}

TEST_F(PlacesTest, BehindALostFrameThePlaceIsNotKnown) {
  const OwnCode own{"/home/me", ""};
  CodeLocations places(own);
  const CodeLocation& place = places.Of(Stack(
      {Frame("/x/site-packages/torch/a.py", 1, "to"), {}, Frame("/home/me/train.py", 42, "step")}));
  EXPECT_EQ(place.where, "");
  EXPECT_EQ(place.stack, "/x/site-packages/torch/a.py:1 to() < (lost) < train.py:42 step()");
}

TEST_F(PlacesTest, TextsOfStacksEndSomewhere) {
  const OwnCode own;
  CodeLocations places(own);
  const std::string name(4000, 'f');
  const std::vector<CodeStack::Frame> frames(100, Frame("a.py", 1, name));
  const std::string text = places.Of(Stack(frames)).stack;
  EXPECT_LT(text.size(), size_t{24} << 10);
  EXPECT_TRUE(text.ends_with(" < ..."));
}

TEST_F(PlacesTest, WithoutOwnCodeTheInnermostFrameIsThePlace) {
  const OwnCode own;
  CodeLocations places(own);
  EXPECT_EQ(
      places.Of(Stack({Frame("/usr/lib/a.py", 1, "f"), Frame("<string>", 2, "<module>")})).where,
      "/usr/lib/a.py:1 f()");
  EXPECT_EQ(
      places.Of(Stack({Frame("<string>", 5, "launcher"), Frame("/usr/lib/a.py", 1, "run")})).where,
      "/usr/lib/a.py:1 run()")
      << "nobody can look at what was made";
  EXPECT_EQ(places.Of(Stack({Frame("<string>", 2, "<module>")})).where, "<string>:2 <module>");
  EXPECT_EQ(places.Of(Stack({{}, Frame("/usr/lib/a.py", 1, "f")})).where, "");
}

TEST_F(PlacesTest, AStackThatWasCutSaysSo) {
  const OwnCode own;
  CodeLocations places(own);
  EXPECT_EQ(places.Of(Stack({Frame("a.py", 1, "f")}, true)).stack, "a.py:1 f() < ...");
  EXPECT_EQ(places.Of(Stack({Frame("a.py", 1, "f")}, true)).where, "a.py:1 f()");
}

TEST_F(PlacesTest, EachStackIsWorkedOutOnce) {
  const OwnCode own;
  CodeLocations places(own);
  const CodeStack* stack = Stack({Frame("a.py", 1, "f")});
  const CodeLocation* place = &places.Of(stack);
  for (int i = 0; i < 1000; ++i) places.Of(Stack({Frame("b.py", 1, "f")}));
  EXPECT_EQ(&places.Of(stack), place);
}

TEST_F(PlacesTest, TextsTakeOnlySoMuch) {
  const OwnCode own;
  CodeLocations places(own, 1000);
  const CodeStack* stack = Stack({Frame("a.py", 1, "f")});
  const std::string* where = &places.WhereOf(stack);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(places.Of(Stack({Frame("b.py", 1, "f")})).stack, "b.py:1 f()");
  EXPECT_EQ(places.Of(stack).stack, "a.py:1 f()");
  EXPECT_EQ(&places.WhereOf(stack), where) << "those are few";
}

}  // namespace
}  // namespace syncline
