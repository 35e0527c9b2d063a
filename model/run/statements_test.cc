// SPDX-License-Identifier: Apache-2.0
// Which lines lie on the way from a call to the next.
#include "model/run/statements.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace syncline {
namespace {

using Lines = std::pair<uint32_t, uint32_t>;

class SourceText {
 public:
  SourceText(Language language, std::string text) : language_(language), text_(std::move(text)) {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      lines_.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  Lines Between(uint32_t before, uint32_t next, bool is_direct = true, bool is_same_pass = false) {
    const WayLines found = LinesOnTheWay(lines_, language_, {before, next, is_same_pass, is_direct},
                                         [&](uint32_t line) { return calls.contains(line); });
    makes_values = found.makes_values;
    exchanges = found.exchanges;
    awaits = found.awaits;
    is_entered_anew = found.is_entered_anew;
    return {found.first, found.last};
  }

  Lines ToTheReturn(uint32_t line) {
    const WayLines found = LinesToTheReturn(lines_, language_, line,
                                            [&](uint32_t other) { return calls.contains(other); });
    return {found.first, found.last};
  }

  std::set<uint32_t> calls;  // lines whose calls are known
  bool makes_values = false, exchanges = false, is_entered_anew = false, awaits = false;

 private:
  const Language language_;
  const std::string text_;
  std::vector<std::string_view> lines_;
};

constexpr char kLoop[] =
    "def train():\n"
    "    model = make().cuda()\n"
    "    for x, y in loader:\n"
    "        # load(x)\n"
    "        n = 'a(b)'\n"
    "        x = x.cuda()\n"  // 6
    "        prepare(x)\n"
    "        out = model(x)\n"  // 8
    "        out.backward()\n"  // 9
    "        if out.sum() > 3:\n"
    "            log(out)\n"
    "    save(model)\n";

TEST(StatementsTest, AFunctionThatWaitsForOthersIsAWaitForThem) {
  SourceText text(Language::kPython,
                  "class Loader:\n"
                  "    def next_batch(self):\n"
                  "        f = self.pending.pop(0)\n"
                  "        return f.result()\n"
                  "    def make(self):\n"
                  "        return slow()\n"
                  "    def run(self):\n"
                  "        for i in range(9):\n"
                  "            x = self.next_batch()\n"  // 9
                  "            a(x)\n"
                  "            y = self.make()\n"
                  "            z = other.next_batch()\n"
                  "            b(y)\n");
  text.Between(10, 10);
  EXPECT_TRUE(text.awaits);
  text.calls = {9};
  text.Between(10, 13);
  EXPECT_FALSE(text.awaits) << "its own work, and another class's function";
}

TEST(StatementsTest, ExchangesOfProcesses) {
  for (const auto& [line, is_one] : std::initializer_list<std::pair<const char*, bool>>{
           {"MPI_Sendrecv(out, 2048, MPI_DOUBLE, 0, 0, in)", true},
           {"MPI_Iallreduce(a, b)", true},
           {"call MPI_Wait(request, status, error)", true},
           {"comm.Barrier()", true},
           {"dist.all_reduce(x)", true},
           {"total = MPI.COMM_WORLD.allreduce(x)", true},
           {"MPI_Comm_rank(MPI_COMM_WORLD, &rank)", false},
           {"MPI_Init(&argc, &argv)", false},
           {"send(x)", false},
           {"queue.put(x)", false},
           {"prepare(MPI_DOUBLE)", false}}) {
    SourceText source(
        Language::kBraces,
        std::string("void f() {\n  copy();\n  ").append(line).append(";\n  copy();\n}\n"));
    EXPECT_EQ(source.Between(2, 4), Lines(3, 3)) << line;
    EXPECT_EQ(source.exchanges, is_one) << line;
  }
  SourceText both(Language::kBraces,
                  "void f() {\n  a();\n  MPI_Barrier(c);\n  work();\n  b();\n}\n");
  EXPECT_EQ(both.Between(2, 5), Lines(3, 4));
  EXPECT_FALSE(both.exchanges) << "nobody knows which of them took the time";
}

TEST(StatementsTest, WithoutALoopAFunctionIsEnteredAnew) {
  SourceText source(Language::kBraces, "void f() {\n  a();\n  b();\n}\n");
  source.Between(3, 2);
  EXPECT_TRUE(source.is_entered_anew);
  source.Between(2, 3);
  EXPECT_FALSE(source.is_entered_anew);
  SourceText loop(Language::kBraces, "void f() {\n  for (;;) {\n    a();\n    b();\n  }\n}\n");
  loop.Between(4, 3);
  EXPECT_FALSE(loop.is_entered_anew);
}

TEST(StatementsTest, WhatStandsBetweenTwoLines) {
  SourceText source(Language::kPython, kLoop);
  EXPECT_EQ(source.Between(6, 8), Lines(7, 7));
  EXPECT_EQ(source.Between(6, 8, false), Lines(7, 8)) << "what model() does first may take time";
  EXPECT_EQ(source.Between(8, 9), Lines(9, 9)) << "nothing is between";
  EXPECT_EQ(source.Between(8, 9, true, true), Lines(9, 9));
  EXPECT_FALSE(source.makes_values);
}

TEST(StatementsTest, ALoopComesBack) {
  SourceText source(Language::kPython, kLoop);
  EXPECT_EQ(source.Between(9, 6), Lines(3, 11));
  source.calls = {9, 10, 11};  // these would have ended the way
  EXPECT_EQ(source.Between(9, 6), Lines(3, 3));
  EXPECT_TRUE(source.makes_values);
  EXPECT_EQ(source.Between(9, 3), Lines(3, 3)) << "the call is the loop's own";
  EXPECT_TRUE(source.makes_values);
  EXPECT_EQ(source.Between(8, 8, true), Lines(3, 7)) << "of the pass before";
  EXPECT_EQ(source.Between(8, 8, false, true), Lines(8, 8)) << "of the same pass";
}

TEST(StatementsTest, NumbersOfALoopAreAtHand) {
  SourceText source(Language::kPython,
                    "for i in range(10):\n"
                    "    a(i)\n"
                    "while more():\n"
                    "    a(1)\n"
                    "while more():\n"
                    "    a(1)\n"
                    "    rest()\n");
  EXPECT_EQ(source.Between(2, 2), Lines(2, 2));
  EXPECT_EQ(source.Between(4, 4), Lines(3, 3)) << "nothing else is on the way";
  EXPECT_EQ(source.Between(6, 6), Lines(7, 7));
}

TEST(StatementsTest, ThePartsOfAModelAreAtHand) {
  for (const char* parts : {"self.layers", "enumerate(self.transformer.h)", "model.parameters()",
                            "zip(self.blocks, skips)"}) {
    SourceText source(Language::kPython, std::string("def forward(self, x):\n"
                                                     "    for layer in ") +
                                             parts +
                                             ":\n"
                                             "        x = layer(x)\n");
    source.calls = {3};
    EXPECT_EQ(source.Between(0, 3), Lines(3, 3)) << parts;
    EXPECT_FALSE(source.makes_values) << parts;
  }
  SourceText batches(Language::kPython,
                     "def fit(self):\n"
                     "    for batch in self.layers_of_data:\n"
                     "        step(batch)\n");
  EXPECT_EQ(batches.Between(0, 3), Lines(2, 2));
  EXPECT_TRUE(batches.makes_values);
}

TEST(StatementsTest, AFunctionIsEntered) {
  SourceText source(Language::kPython,
                    "def outer():\n"
                    "    before()\n"
                    "    def inner():\n"
                    "        sleep(1)\n"
                    "        for i in range(3):\n"
                    "            y = 1\n"
                    "            launch()\n");
  EXPECT_EQ(source.Between(0, 7), Lines(7, 7)) << "a loop ends the search where no line is known";
  EXPECT_EQ(source.Between(0, 5), Lines(4, 4));
}

TEST(StatementsTest, CodeInBraces) {
  SourceText source(Language::kBraces,
                    "static void run(int n) {\n"
                    "  for (int i = 0; i < n; ++i) {\n"
                    "    for (int k = 0; k < 40; ++k) sum += prepare(v, i);\n"
                    "    cudaMemcpy(d, v, 4, kind);  // prepare(w)\n"
                    "    add<<<1, 32>>>(d);\n"
                    "  }\n"
                    "}\n");
  EXPECT_EQ(source.Between(5, 4), Lines(3, 3));
  source.calls = {3};
  EXPECT_EQ(source.Between(5, 4), Lines(4, 4));
}

TEST(StatementsTest, AnythingIsTaken) {
  const std::string longest(100'000, '(');
  for (const Language language : {Language::kPython, Language::kBraces}) {
    SourceText odd(language, "\x27\x27\n\t\xff(\n\"\\\\\n" + longest + "\n\n   )(((\n");
    for (uint32_t before = 0; before < 9; ++before) {
      for (uint32_t next = 0; next < 9; ++next) odd.Between(before, next, false);
    }
  }
  SourceText none(Language::kPython, "");
  EXPECT_EQ(none.Between(3, 7), Lines(7, 7)) << "no text";
}

// Where nothing is called, a loop takes the time.
TEST(StatementsTest, LoopsThatCallNothing) {
  SourceText text(Language::kBraces,
                  "void step() {\n"
                  "  launch();\n"  // 2
                  "  for (int i = 0; i < n; ++i)\n"
                  "    for (int j = 0; j < n; ++j) sum += v[i] * w[j];\n"
                  "  for (int k = 0; k < 3; ++k) launch();\n"
                  "  launch();\n"  // 6
                  "#pragma omp barrier\n"
                  "  for (int i = 0; i < n; ++i) v[i] = 0;\n"
                  "  launch();\n"  // 9
                  "}\n");
  text.calls = {2, 5, 6, 9};
  EXPECT_EQ(text.Between(2, 5), Lines(3, 3));
  EXPECT_EQ(text.Between(2, 6), Lines(3, 3)) << "of the other one a call is known";
  EXPECT_EQ(text.Between(9, 2), Lines(2, 2)) << "it is no loop that leads back";
  EXPECT_EQ(text.Between(6, 9), Lines(7, 8));
  SourceText python(Language::kPython,
                    "def step(rows):\n"
                    "    launch()\n"  // 2
                    "    ids = [row[0] for row in rows]\n"
                    "    launch(ids)\n");
  python.calls = {2, 4};
  EXPECT_EQ(python.Between(2, 4), Lines(3, 4));
}

TEST(StatementsTest, WhereThreadsMeetIsToldBesideWhatIsCalled) {
  SourceText text(Language::kBraces,
                  "void step() {\n"
                  "  launch();\n"  // 2
                  "  CHECK(cudaEventRecord(done, s));\n"
                  "#pragma omp barrier\n"
                  "  launch();\n"  // 5
                  "  print();\n"
                  "#pragma omp barrier\n"
                  "  launch();\n"  // 8
                  "}\n");
  text.calls = {2, 5, 8};
  EXPECT_EQ(text.Between(2, 5), Lines(4, 4)) << "a word to the device takes no time";
  EXPECT_EQ(text.Between(5, 8), Lines(6, 7)) << "nobody knows which";
}

TEST(StatementsTest, AWaitBesideAnExchangeIsForThat) {
  SourceText text(Language::kPython,
                  "def pass_on():\n"
                  "    if batched:\n"
                  "        for work in dist.batch_isend_irecv(ops):\n"
                  "            work.wait()\n"
                  "    else:\n"
                  "        dist.recv(tensor, peer)\n"
                  "    launch()\n"  // 7
                  "def take():\n"
                  "    done.wait()\n"
                  "    launch()\n");
  text.calls = {7, 10};
  EXPECT_EQ(text.Between(0, 7), Lines(3, 6));
  EXPECT_FALSE(text.awaits);
  EXPECT_EQ(text.Between(0, 10), Lines(9, 9));
  EXPECT_TRUE(text.awaits);
}

TEST(StatementsTest, ArithmeticTakesNoTime) {
  SourceText text(Language::kBraces,
                  "void step() {\n"
                  "  launch();\n"  // 2
                  "  MPI_Allreduce(norm);\n"
                  "  norm = std::sqrt(norm);\n"
                  "  std::swap(a, b);\n"
                  "  launch();\n"  // 6
                  "  log(norm);\n"
                  "  launch();\n"  // 8
                  "}\n");
  text.calls = {2, 6, 8};
  EXPECT_EQ(text.Between(2, 6), Lines(3, 3));
  EXPECT_TRUE(text.exchanges);
  EXPECT_EQ(text.Between(6, 8), Lines(7, 7)) << "which writes a file";
}

// A function in one line begins in that line, and one whose arguments stand below its name there.
TEST(StatementsTest, NothingBeforeAFunctionIsOnTheWay) {
  SourceText text(Language::kBraces,
                  "void kernel(float* p) { *p = 1; }\n"
                  "void step() { launch(); launch(); }\n"  // 2
                  "\n"
                  "void pack\n"
                  "(double* buffer, int size)\n"
                  "{\n"
                  "  int n = 4;\n"
                  "  launch(n);\n"  // 8
                  "}\n");
  text.calls = {2, 8};
  EXPECT_EQ(text.Between(0, 2), Lines(2, 2));
  EXPECT_EQ(text.Between(0, 8), Lines(8, 8));
  EXPECT_EQ(text.Between(2, 2), Lines(2, 2));
  EXPECT_TRUE(text.is_entered_anew) << "no loop leads back within the line";
}

TEST(StatementsTest, FunctionsOnTheWayAreMadeNotCalled) {
  SourceText text(Language::kPython,
                  "launch()\n"  // 1
                  "prepare()\n"
                  "def step():\n"
                  "    other()\n"
                  "    for i in range(9): x += i\n"
                  "def main():\n"
                  "    step()\n"
                  "if True:\n"
                  "    main()\n");
  text.calls = {1};
  EXPECT_EQ(text.Between(1, 9), Lines(2, 2));
}

TEST(StatementsTest, DirectivesStandInNoBlock) {
  SourceText text(Language::kBraces,
                  "void run() {\n"
                  "  setup();\n"
                  "  for (int i = 0; i < n; ++i) {\n"
                  "    prepare();\n"
                  "#ifdef CHECKED(x)\n"
                  "    check();\n"
                  "#endif\n"
                  "    launch();\n"  // 8
                  "  }\n"
                  "}\n");
  text.calls = {8};
  EXPECT_EQ(text.Between(8, 8), Lines(4, 6));
}

TEST(StatementsTest, BetweenTwoPassesOfAnInnerLoop) {
  SourceText text(Language::kPython,
                  "def epochs(model):\n"
                  "    prepare()\n"
                  "    for _ in range(8):\n"
                  "        shuffle()\n"  // 4
                  "        for _ in range(5):\n"
                  "            step(model)\n"  // 6
                  "        if late():\n"
                  "            save()\n"
                  "    report()\n");
  text.calls = {6};
  EXPECT_EQ(text.Between(6, 6), Lines(4, 8));
  EXPECT_EQ(text.Between(6, 6, false), Lines(6, 6)) << "in the line itself";
  text.calls = {6, 4, 7, 8};
  EXPECT_EQ(text.Between(6, 6), Lines(6, 6));
  SourceText alone(Language::kPython,
                   "def epochs(model):\n"
                   "    prepare()\n"
                   "    for _ in range(5):\n"
                   "        step(model)\n"
                   "    report()\n");
  EXPECT_EQ(alone.Between(4, 4), Lines(4, 4)) << "there is no loop around it";
}

// A call whose brackets close on another line looks like the head of a function.
TEST(StatementsTest, ACallOfSeveralLinesIsNoFunction) {
  SourceText text(Language::kBraces,
                  "static void exchange(int next,\n"
                  "                     int before)\n"
                  "{\n"
                  "  cudaMemcpy(out, d_out, bytes, kind);\n"  // 4
                  "  MPI_Sendrecv(out, n, MPI_DOUBLE, next,  // to the right\n"
                  "               in, n, MPI_DOUBLE, before, MPI_COMM_WORLD);\n"
                  "  cudaMemcpy(d_in, in, bytes, kind);\n"  // 7
                  "}\n");
  EXPECT_EQ(text.Between(4, 7), Lines(5, 5));
  EXPECT_TRUE(text.exchanges);
  EXPECT_EQ(text.Between(7, 4), Lines(4, 4));
  EXPECT_TRUE(text.is_entered_anew) << "the head is one, although its brackets close later";
}

TEST(StatementsTest, WhatLooksAtACallsResultTakesNoTime) {
  SourceText text(Language::kBraces,
                  "void step() {\n"
                  "  CUDA(launch(values.data()));\n"  // 2
                  "  check_error(prepare(), __LINE__);\n"
                  "  CUDA(copy(values.data(), values.size()));\n"  // 4
                  "  CHECK_ALL();\n"
                  "  CUDA(launch(make()));\n"  // 6
                  "}\n");
  text.calls = {2, 4, 6};
  EXPECT_EQ(text.Between(2, 4), Lines(3, 3));
  EXPECT_EQ(text.Between(4, 6), Lines(5, 6));
}

TEST(StatementsTest, MarksTakeNoTime) {
  SourceText text(Language::kPython,
                  "def train():\n"
                  "    for step in range(9):\n"
                  "        torch.cuda.nvtx.range_push(f'step {step}')\n"
                  "        batch = load()\n"
                  "        model(batch)\n"  // 5
                  "        loss.item()\n"
                  "        torch.cuda.nvtx.range_pop()\n");
  text.calls = {5, 6};
  EXPECT_EQ(text.Between(6, 5), Lines(4, 4));
}

TEST(StatementsTest, Fortran) {
  SourceText text(Language::kFortran,
                  "INTEGER FUNCTION Loop(field)\n"
                  "  DO step = 1, steps\n"
                  "    call multiply()\n"
                  "    call check(cudaDeviceSynchronize())  ! then boundary()\n"  // 4
                  "    CALL boundary\n"
                  "    CALL MPI_Allreduce(a, b, 1)\n"
                  "    call check(cudaMemcpy(a, field))\n"  // 7
                  "    write (*, *) 'boundary()!'\n"
                  "  END DO\n"
                  "END FUNCTION\n");
  text.calls = {3, 4, 7};
  EXPECT_EQ(text.Between(4, 7), Lines(5, 6));
  EXPECT_FALSE(text.exchanges);
  EXPECT_EQ(text.Between(5, 7), Lines(6, 6));
  EXPECT_TRUE(text.exchanges);
  EXPECT_EQ(text.Between(7, 3), Lines(8, 8)) << "by the loop";
  SourceText arrays(Language::kFortran,
                    "do step = 1, steps\n"
                    "  call multiply()\n"
                    "  call copy(field)\n"  // 3
                    "  if (MaxVal(field) > limit(3)) stop 2\n"
                    "  last = limit(step)\n"
                    "end do\n");
  arrays.calls = {2, 3};
  EXPECT_EQ(arrays.Between(3, 2), Lines(4, 4)) << "limit is an array, maxval goes through one";
  EXPECT_EQ(LanguageOf("a/solver.F90"), Language::kFortran);
  EXPECT_EQ(LanguageOf("a/solver.cu"), Language::kBraces);
}

TEST(StatementsTest, WhatAFunctionDoesUntilItReturns) {
  SourceText python(Language::kPython,
                    "def forward(x):\n"
                    "    if fast:\n"
                    "        return kernel(x)\n"  // 3
                    "    try:\n"
                    "        y = launch(x)\n"  // 5
                    "    except Error:\n"
                    "        report()\n"
                    "    tail(y)\n"
                    "    return slow(y)\n"
                    "    never()\n"
                    "other()\n");
  EXPECT_EQ(python.ToTheReturn(3), Lines(3, 3)) << "it returned";
  EXPECT_EQ(python.ToTheReturn(5), Lines(8, 9));
  EXPECT_EQ(python.ToTheReturn(11), Lines(11, 11)) << "in no function";
  SourceText braces(Language::kBraces,
                    "void run() {\n"
                    "  setup();\n"
                    "  pool.submit([&] {\n"
                    "    launch(a,\n"  // 4
                    "           prepare(b));\n"
                    "    CHECK(getLastError());\n"
                    "    after();\n"
                    "  });\n"
                    "  wait();\n"
                    "}\n"
                    "auto next(int n) -> void {\n"
                    "  launch();\n"  // 12
                    "}\n");
  braces.calls = {4, 12};
  EXPECT_EQ(braces.ToTheReturn(4), Lines(7, 7));
  EXPECT_EQ(braces.Between(0, 4), Lines(4, 4)) << "of the lambda alone";
  EXPECT_EQ(braces.Between(0, 12), Lines(12, 12));
}

// "a.update(x.cpu())": what is called with the value comes behind the read.
TEST(StatementsTest, WhatALineDoesWithWhatItReadBack) {
  SourceText text(Language::kPython,
                  "for x in batches:\n"
                  "    y = model(x.cuda())\n"
                  "    metric.update(y.cpu())\n"
                  "    losses.append(y.item())\n"
                  "def detect(x):\n"
                  "    return post(model(x).cpu())\n");
  text.calls = {2, 3, 4};
  EXPECT_EQ(text.Between(3, 4), Lines(3, 4));
  EXPECT_EQ(text.Between(3, 2), Lines(1, 3)) << "or what makes the next value";
  EXPECT_EQ(text.Between(4, 2), Lines(1, 2)) << "it only keeps the value";
  EXPECT_EQ(text.ToTheReturn(6), Lines(6, 6));
}

TEST(StatementsTest, AConditionThatAwaitsOthers) {
  SourceText text(Language::kBraces,
                  "while (auto f = ready.pop()) {\n"
                  "  infer(*f);\n"
                  "  free.push(*f);\n"
                  "}\n");
  text.calls = {2};
  EXPECT_EQ(text.Between(2, 2, false), Lines(1, 3));
  EXPECT_TRUE(text.awaits);
}

TEST(StatementsTest, AClassAroundAnExchange) {
  for (const char* line : {"  halo.exchange(left, right);\n", "  exchange_halos(field);\n"}) {
    SourceText text(Language::kBraces, std::string("  launch(a);\n") + line + "  launch(b);\n");
    text.calls = {1, 3};
    EXPECT_EQ(text.Between(1, 3), Lines(2, 2)) << line;
    EXPECT_TRUE(text.exchanges) << line;
  }
  SourceText other(Language::kBraces,
                   "  launch(a);\n  was = ready.exchange(true);\n  launch(b);\n");
  other.calls = {1, 3};
  EXPECT_EQ(other.Between(1, 3), Lines(2, 2));
  EXPECT_FALSE(other.exchanges) << "an atomic's";
}

}  // namespace
}  // namespace syncline
