// SPDX-License-Identifier: Apache-2.0
// One pass. toml++ reads all of TOML and would be a tenth of the command (docs/design.md).
#include "launcher/commands/toml_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace syncline {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;

bool IsBare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '+';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  TomlText Read() {
    TomlText read;
    while (error_.empty()) {
      SkipBlank(true);
      if (at_ == text_.size()) break;
      TomlEntry entry;
      entry.line = line_;
      if (!TakeEntry(&entry)) break;
      const bool twice =
          std::any_of(read.entries.begin(), read.entries.end(),
                      [&entry](const TomlEntry& other) { return other.key == entry.key; });
      if (twice) {
        line_ = entry.line;
        Fail(Text("`", entry.key, "` stands there twice"));
        break;
      }
      read.entries.push_back(std::move(entry));
    }
    read.error = error_;
    read.line = error_.empty() ? 0 : line_;
    return read;
  }

 private:
  char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }

  // Spaces and comments; with `lines` the ends of lines, too.
  void SkipBlank(bool lines) {
    for (; at_ < text_.size(); ++at_) {
      if (Next() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ == text_.size() || (Next() == '\n' && !lines)) return;
      if (Next() == '\n') ++line_;
      if (std::string_view(" \t\r\n").find(Next()) == std::string_view::npos) return;
    }
  }

  std::string_view TakeBare() {
    const size_t begin = at_;
    while (IsBare(Next())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool TakeEntry(TomlEntry* entry) {
    if (Next() == '[')
      return Fail("there are no tables in this file: options stand alone, as `stages = \"step*\"`");
    bool is_text = false;
    if (Next() == '"' || Next() == '\'') {
      if (!TakeText(&entry->key, &is_text)) return false;
    } else {
      entry->key = TakeBare();
    }
    if (entry->key.empty()) return Fail("a line begins with the name of an option");
    SkipBlank(false);
    if (Next() != '=')
      return Fail(Text("`", entry->key, "` has no value: write ", entry->key, " = ..."));
    ++at_;
    SkipBlank(false);
    entry->is_array = Next() == '[';
    entry->is_text = true;
    if (entry->is_array ? !TakeArray(entry) : !TakeValue(entry)) return false;
    SkipBlank(false);
    if (at_ < text_.size() && Next() != '\n')
      return Fail(Text("something stands behind the value of `", entry->key, "`"));
    return true;
  }

  bool TakeValue(TomlEntry* entry) {
    bool is_text = false;
    std::string value;
    if (!TakeText(&value, &is_text)) return false;
    entry->is_text = entry->is_text && is_text;
    entry->values.push_back(std::move(value));
    return true;
  }

  bool TakeArray(TomlEntry* entry) {
    const size_t first_line = line_;
    ++at_;
    for (;;) {
      SkipBlank(true);
      if (Next() == ']') break;
      if (at_ == text_.size()) {
        line_ = first_line;
        return Fail(Text("the array of `", entry->key, "` does not end"));
      }
      if (!TakeValue(entry)) return false;
      SkipBlank(true);
      if (Next() == ',') {
        ++at_;
      } else if (Next() != ']' && at_ != text_.size()) {
        return Fail(Text("a comma or ] has to stand behind a value of `", entry->key, "`"));
      }
    }
    ++at_;
    return true;
  }

  // A number, true or false as it stands.
  bool TakeText(std::string* value, bool* is_text) {
    const char quote = Next();
    *is_text = quote == '"' || quote == '\'';
    if (!*is_text) {
      *value = TakeBare();
      const bool word = *value == "true" || *value == "false";
      const size_t digit = value->find_first_not_of("+-");
      const bool number = digit <= 1 && (*value)[digit] >= '0' && (*value)[digit] <= '9';
      if (word || number) return true;
      return Fail(value->empty() ? "a value is missing"
                                 : Text("`", *value, "` needs quotes: \"", *value, "\""));
    }
    for (++at_; at_ < text_.size() && Next() != quote && Next() != '\n'; ++at_) {
      if (quote == '"' && Next() == '\\') {
        if (!TakeEscape(value)) return false;
      } else {
        value->push_back(Next());
      }
    }
    if (Next() != quote || at_ == text_.size())
      return Fail("a text in quotes does not end on its line");
    ++at_;
    return true;
  }

  bool TakeEscape(std::string* value) {
    constexpr std::string_view kNames = "\"\\nt";
    constexpr std::string_view kMeanings = "\"\\\n\t";
    ++at_;
    const size_t found = at_ < text_.size() ? kNames.find(Next()) : std::string_view::npos;
    if (found == std::string_view::npos)
      return Fail(
          "behind a \\ in quotes stands one of \" \\ n t; 'single quotes' take a \\ as it is");
    value->push_back(kMeanings[found]);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
  std::string error_;
};

}  // namespace

TomlText ReadToml(std::string_view text) {
  TomlText bad;
  if (text.size() > kMostBytes) {
    bad.error = "it has more than a megabyte, and is no file of options";
    return bad;
  }
  if (text.find('\0') != std::string_view::npos) {
    bad.error = "it has bytes that are no text";
    return bad;
  }
  return Reader(text).Read();
}

}  // namespace syncline
