// SPDX-License-Identifier: Apache-2.0
// How it is told what a thread did between two stacks.
#include "model/run/lines_between.h"

#include <gtest/gtest.h>

#include <deque>
#include <fstream>

namespace syncline {
namespace {

class LinesBetweenTest : public ::testing::Test {
 protected:
  LinesBetweenTest() : own_{::testing::TempDir(), ""}, places_(own_), teller_(places_) {
    std::ofstream(::testing::TempDir() + "/lines_between.py") << "def batches():\n"
                                                                 "    for i in range(30):\n"
                                                                 "        sleep(i)\n"
                                                                 "        yield pin()\n"
                                                                 "def train():\n"
                                                                 "    for x in batches():\n"
                                                                 "        x.cuda()\n"
                                                                 "        model(x)\n";
  }

  // The innermost first, as in a stack.
  struct At {
    uint32_t line;
    const char* function;
    uint64_t at = 0;
    const char* file = "lines_between.py";
  };
  const OwnFrames* Stack(std::initializer_list<At> frames) {
    CodeStack& stack = stacks_.emplace_back();
    for (const At& one : frames)
      stack.frames.push_back(&frames_.emplace_back(CodeStack::Frame{
          FrameKind::kPython, one.file, one.function, one.line, {}, false, one.at}));
    return &places_.PathOf(&stack);
  }
  LinesBetween Between(const OwnFrames* before, const OwnFrames* next) {
    return teller_.Between(before, next);
  }
  LinesBetween TailBetween(const OwnFrames* before, const OwnFrames* next, uint64_t ns = 400) {
    return teller_.TailBetween(before, next, ns);
  }
  void NoteWay(const OwnFrames* from, const OwnFrames* to, uint64_t ns) {
    teller_.NoteWay(from, to, ns);
  }

 private:
  const OwnCode own_;
  CodeLocations places_;
  LinesTeller teller_;
  std::deque<CodeStack::Frame> frames_;
  std::deque<CodeStack> stacks_;
};

TEST_F(LinesBetweenTest, TheDeepestFunctionThatBothAreIn) {
  const LinesBetween lines = Between(Stack({{8, "train"}, {9, "<module>"}}),
                                     Stack({{4, "batches"}, {6, "train"}, {9, "<module>"}}));
  EXPECT_EQ(lines.before, "lines_between.py:8 train()");
  EXPECT_EQ(lines.next, "lines_between.py:6 train()");
  EXPECT_EQ(lines.below, "lines_between.py:3 batches()") << "what runs before the call of line 4";
  EXPECT_EQ(lines.statement, "for x in batches():");
  EXPECT_EQ(lines.span, HostSpan::kData) << "the loop goes over what batches() makes";
}

TEST_F(LinesBetweenTest, TheHeadOfALoopMakesData) {
  const LinesBetween lines =
      Between(Stack({{8, "train"}, {9, "<module>"}}), Stack({{7, "train"}, {9, "<module>"}}));
  EXPECT_EQ(lines.next, "lines_between.py:6 train()");
  EXPECT_EQ(lines.below, "");
  EXPECT_EQ(lines.span, HostSpan::kData);
}

TEST_F(LinesBetweenTest, ACallOfOneLineGoesOn) {
  const char* const library = "/usr/lib/python3/dist-packages/torch/a.py";
  const LinesBetween lines = Between(Stack({{1, "f", 10, library}, {8, "train", 5}}),
                                     Stack({{2, "f", 20, library}, {8, "train", 5}}));
  EXPECT_EQ(lines.before, "lines_between.py:8 train()");
  EXPECT_EQ(lines.next, lines.before);
  EXPECT_EQ(lines.span, HostSpan::kWithin);
  // Further on in its line, without a library.
  EXPECT_EQ(Between(Stack({{8, "train", 5}}), Stack({{8, "train", 9}})).span, HostSpan::kWithin);
  // Back in its line: by the loop.
  Stack({{7, "train"}});
  const LinesBetween again = Between(Stack({{8, "train", 9}}), Stack({{8, "train", 5}}));
  EXPECT_EQ(again.span, HostSpan::kData);
  EXPECT_EQ(again.next, "lines_between.py:6 train()") << "of line 7 a call is known";
}

// The model's call of a frame comes behind that frame's copy: a later copy is of a later frame.
TEST_F(LinesBetweenTest, AFunctionThatGoesBackInItsLineWasLeft) {
  std::ofstream(::testing::TempDir() + "/frames.py") << "def infer(frame):\n"
                                                        "    mask = model(frame.cuda())\n"
                                                        "    count.add(mask)\n"
                                                        "def run():\n"
                                                        "    for n in range(9):\n"
                                                        "        frame = decode(n)\n"
                                                        "        infer(frame)\n"
                                                        "def each():\n"
                                                        "    [model(x.cuda()) for x in pin()]\n";
  const char* const file = "frames.py";
  const LinesBetween lines = Between(Stack({{2, "infer", 9, file}, {7, "run", 4, file}}),
                                     Stack({{2, "infer", 5, file}, {7, "run", 4, file}}));
  EXPECT_EQ(lines.next, "frames.py:6 run()");
  EXPECT_EQ(lines.statement, "frame = decode(n)");
  EXPECT_EQ(Between(Stack({{9, "each", 9, file}}), Stack({{9, "each", 5, file}})).next,
            "frames.py:9 each()")
      << "a loop within the line leads back";
}

// A step's function, which a loop calls: what it did last belongs to the way to its next call.
TEST_F(LinesBetweenTest, AFunctionThatALoopCallsAgainIsLeftBefore) {
  std::ofstream(::testing::TempDir() + "/steps.py") << "def step(n):\n"
                                                       "    prepare(n)\n"
                                                       "    train()\n"
                                                       "    read()\n"
                                                       "    keep_books()\n"
                                                       "def main():\n"
                                                       "    for n in range(9):\n"
                                                       "        step(n)\n"
                                                       "def train():\n"
                                                       "    forward()\n";
  const char* const file = "steps.py";
  const LinesBetween lines =
      Between(Stack({{4, "step", 0, file}, {8, "main", 0, file}}),
              Stack({{10, "train", 0, file}, {3, "step", 0, file}, {8, "main", 0, file}}));
  EXPECT_EQ(lines.before, "steps.py:5 step()");
  EXPECT_EQ(lines.next, "steps.py:8 main()");
  EXPECT_EQ(lines.below, "steps.py:2 step()");
}

TEST_F(LinesBetweenTest, LinesThatAreApart) {
  std::ofstream(::testing::TempDir() + "/apart.py") << "for x in range(3):\n"
                                                       "    load()\n"
                                                       "    a()\n"
                                                       "    b()\n"
                                                       "    rest()\n";
  const At a{3, "<module>", 3, "apart.py"}, b{4, "<module>", 4, "apart.py"};
  EXPECT_EQ(Between(Stack({b}), Stack({a})).next, "apart.py:2,5 <module>");
  EXPECT_EQ(Between(Stack({b}), Stack({a})).statement, "") << "they are two";
  EXPECT_EQ(Between(Stack({a}), Stack({b})).next, "apart.py:4 <module>");
}

TEST_F(LinesBetweenTest, WhatALoopDoesBehindItsLastCall) {
  std::ofstream(::testing::TempDir() + "/tail.py") << "for n in range(9):\n"
                                                      "    a(x)\n"
                                                      "    b(x)\n"
                                                      "    upload()\n";
  const At a{2, "<module>", 2, "tail.py"}, b{3, "<module>", 3, "tail.py"};
  EXPECT_EQ(Between(Stack({b}), Stack({a})).next, "tail.py:4 <module>");
  EXPECT_EQ(Between(Stack({b}), Stack({a})).span, HostSpan::kTail);
  EXPECT_EQ(Between(Stack({a}), Stack({b})).span, HostSpan::kBetween);
}

TEST_F(LinesBetweenTest, WhatTheFirstPassDidNotNeedIsTheTail) {
  std::ofstream(::testing::TempDir() + "/first.py") << "def train():\n"
                                                       "    for x in values():\n"
                                                       "        a(f(x))\n"
                                                       "        b(x)\n"
                                                       "        upload()\n"
                                                       "warm()\n"
                                                       "train()\n";
  const char* const file = "first.py";
  const OwnFrames* const a = Stack({{3, "train", 3, file}, {7, "<module>", 7, file}});
  const OwnFrames* const b = Stack({{4, "train", 4, file}, {7, "<module>", 7, file}});
  const OwnFrames* const warm = Stack({{6, "<module>", 6, file}});
  EXPECT_EQ(Between(b, a).next, "first.py:2-3,5 train()");
  NoteWay(warm, a, 100);
  const LinesBetween lines = TailBetween(b, a);
  EXPECT_EQ(lines.before, "first.py:4 train()");
  EXPECT_EQ(lines.next, "first.py:5 train()");
  EXPECT_EQ(lines.statement, "upload()");
  EXPECT_EQ(lines.span, HostSpan::kTail);
  EXPECT_EQ(TailBetween(warm, a).next, "") << "no loop leads there";
  EXPECT_EQ(TailBetween(b, a, 399).next, "") << "a quarter of it";
}

TEST_F(LinesBetweenTest, NoTailWhereNobodyKnowsHowSoonTheLoopWasEntered) {
  std::ofstream(::testing::TempDir() + "/entered.py") << "for x in values():\n"
                                                         "    a(f(x))\n"
                                                         "    upload()\n";
  const OwnFrames* const a = Stack({{2, "<module>", 2, "entered.py"}});
  NoteWay(a, a, 100);
  EXPECT_EQ(TailBetween(a, a).next, "");
}

TEST_F(LinesBetweenTest, TheTailOfALoopBesideItsNextCall) {
  std::ofstream(::testing::TempDir() + "/beside.py") << "for n in range(9):\n"
                                                        "    a(f(x))\n"
                                                        "    b(x)\n"
                                                        "    upload()\n"
                                                        "for y in values():\n"
                                                        "    a(f(x))\n"
                                                        "    b(x)\n"
                                                        "    upload()\n";
  const At a{2, "<module>", 2, "beside.py"}, b{3, "<module>", 3, "beside.py"};
  EXPECT_EQ(Between(Stack({b}), Stack({a})).next, "beside.py:2,4 <module>");
  EXPECT_EQ(Between(Stack({b}), Stack({a})).span, HostSpan::kTail);
  const At c{6, "<module>", 6, "beside.py"}, d{7, "<module>", 7, "beside.py"};
  EXPECT_EQ(Between(Stack({d}), Stack({c})).span, HostSpan::kBetween) << "or the next value";
}

// Nothing between two lines takes time: a library that the second one calls did.
TEST_F(LinesBetweenTest, ALibrarysWayToItsCallIsOfItsLine) {
  const char* const library = "/usr/lib/python3/dist-packages/torch/a.py";
  std::ofstream(::testing::TempDir() + "/way.py") << "a(x)\n"
                                                     "n = 3\n"
                                                     "b(x)\n";
  const At a{1, "<module>", 2, "way.py"}, b{3, "<module>", 3, "way.py"};
  const LinesBetween lines = Between(Stack({a}), Stack({{1, "f", 10, library}, b}));
  EXPECT_EQ(lines.next, "way.py:3 <module>");
  EXPECT_EQ(lines.before, lines.next);
  EXPECT_EQ(lines.span, HostSpan::kWithin);
  EXPECT_EQ(Between(Stack({a}), Stack({b})).span, HostSpan::kBetween) << "no library's Python";
}

TEST_F(LinesBetweenTest, WhatOthersHandOver) {
  std::ofstream(::testing::TempDir() + "/serve.py") << "while True:\n"
                                                       "    request = requests.get()\n"
                                                       "    answer = model(request.cuda()).cpu()\n";
  const At last{3, "<module>", 30, "serve.py"}, first{3, "<module>", 20, "serve.py"};
  const LinesBetween lines = Between(Stack({last}), Stack({first}));
  EXPECT_EQ(lines.next, "serve.py:2-3 <module>");
  EXPECT_EQ(lines.span, HostSpan::kAwaits);
  EXPECT_EQ(Between(Stack({first}), Stack({last})).span, HostSpan::kWithin);
}

TEST_F(LinesBetweenTest, SavingIsOneThing) {
  const std::string packages = "/usr/lib/python3/dist-packages/";
  const std::string saves = packages + "torch/serialization.py", other = packages + "tool/b.py";
  const At own{8, "train", 5};
  const LinesBetween lines =
      Between(Stack({{90, "_save", 10, saves.c_str()}, {10, "save", 1, saves.c_str()}, own}),
              Stack({{95, "_save", 20, saves.c_str()}, {10, "save", 1, saves.c_str()}, own}));
  EXPECT_EQ(lines.before, "torch/serialization.py:10 save()");
  EXPECT_EQ(lines.below, lines.before);
  const LinesBetween others =
      Between(Stack({{90, "f", 10, other.c_str()}, {10, "g", 1, other.c_str()}, own}),
              Stack({{95, "f", 20, other.c_str()}, {10, "g", 1, other.c_str()}, own}));
  EXPECT_EQ(others.before, "tool/b.py:90 f()");
  EXPECT_EQ(others.below, "tool/b.py:95 f()");
}

TEST_F(LinesBetweenTest, ThreeLinesAreToldOneByOne) {
  std::ofstream(::testing::TempDir() + "/three.py") << "for x in batches():\n"
                                                       "    a(x)\n"
                                                       "    b(x)\n"
                                                       "    write()\n"
                                                       "    rest()\n";
  const At a{2, "<module>", 2, "three.py"}, b{3, "<module>", 3, "three.py"};
  EXPECT_EQ(Between(Stack({b}), Stack({a})).next, "three.py:1,4-5 <module>");
}

// As Accelerate's loaders do: the batch is copied, the next one is made, and then the first comes.
TEST_F(LinesBetweenTest, ALoopsHeadThatWorksAheadGoesOn) {
  std::ofstream(::testing::TempDir() + "/ahead.py") << "def loader():\n"
                                                       "    while True:\n"
                                                       "        copied = copy()\n"  // 3
                                                       "        make()\n"
                                                       "        yield copied\n"
                                                       "for x in loader():\n"  // 6
                                                       "    prepare()\n"
                                                       "    model(x)\n";  // 8
  const At in_loader{3, "loader", 3, "ahead.py"}, head{6, "<module>", 6, "ahead.py"};
  const LinesBetween lines =
      Between(Stack({in_loader, head}), Stack({{8, "<module>", 8, "ahead.py"}}));
  EXPECT_EQ(lines.before, "ahead.py:3 loader()");
  EXPECT_EQ(lines.next, "ahead.py:6-7 <module>");
  EXPECT_EQ(lines.below, "ahead.py:4 loader()");
  EXPECT_EQ(lines.span, HostSpan::kData);
  const LinesBetween first =
      Between(Stack({in_loader, head}), Stack({{7, "<module>", 7, "ahead.py"}}));
  EXPECT_EQ(first.next, "ahead.py:6 <module>");
  EXPECT_EQ(first.statement, "for x in loader():");
}

TEST_F(LinesBetweenTest, WhatAFunctionDoesBehindItsLastCall) {
  std::ofstream(::testing::TempDir() + "/post.py") << "def step():\n"
                                                      "    prepare()\n"
                                                      "    launch()\n"  // 3
                                                      "def output(y):\n"
                                                      "    v = read(y)\n"  // 5
                                                      "    if v > 3:\n"
                                                      "        write(v)\n"
                                                      "    else:\n"
                                                      "        other(v)\n"
                                                      "    return v\n"
                                                      "for i in range(9):\n"
                                                      "    step()\n"  // 12
                                                      "    output(i)\n"
                                                      "    launch()\n";  // 14
  const At in_output{5, "output", 5, "post.py"}, calls_output{13, "<module>", 13, "post.py"};
  const At in_step{3, "step", 3, "post.py"}, calls_step{12, "<module>", 12, "post.py"};
  const auto from = Stack({in_output, calls_output});
  const auto behind = Stack({{14, "<module>", 14, "post.py"}});
  const LinesBetween both = Between(from, Stack({in_step, calls_step}));
  EXPECT_EQ(both.before, "post.py:7,9 output()");
  EXPECT_EQ(both.next, "post.py:12 <module>");
  EXPECT_EQ(both.below, "post.py:2 step()");
  const LinesBetween alone = Between(from, behind);
  EXPECT_EQ(alone.before, "post.py:5 output()");
  EXPECT_EQ(alone.next, "post.py:7,9 output()") << "nothing else is between them";
}

TEST_F(LinesBetweenTest, AmongSeveralLinesNobodyKnowsWhatMadeData) {
  std::ofstream(::testing::TempDir() + "/several.py") << "for x in batches():\n"
                                                         "    model(x)\n"
                                                         "    write()\n";
  const At model{2, "<module>", 2, "several.py"};
  const LinesBetween lines = Between(Stack({model}), Stack({model}));
  EXPECT_EQ(lines.next, "several.py:1,3 <module>");
  EXPECT_EQ(lines.span, HostSpan::kBetween);
}

// A function without a loop was left, and entered anew by the loop of another one.
TEST_F(LinesBetweenTest, ThroughTheLoopOutside) {
  std::ofstream(::testing::TempDir() + "/anew.py") << "def exchange():\n"
                                                      "    pack()\n"
                                                      "    copy()\n"
                                                      "def main():\n"
                                                      "    for i in range(9):\n"
                                                      "        sleep(3)\n"
                                                      "        exchange()\n";
  const At pack{2, "exchange", 2, "anew.py"}, copy{3, "exchange", 3, "anew.py"};
  const At main{7, "main", 5, "anew.py"};
  const LinesBetween lines = Between(Stack({copy, main}), Stack({pack, main}));
  EXPECT_EQ(lines.before, "anew.py:3 exchange()");
  EXPECT_EQ(lines.next, "anew.py:6 main()");
  EXPECT_EQ(lines.below, "");
  EXPECT_EQ(Between(Stack({pack, main}), Stack({copy, main})).next, "anew.py:3 exchange()");
}

TEST_F(LinesBetweenTest, OneLineLedToBoth) {
  const LinesBetween lines = Between(Stack({{70, "f", 0, "other.py"}, {9, "<module>", 4}}),
                                     Stack({{80, "g", 0, "other.py"}, {9, "<module>", 4}}));
  EXPECT_EQ(lines.before, "other.py:70 f()");
  EXPECT_EQ(lines.next, "lines_between.py:9 <module>");
  EXPECT_EQ(lines.below, "other.py:80 g()");
}

// unpack() is the last call of exchange(), which is on the stack no more.
TEST_F(LinesBetweenTest, AJumpToTheLastFunctionThatIsCalled) {
  std::ofstream(::testing::TempDir() + "/last_call.cc") << "void exchange() {\n"
                                                           "  pack(buffer);\n"
                                                           "  MPI_Sendrecv(buffer);\n"
                                                           "  unpack(buffer);\n"
                                                           "}\n"
                                                           "int main() {\n"
                                                           "  for (;;) {\n"
                                                           "    prepare();\n"
                                                           "    exchange();\n"
                                                           "  }\n"
                                                           "}\n";
  constexpr char kFile[] = "last_call.cc";
  const OwnFrames* packs = Stack({{2, "exchange", 20, kFile}, {9, "main", 90, kFile}});
  const OwnFrames* unpacks = Stack({{14, "unpack", 140, kFile}, {9, "main", 90, kFile}});
  LinesBetween lines = Between(packs, unpacks);
  EXPECT_EQ(lines.before, "last_call.cc:2 exchange()");
  EXPECT_EQ(lines.next, "last_call.cc:3 exchange()");
  EXPECT_EQ(lines.span, HostSpan::kExchange);
  lines = Between(unpacks, packs);
  EXPECT_EQ(lines.next, "last_call.cc:8 main()") << "through the loop";
  const OwnFrames* other = Stack({{14, "other", 140, kFile}, {9, "main", 90, kFile}});
  const OwnFrames* part = Stack({{14, "pack", 140, kFile}, {9, "main", 90, kFile}});
  EXPECT_EQ(Between(packs, part).next, "last_call.cc:8 main()") << "unpack() is another one";
  EXPECT_EQ(Between(packs, other).next, "last_call.cc:8 main()")
      << "one that exchange() never calls";
}

TEST_F(LinesBetweenTest, WhatIsNotKnownIsEmpty) {
  EXPECT_EQ(Between(nullptr, nullptr), LinesBetween());
  EXPECT_EQ(Between(Stack({{8, "train"}}), nullptr).before, "lines_between.py:8 train()");
  EXPECT_EQ(Between(nullptr, Stack({{8, "train"}})).next, "lines_between.py:8 train()");
  const LinesBetween strangers =
      Between(Stack({{1, "a", 0, "x.py"}}), Stack({{2, "b", 0, "y.py"}}));
  EXPECT_EQ(strangers.before, "x.py:1 a()");
  EXPECT_EQ(strangers.next, "y.py:2 b()");
}

}  // namespace
}  // namespace syncline
