// SPDX-License-Identifier: Apache-2.0
// Functions of this program itself, and of libraries stripped in each way.
#include "symbols/native_symbols.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/core/file_mark.h"
#include "model/testing/scratch.h"
#include "symbols/elf_file.h"
#include "symbols/libdw.h"
#include "symbols/testing/native_victims.h"

namespace syncline {

__attribute__((noinline)) int KnownToTheTestOfNativeSymbols(int value) { return value * 3; }

namespace {

using testing::BytesOf;
using testing::Scratch;
using testing::VictimCalls;
using testing::VictimPath;
using testing::WriteBytes;

uint64_t OwnBias() {
  uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* module, size_t, void* to) {
        *static_cast<uint64_t*>(to) = module->dlpi_addr;
        return 1;  // the program is the first
      },
      &bias);
  return bias;
}

std::string BuildIdOf(const std::string& path) {
  const std::unique_ptr<ElfFile> file = ElfFile::Open(path);
  return file == nullptr ? "" : file->build_id();
}

std::string FunctionsAt(NativeSymbols* symbols, const NativeModule& module, uint64_t address) {
  std::string text;
  for (const NativeName& name : symbols->At(module, address)) {
    text += (text.empty() ? "" : " < ") + name.function;
    if (name.line != 0) text += " " + name.file + ":" + std::to_string(name.line);
  }
  return text;
}

// The outermost functions alone, of all calls of a victim.
std::vector<std::string> OutermostNames(const std::string& victim,
                                        const std::vector<uint64_t>& calls = VictimCalls()) {
  NativeSymbols symbols;
  std::vector<std::string> names;
  for (const uint64_t address : calls)
    names.push_back(symbols.At({VictimPath(victim), ""}, address).back().function);
  return names;
}

bool IsBuilt(const std::string& victim) { return access(VictimPath(victim).c_str(), R_OK) == 0; }

// As the compiler calls it that made the victim.
#ifdef __clang__
constexpr char kLambda[] = "VictimRun::$_0::operator()";
#else
constexpr char kLambda[] = "VictimRun::{lambda#1}";
#endif

const std::vector<std::string> kAllNames = {
    "victim::Solver::run", "victim::(anonymous namespace)::Hidden", kLambda, "VictimRun"};

TEST(NativeSymbols, FindsAFunctionOfThisProgram) {
  NativeSymbols symbols;
  const auto address = reinterpret_cast<uint64_t>(&KnownToTheTestOfNativeSymbols) - OwnBias();
  const std::vector<NativeName>& names = symbols.At({"/proc/self/exe", ""}, address + 1);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.back().function, "syncline::KnownToTheTestOfNativeSymbols");
  EXPECT_EQ(&names, &symbols.At({"/proc/self/exe", ""}, address + 1)) << "worked out once";
}

TEST(NativeSymbols, WithoutAFileTheOffsetIsSaid) {
  NativeSymbols symbols;
  EXPECT_EQ(symbols.At({"/no/such/libfoo.so", "\x01"}, 0x1234)[0].function, "libfoo.so+0x1234");
  EXPECT_EQ(symbols.At({"", ""}, 1)[0].function, "unknown+0x1");
  EXPECT_EQ(symbols.At({"/", ""}, 1)[0].function, "unknown+0x1");
  EXPECT_EQ(symbols.At({"/dev/zero", ""}, 1)[0].function, "zero (deleted)+0x1") << "no program";
  EXPECT_EQ(symbols.At({VictimPath("whole.so"), ""}, UINT64_MAX)[0].function,
            "whole.so+0xffffffffffffffff");
}

TEST(NativeSymbols, AFileOfAnotherBuildIsNotUsed) {
  ASSERT_EQ(VictimCalls().size(), 4u);
  const std::string path = VictimPath("whole.so"), id = BuildIdOf(path);
  ASSERT_EQ(id.size(), 20u);
  NativeSymbols symbols;
  EXPECT_EQ(symbols.At({path, id}, VictimCalls()[0]).back().function, "victim::Solver::run");
  for (const std::string& other : {id.substr(1), id + "x", std::string("other")})
    EXPECT_TRUE(symbols.At({path, other}, VictimCalls()[0])[0].function.starts_with(
        "whole.so (deleted)+0x"));
  EXPECT_TRUE(
      symbols.At({VictimPath("anonymous.so"), id}, VictimCalls()[0])[0].function.starts_with(
          "anonymous.so (deleted)+0x"));
}

TEST(NativeSymbols, WithoutABuildIdTheFileItselfTells) {
  ASSERT_EQ(VictimCalls().size(), 4u);
  const Scratch scratch;
  const std::string path = scratch / "anonymous.so";
  WriteBytes(path, BytesOf(VictimPath("anonymous.so")));
  const uint64_t mark = FileMarkOf(path.c_str());
  const uint64_t address = VictimCalls("anonymous.so")[0];
  NativeSymbols symbols;
  EXPECT_EQ(symbols.At({path, "", mark}, address).back().function, "victim::Solver::run");
  const timespec times[2] = {{1, 2}, {3, 4}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  NativeSymbols later;
  const NativeName& gone = later.At({path, "", mark}, address).back();
  EXPECT_TRUE(gone.function.starts_with("anonymous.so (deleted)+0x")) << gone.function;
  EXPECT_TRUE(gone.gone);
  unlink(path.c_str());
  NativeSymbols last;
  EXPECT_TRUE(last.At({path, "", mark}, address).back().gone);
}

TEST(NativeSymbols, LinesAndWhatIsInlined) {
  if (FindLibdw() == nullptr) GTEST_SKIP() << "no libdw.so.1 here";
  ASSERT_EQ(VictimCalls().size(), 4u);
  NativeSymbols symbols;
  const NativeModule whole{VictimPath("whole.so"), ""};
  const std::string inlined = FunctionsAt(&symbols, whole, VictimCalls()[0]);
  EXPECT_TRUE(
      inlined.starts_with("victim::(anonymous namespace)::Innermost<1> "
                          "/source/inner.h:14 < victim::Middle::step "))
      << inlined;
  EXPECT_TRUE(inlined.ends_with("/middle.h:24 < victim::Solver::run /source/outer.cc:34"))
      << inlined;
  EXPECT_EQ(FunctionsAt(&symbols, whole, VictimCalls()[1]),
            "victim::(anonymous namespace)::Hidden /source/outer.cc:42");
  EXPECT_EQ(FunctionsAt(&symbols, whole, VictimCalls()[2]),
            std::string(kLambda) + " /source/outer.cc:54");
  EXPECT_EQ(FunctionsAt(&symbols, whole, VictimCalls()[3]), "VictimRun /source/outer.cc:57");
  EXPECT_TRUE(symbols.problems().empty());
}

TEST(NativeSymbols, AStrippedFileHasItsExportedNames) {
  ASSERT_EQ(VictimCalls().size(), 4u);
  EXPECT_EQ(OutermostNames("whole.so"), kAllNames);
  if (!IsBuilt("stripped.so")) GTEST_SKIP() << "no objcopy or strip here";
  const std::vector<std::string> names = OutermostNames("stripped.so");
  EXPECT_EQ(names[3], "VictimRun");
  EXPECT_TRUE(names[1].starts_with("stripped.so+0x")) << names[1];
}

TEST(NativeSymbols, PackedSymbolsAreUnpacked) {
  if (!IsBuilt("packed.so")) GTEST_SKIP() << "no objcopy, strip or xz here";
  EXPECT_EQ(OutermostNames("packed.so"), kAllNames);
}

TEST(NativeSymbols, TheFileOfDebugInformationIsFoundByItsName) {
  if (!IsBuilt("linked.so")) GTEST_SKIP() << "no objcopy or strip here";
  EXPECT_EQ(OutermostNames("linked.so"), kAllNames);
  EXPECT_EQ(OutermostNames("linked_anonymous.so", VictimCalls("anonymous.so")), kAllNames);
  if (FindLibdw() == nullptr) GTEST_SKIP() << "no libdw.so.1 here";
  NativeSymbols symbols;
  const std::string inlined =
      FunctionsAt(&symbols, {VictimPath("linked.so"), ""}, VictimCalls()[0]);
  EXPECT_TRUE(inlined.starts_with("victim::(anonymous namespace)::Innermost<1> ")) << inlined;
}

// A file of debug information that belongs to another build would give wrong names.
TEST(NativeSymbols, AnotherFilesDebugInformationIsNotUsed) {
  if (!IsBuilt("linked.so")) GTEST_SKIP() << "no objcopy or strip here";
  const Scratch scratch;
  const auto hidden = [&](const std::string& name, uint64_t address) {
    NativeSymbols symbols;
    return symbols.At({scratch / name, ""}, address).back().function;
  };
  uint64_t address = VictimCalls()[1];
  WriteBytes(scratch / "linked.so", BytesOf(VictimPath("linked.so")));
  EXPECT_TRUE(hidden("linked.so", address).starts_with("linked.so+0x")) << "there is none";
  WriteBytes(scratch / "linked.so.debug", BytesOf(VictimPath("anonymous.so")));
  EXPECT_TRUE(hidden("linked.so", address).starts_with("linked.so+0x")) << "of another build";
  WriteBytes(scratch / "linked.so.debug", BytesOf(VictimPath("linked.so.debug")));
  EXPECT_EQ(hidden("linked.so", address), kAllNames[1]);

  address = VictimCalls("anonymous.so")[1];
  const std::string name = "linked_anonymous.so";
  const std::string debug = BytesOf(VictimPath(".debug/linked_anonymous.so.debug"));
  WriteBytes(scratch / name, BytesOf(VictimPath(name)));
  WriteBytes(scratch / (name + ".debug"), debug + "x");
  EXPECT_TRUE(hidden(name, address).starts_with(name + "+0x")) << "another checksum";
  WriteBytes(scratch / (name + ".debug"), debug);
  EXPECT_EQ(hidden(name, address), kAllNames[1]);
}

TEST(NativeSymbols, AFileWithoutABuildIdIsTakenIfNoneWasRecorded) {
  NativeSymbols symbols;
  EXPECT_EQ(
      symbols.At({VictimPath("anonymous.so"), ""}, VictimCalls("anonymous.so")[3]).back().function,
      "VictimRun");
}

}  // namespace
}  // namespace syncline
