// SPDX-License-Identifier: Apache-2.0
// Texts and numbers for a page of HTML. Texts of the recorded program are hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace syncline {

// Longer texts are cut.
inline constexpr size_t kMaxHtmlText = 400;

// Valid UTF-8 on one line: blanks for line ends and tabs, U+FFFD for what is invalid, for other
// control characters and for what turns the direction of text or cannot be seen.
std::string CleanText(std::string_view text, size_t most = kMaxHtmlText);

// The same, escaped for an element's content and for an attribute in double quotes.
std::string HtmlText(std::string_view text, size_t most = kMaxHtmlText);

// A string of JSON, quoted, that a <script> element can hold.
std::string ScriptString(std::string_view text);

// As one word of a shell's command line.
std::string ShellWord(std::string_view text);

// With `decimals`: "12.3".
std::string HtmlNumber(double value, int decimals);
// "2026-11-25 03:59:54 UTC".
std::string HtmlMoment(uint64_t ns);

}  // namespace syncline
