// SPDX-License-Identifier: Apache-2.0
// What was compressed is read again, by each library; what is damaged is said.
#include "writers/files/gunzip.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "model/testing/scratch.h"
#include "writers/files/file_sink.h"

namespace syncline {
namespace {

std::string Whole(const std::string& path, GzipCodec codec, size_t piece, bool* ok) {
  GunzipFile file;
  std::string text;
  *ok = file.Open(path, codec).ok();
  std::vector<char> buffer(piece);
  for (size_t got = 1; *ok && got != 0;) {
    *ok = file.Read(buffer.data(), buffer.size(), &got).ok();
    text.append(buffer.data(), got);
  }
  return text;
}

class GunzipTest : public ::testing::TestWithParam<GzipCodec> {
 protected:
  // Members of many lengths, some longer than the buffer.
  std::string Write(const std::string& path) {
    std::string text;
    FileSink file;
    EXPECT_TRUE(file.Open(path).ok());
    GzipSink gzip(&file);
    for (uint32_t i = 0, random = 1; i < 40; ++i) {
      std::string member;
      for (uint32_t k = 0; k < i * i * 400 + 1; ++k) {
        random = random * 1664525 + 1013904223;
        member.push_back(static_cast<char>(random >> 24));
      }
      EXPECT_TRUE(gzip.Write(member).ok());
      text += member;
    }
    EXPECT_TRUE(file.Commit().ok());
    return text;
  }
  testing::Scratch scratch_;
  bool ok_ = false;
};

TEST_P(GunzipTest, AllMembersInPiecesOfAnySize) {
  const std::string text = Write(scratch_ / "f");
  for (const size_t piece : {size_t{7}, size_t{4096}, size_t{1} << 20}) {
    EXPECT_EQ(Whole(scratch_ / "f", GetParam(), piece, &ok_), text);
    EXPECT_TRUE(ok_);
  }
}

TEST_P(GunzipTest, WhatIsCutOrDamagedIsSaid) {
  const std::string text = Write(scratch_ / "f");
  std::ifstream file(scratch_ / "f", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::ofstream(scratch_ / "cut", std::ios::binary) << whole.substr(0, whole.size() - 5);
  const std::string read = Whole(scratch_ / "cut", GetParam(), 4096, &ok_);
  EXPECT_FALSE(ok_);
  EXPECT_TRUE(text.starts_with(read));
  std::string damaged = whole;
  damaged[whole.size() / 2] ^= 0x55;
  std::ofstream(scratch_ / "damaged", std::ios::binary) << damaged;
  Whole(scratch_ / "damaged", GetParam(), 4096, &ok_);
  EXPECT_FALSE(ok_);
}

TEST_P(GunzipTest, OtherFilesAreTakenAsTheyAre) {
  for (const std::string text : {"", "{", "plain text"}) {
    std::ofstream(scratch_ / "f") << text;
    EXPECT_EQ(Whole(scratch_ / "f", GetParam(), 4, &ok_), text);
    EXPECT_TRUE(ok_);
  }
  Whole(scratch_ / "none", GetParam(), 4, &ok_);
  EXPECT_FALSE(ok_);
}

INSTANTIATE_TEST_SUITE_P(Both, GunzipTest, ::testing::Values(GzipCodec::kIsal, GzipCodec::kZlib));

}  // namespace
}  // namespace syncline
