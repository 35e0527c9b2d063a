// SPDX-License-Identifier: Apache-2.0
// Each format is well formed, whatever the names of the program are.
#include "contract/verdict_text.h"

#include <gtest/gtest.h>

#include "writers/files/json_fields.h"

namespace syncline {
namespace {

std::vector<Verdict> SomeVerdicts() {
  Verdict holds{"step < 3 ms", Outcome::kHolds, "2.00 ms", "< 3.00 ms", 2e6, "ns"};
  Verdict broken{"waits_per_step <= 2", Outcome::kBroken, "3", "<= 2", 3, "count"};
  broken.lines = {{"a,b.py:38 f()", "print(f\"100% <{x}>\") & y\n::error::no", 1.5, "sync"}};
  broken.lines_of = 3;
  broken.lines_are = "waits per step";
  Verdict unknown{"idle < 1 ms", Outcome::kUnknown};
  unknown.why = "the run has no steps";
  return {holds, broken, unknown};
}

RunMeasures SomeSteps(const char* name = "run") {
  RunMeasures run;
  run.name = name;
  run.steps = {{"step #", 20}, {"batch #", 5}};
  return run;
}

TEST(VerdictTextTest, People) {
  const std::string text = VerdictsText(SomeVerdicts(), SomeSteps());
  EXPECT_NE(text.find("BROKEN  waits_per_step <= 2\n        measured 3, wanted <= 2\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1.5 waits per step at a,b.py:38 f(): print(f\"100%"), std::string::npos);
  EXPECT_NE(text.find("and 2 more lines"), std::string::npos);
  EXPECT_NE(
      text.find("run: 1 of 3 hold, 1 broken, 1 not known; steps: 20 of `step #`, 5 of `batch #`\n"),
      std::string::npos);
  EXPECT_EQ(text.find("\n::error"), std::string::npos) << "a name begins no line";
  const std::string named = VerdictsText(SomeVerdicts(), SomeSteps("::error::##[x]"));
  EXPECT_NE(named.find("\n?:error::?#[x]: 1 of 3 hold"), std::string::npos) << named;
}

TEST(VerdictTextTest, Github) {
  const std::string text = VerdictsGithub(SomeVerdicts(), SomeSteps());
  EXPECT_TRUE(text.starts_with(
      "::error file=a%2Cb.py,line=38,title=syncline%3A waits_per_step <= 2::1.5 waits per step "))
      << text;
  EXPECT_NE(text.find("100%25 <{x}>"), std::string::npos);
  EXPECT_NE(text.find("\n::error title=syncline%3A idle < 1 ms::not known: the run has no steps\n"),
            std::string::npos)
      << text;
}

TEST(VerdictTextTest, Junit) {
  const std::string text = VerdictsJunit(SomeVerdicts(), SomeSteps("r\"u\xff n\x01"));
  EXPECT_NE(text.find("tests=\"3\" failures=\"1\" errors=\"1\""), std::string::npos);
  EXPECT_NE(text.find("name=\"waits_per_step &lt;= 2\""), std::string::npos);
  EXPECT_NE(text.find("classname=\"r&quot;u? n?\""), std::string::npos) << text;
  EXPECT_NE(text.find("&lt;{x}&gt;"), std::string::npos);
  EXPECT_NE(text.find("&amp; y"), std::string::npos);
}

TEST(VerdictTextTest, Programs) {
  const Json json = ParseJson(VerdictsJson(SomeVerdicts(), SomeSteps()));
  EXPECT_EQ(json["schema"], "syncline.check/1");
  EXPECT_EQ(json["broken"], 1);
  EXPECT_EQ(json["expressions"][1]["lines"][0]["line"], 38);
  EXPECT_EQ(json["expressions"][1]["lines"][0]["file"], "a,b.py");
  EXPECT_TRUE(json["expressions"][2]["value"].is_null());
}

}  // namespace
}  // namespace syncline
