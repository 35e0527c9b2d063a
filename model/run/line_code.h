// SPDX-License-Identifier: Apache-2.0
// What one line of a source text says: its code, what it begins, what it calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

enum class Language : uint8_t { kPython, kBraces, kFortran };
// By the name of the file.
Language LanguageOf(std::string_view file);
// What begins a comment, behind code.
std::string_view CommentIn(Language language);

// Without its comment, and with blanks in place of the texts in it. The others take such a line.
std::string CodeOf(std::string_view line, Language language);

std::string_view FirstWord(std::string_view code);
bool HasWord(std::string_view code, std::string_view wanted);
size_t IndentOf(std::string_view code);  // in columns; a tab is 8
int OpenBrackets(std::string_view code);

// What a block's first line begins, as far as that line tells.
enum class HeadKind : uint8_t { kFunction, kLoop, kCondition, kOther };
HeadKind HeadOf(std::string_view code, Language language);
// "void step() { launch(); }": a function in one line, of which nothing stands before its calls.
bool IsWholeFunction(std::string_view code, Language language);
// For the preprocessor: it stands in no block.
bool IsDirective(std::string_view code, Language language);

// Calls of functions that may take time, and where OpenMP's threads come together.
size_t CallsIn(std::string_view code);
bool Exchanges(std::string_view code);
// What the line does when it has read a value back from a device: "metric.update(x.cpu())".
// Python's only; what only keeps or prints the value takes no time.
bool WorksOnWhatItReads(std::string_view code, Language language);
// The word is one that leaves a block: what stands behind it was not run.
bool Leaves(std::string_view word);
// Whether the line, with its comment, is the head of a loop whose next value has to be made, not of
// one over numbers.
bool MakesNextValue(std::string_view line, Language language);

// Whether a line stands further right than the block's head.
bool IsInBlockOf(const std::vector<std::string_view>& lines, uint32_t head, uint32_t line);

}  // namespace syncline
