// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over mutations of its seeds, the same ones every time: for compilers without
// libFuzzer and for the unit suite.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "model/testing/fuzz.h"

namespace {

using Random = std::mt19937_64;

// One small change, of the kinds that break parsers.
void Mutate(Random& random, const std::vector<std::string>& seeds, std::string* text) {
  const size_t at = text->empty() ? 0 : random() % text->size();
  const size_t length = 1 + random() % 64;
  static constexpr uint64_t kNumbers[] = {0,      1,          0x7f,       0x80,       0xff,
                                          0xffff, 0x7fffffff, 0xffffffff, UINT64_MAX, 1u << 20};
  switch (random() % 8) {
    case 0:
      if (!text->empty()) (*text)[at] = static_cast<char>((*text)[at] ^ (1 << random() % 8));
      break;
    case 1:
      if (!text->empty()) (*text)[at] = static_cast<char>(random());
      break;
    case 2: {
      const uint64_t number = kNumbers[random() % std::size(kNumbers)];
      const size_t bytes = size_t{1} << random() % 4;
      if (at + bytes <= text->size())
        text->replace(at, bytes, reinterpret_cast<const char*>(&number), bytes);
      break;
    }
    case 3:
      text->erase(at, length);
      break;
    case 4:
      text->resize(at);
      break;
    case 5:
      text->insert(at, text->substr(at, length));
      break;
    case 6: {
      const std::string& other = seeds[random() % seeds.size()];
      const size_t from = other.empty() ? 0 : random() % other.size();
      text->insert(at, other.substr(from, length));
      break;
    }
    default:
      text->insert(at, length, static_cast<char>(random() % 3));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 2000;
  const std::vector<std::string> seeds = syncline::testing::FuzzSeeds();
  Random random(7);
  auto run = [](const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  run("");
  for (const std::string& seed : seeds) run(seed);
  for (long round = 0; round < rounds; ++round) {
    std::string text = seeds[random() % seeds.size()];
    for (uint64_t changes = 1 + random() % 8; changes > 0; --changes) Mutate(random, seeds, &text);
    run(text);
  }
  std::printf("%ld mutations of %zu seeds\n", rounds, seeds.size());
  return 0;
}
