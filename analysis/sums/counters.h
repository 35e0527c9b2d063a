// SPDX-License-Identifier: Apache-2.0
// Tells names that count ("epoch 1" to "epoch 5") from names that number things ("layer 1").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

// What the word before the first number of a family (NumberFamily) says.
enum class FamilyKind : uint8_t {
  kCounter,  // "epoch #", "request #", "tensor 0x#", "#"
  kThing,    // "layer #", "conv#", "fp#", "step#_load"
  kUnknown   // "solve #"
};
FamilyKind KindOfFamily(std::string_view family);

// What is known of a name with a number in it.
struct NumberedName {
  std::string name;
  uint64_t count = 0;  // ranges
  uint64_t order = 0;  // when it was seen first
};

// The families of which the names are one thing again and again: those that count by their word,
// and where the word is unknown those of which each name came once, one after the other, with
// numbers that grow. Names of things come again in each pass.
std::vector<std::string> CountingFamilies(std::vector<NumberedName> names);

}  // namespace syncline
