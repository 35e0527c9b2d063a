// SPDX-License-Identifier: Apache-2.0
// Text that only the command needs: quoted words, errors, names of files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_name.h"
#include "base/text.h"

namespace syncline {

// As any POSIX shell reads it back, for scripts: only what needs quotes gets them.
std::string ScriptWord(std::string_view word);

// The same for people: what would control a terminal is written as $'\033', as bash, zsh and ksh
// know it.
std::string ShellQuote(std::string_view word);
std::string ShellQuote(const std::vector<std::string>& words);

// strerror without its thread trap.
std::string ErrorText(int error);

// FNV-1a, for names of files that stand for a key.
uint64_t HashText(std::string_view text);
std::string HexText(uint64_t value);

}  // namespace syncline
