// SPDX-License-Identifier: Apache-2.0
// Unpacks what xz packed, where the system has liblzma.
#pragma once

#include <string>
#include <string_view>

namespace syncline {

// "": no liblzma, damaged, or more than 256 MiB.
std::string UnpackXz(std::string_view packed);

}  // namespace syncline
