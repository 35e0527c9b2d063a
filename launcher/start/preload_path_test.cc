// SPDX-License-Identifier: Apache-2.0
// Tests of what LD_PRELOAD names.
#include "launcher/start/preload_path.h"

#include "model/testing/test_directory.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

TEST(PreloadPathTest, HasThePlatformWhereEachLeadsToTheLibrary) {
  TestDirectory directory;
  const std::string library = directory.Write("libsyncline.so", "64");
  EXPECT_EQ(PreloadPath(library), library);  // a wheel's
  const fs::path folder(directory / "syncline");
  for (const char* platform : {"i686", "x86_64", "haswell", "xeon_phi"})
    fs::create_directories(folder / platform);
  directory.Write("syncline/i686/libsyncline.so", "32");
  for (const char* platform : {"x86_64", "haswell"})
    fs::create_symlink("../../libsyncline.so", folder / platform / "libsyncline.so");
  EXPECT_EQ(PreloadPath(library), library);
  directory.Write("syncline/xeon_phi/libsyncline.so", "64");  // another file: a second copy
  EXPECT_EQ(PreloadPath(library), library);
  fs::remove(folder / "xeon_phi/libsyncline.so");
  fs::create_symlink("../../libsyncline.so", folder / "xeon_phi/libsyncline.so");
  EXPECT_EQ(PreloadPath(library), directory / "syncline/$PLATFORM/libsyncline.so");
  fs::remove(folder / "i686/libsyncline.so");
  EXPECT_EQ(PreloadPath(library), library);
}

}  // namespace
}  // namespace syncline
