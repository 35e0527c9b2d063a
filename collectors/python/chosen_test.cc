// SPDX-License-Identifier: Apache-2.0
// Patterns of --python-ranges, and names that are kept once.
#include "collectors/python/chosen.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace syncline::test {
namespace {

class ChosenTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SYNCLINE_PYTHON_RANGES", "pipeline.denoise, *.VAE.decode,__main__.train_step", 1);
  }
};

TEST_F(ChosenTest, FunctionsAreFoundByModuleAndQualifiedName) {
  EXPECT_TRUE(python::AnyChosen());
  const python::Chosen* function = python::FindChosen("pipeline", "denoise");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(std::string(function->name, function->bytes), "pipeline.denoise");
  EXPECT_NE(python::FindChosen("models.vae", "VAE.decode"), nullptr);
  EXPECT_EQ(python::FindChosen("models.vae", "VAE.decode.<locals>.inner"), nullptr);
  EXPECT_EQ(python::FindChosen("pipeline", "denoise2"), nullptr);
  EXPECT_EQ(python::FindChosen("", "denoise"), nullptr);
}

TEST_F(ChosenTest, AFunctionOfTheSameNameIsTheSame) {
  const python::Chosen* first = python::FindChosen("a", "VAE.decode");
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(first, python::FindChosen("a", "VAE.decode"));
  EXPECT_NE(first, python::FindChosen("b", "VAE.decode"));
}

TEST_F(ChosenTest, TheMainModuleOfASpawnedWorkerIsTheMainModule) {
  const python::Chosen* function = python::FindChosen("__mp_main__", "train_step");
  ASSERT_NE(function, nullptr);
  EXPECT_STREQ(function->name, "__main__.train_step");
}

TEST_F(ChosenTest, ALongNameIsCut) {
  const std::string name = std::string(3000, 'x') + ".VAE.decode";
  EXPECT_EQ(python::FindChosen(name, "VAE.decode"), nullptr);
}

}  // namespace
}  // namespace syncline::test
