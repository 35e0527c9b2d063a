// SPDX-License-Identifier: Apache-2.0
// Words with their places, and what may follow what.
#include "contract/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/nearest_name.h"
#include "base/text.h"
#include "base/utf8.h"

namespace syncline {
namespace {

constexpr char kBase[] = "BASE";

enum class WordKind : uint8_t { kEnd, kName, kNumber, kQuoted, kSign, kUnfinished };
struct Word {
  WordKind kind = WordKind::kEnd;
  std::string_view text;  // of a quoted one what is within
  size_t at = 0;
  size_t length = 1;
};

struct UnitRow {
  const char* name;
  MeasureUnit unit;
  double factor;
};
constexpr UnitRow kUnits[] = {
    {"ns", MeasureUnit::kTime, 1},        {"us", MeasureUnit::kTime, 1e3},
    {"ms", MeasureUnit::kTime, 1e6},      {"s", MeasureUnit::kTime, 1e9},
    {"min", MeasureUnit::kTime, 60e9},    {"h", MeasureUnit::kTime, 3600e9},
    {"B", MeasureUnit::kBytes, 1},        {"KiB", MeasureUnit::kBytes, 0x1p10},
    {"MiB", MeasureUnit::kBytes, 0x1p20}, {"GiB", MeasureUnit::kBytes, 0x1p30},
    {"TiB", MeasureUnit::kBytes, 0x1p40}, {"kB", MeasureUnit::kBytes, 1e3},
    {"KB", MeasureUnit::kBytes, 1e3},     {"MB", MeasureUnit::kBytes, 1e6},
    {"GB", MeasureUnit::kBytes, 1e9},     {"TB", MeasureUnit::kBytes, 1e12},
    {"%", MeasureUnit::kShare, 0.01},
};
// How a number of that unit is written.
const char* UnitsOf(MeasureUnit unit) {
  switch (unit) {
    case MeasureUnit::kTime:
      return "ns, us, ms, s, min or h";
    case MeasureUnit::kBytes:
      return "B, KiB, MiB, GiB, TiB, kB, MB, GB or TB";
    case MeasureUnit::kShare:
      return "%";
    case MeasureUnit::kCount:
      break;
  }
  return "";
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { Next(); }
  const Word& now() const { return now_; }

  void Next() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
    now_ = {WordKind::kEnd, {}, at_, 1};
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    if (c == '\'' || c == '"') return Quoted(c);
    size_t end = at_;
    const auto here = [&] { return end < text_.size() ? text_[end] : '\0'; };
    if (IsLetter(c)) {
      while (IsLetter(here()) || IsDigit(here())) ++end;
      Take(WordKind::kName, end);
    } else if (IsDigit(c) || c == '.') {
      while (IsDigit(here()) || here() == '.' || here() == ',') ++end;
      Take(WordKind::kNumber, end);
    } else if (c == '<' || c == '>' || c == '=') {
      while (here() == '<' || here() == '>' || here() == '=') ++end;
      Take(WordKind::kSign, end);
    } else {
      Take(WordKind::kSign, at_ + NextChar(text_.substr(at_)).bytes);
    }
  }

 private:
  void Take(WordKind kind, size_t end) {
    now_ = {kind, text_.substr(at_, end - at_), at_, end - at_};
    at_ = end;
  }
  void Quoted(char quote) {
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      now_ = {WordKind::kUnfinished, text_.substr(at_), at_, text_.size() - at_};
      at_ = text_.size();
      return;
    }
    now_ = {WordKind::kQuoted, text_.substr(at_ + 1, end - at_ - 1), at_, end + 1 - at_};
    at_ = end + 1;
  }

  const std::string_view text_;
  size_t at_ = 0;
  Word now_;
};

class Parser {
 public:
  Parser(std::string_view text, Expression* expression, ExpressionError* error)
      : words_(text), expression_(expression), error_(error) {}

  bool All() {
    if (words_.now().kind == WordKind::kEnd) return Fail("there is nothing to hold");
    const bool good = Is("no") ? NoNewWait() : Measured();
    if (!good) return false;
    return words_.now().kind == WordKind::kEnd || Fail("nothing may follow here");
  }

 private:
  bool Is(std::string_view name) const {
    return words_.now().kind == WordKind::kName && words_.now().text == name;
  }
  bool Fail(std::string message) {
    const Word& word = words_.now();
    if (word.kind == WordKind::kUnfinished) message = "the quote has no end";
    *error_ = {std::move(message), word.at, word.length};
    return false;
  }
  // With the nearest one of `candidates`.
  bool FailNear(const std::string& message, const std::vector<std::string>& candidates) {
    const std::string nearest = NearestName(std::string(words_.now().text), candidates);
    return Fail(nearest.empty() ? message : Text(message, ": did you mean `", nearest, "`?"));
  }
  std::string Shown() const {
    return words_.now().kind == WordKind::kEnd ? "the end"
                                               : Text("`", PrintableText(words_.now().text), "`");
  }

  bool NoNewWait() {
    for (const char* word : {"no", "new", "wait", "since"}) {
      if (!Is(word) && !(std::strcmp(word, "wait") == 0 && Is("waits")))
        return Fail(Text("`no new wait since BASE` is written so: `", word, "` has to stand here"));
      words_.Next();
    }
    return Base();
  }

  // BASE or a quoted directory.
  bool Base() {
    if (words_.now().kind == WordKind::kQuoted) {
      if (words_.now().text.empty()) return Fail("a directory has a name");
      expression_->base = words_.now().text;
    } else if (!Is(kBase)) {
      return FailNear("`BASE` has to stand here, or a directory in quotes", {kBase});
    }
    words_.Next();
    return true;
  }

  bool Measured() {
    const Word& word = words_.now();
    expression_->measure = word.kind == WordKind::kName ? FindMeasure(word.text) : nullptr;
    if (expression_->measure == nullptr) {
      std::vector<std::string> names = {"no"};
      for (const MeasureFacts& facts : AllMeasures()) names.emplace_back(facts.name);
      return FailNear(Text("there is no measure ", Shown()), names);
    }
    words_.Next();
    return Place() && Compared() && Bound();
  }

  bool Place() {
    const MeasureFacts& facts = *expression_->measure;
    const struct {
      const char* word;
      MeasureOf of;
      bool there;
    } places[] = {{"at", MeasureOf::kLine, facts.at_lines},
                  {"in", MeasureOf::kStage, facts.in_stages},
                  {"by", MeasureOf::kCause, facts.by_causes}};
    for (const auto& place : places) {
      if (!Is(place.word)) continue;
      if (!place.there)
        return Fail(Text("`", facts.name, "` is not measured ", WhereWords(place.of)));
      expression_->of = place.of;
      words_.Next();
      return PlaceName();
    }
    if (std::string_view(facts.name).starts_with("stage_"))
      return Fail(Text("`", facts.name, "` is of a stage: `in 'NAME'` has to stand here"));
    return true;
  }

  static const char* WhereWords(MeasureOf of) {
    return of == MeasureOf::kLine    ? "at lines"
           : of == MeasureOf::kStage ? "in stages"
                                     : "by causes";
  }

  bool PlaceName() {
    const Word& word = words_.now();
    if ((word.kind != WordKind::kQuoted && word.kind != WordKind::kName) || word.text.empty())
      return Fail("a name has to stand here, in quotes");
    if (expression_->of == MeasureOf::kCause) {
      const std::vector<std::string> causes = IdleCauses();
      if (std::find(causes.begin(), causes.end(), word.text) == causes.end()) {
        const std::string nearest = NearestName(std::string(word.text), causes);
        return Fail(Text("there is no cause ", Shown(),
                         nearest.empty() ? Text(": there are ", JoinNames(causes))
                                         : Text(": did you mean `", nearest, "`?")));
      }
    }
    expression_->place = word.text;
    words_.Next();
    return true;
  }

  bool Compared() {
    static constexpr struct {
      const char* text;
      Relation relation;
    } kSigns[] = {{"<=", Relation::kAtMost}, {"<", Relation::kLess},   {">=", Relation::kAtLeast},
                  {">", Relation::kMore},    {"==", Relation::kEqual}, {"=", Relation::kEqual}};
    for (const auto& sign : kSigns) {
      if (words_.now().kind != WordKind::kSign || words_.now().text != sign.text) continue;
      expression_->relation = sign.relation;
      words_.Next();
      return true;
    }
    std::vector<std::string> places;
    const MeasureFacts& facts = *expression_->measure;
    if (expression_->of == MeasureOf::kRun) {
      if (facts.at_lines) places.emplace_back("`at 'FILE:LINE'`");
      if (facts.in_stages) places.emplace_back("`in 'STAGE'`");
      if (facts.by_causes) places.emplace_back("`by 'CAUSE'`");
    }
    places.emplace_back("one of <=, <, >=, > and ==");
    std::string text;
    for (const std::string& place : places) text += Text(text.empty() ? "" : ", or ", place);
    return Fail(Text("here has to stand ", text));
  }

  bool Bound() {
    if (Is(kBase) || words_.now().kind == WordKind::kQuoted) {
      expression_->number = 1;
      expression_->of_base = true;
      return Base();
    }
    if (!Number()) return false;
    if (Is("x") || (words_.now().kind == WordKind::kSign && words_.now().text == "*")) {
      words_.Next();
      expression_->of_base = true;
      return Base();
    }
    return Unit();
  }

  bool Number() {
    const Word& word = words_.now();
    const char* const end = word.text.data() + word.text.size();
    double number = 0;
    const bool is_number =
        word.kind == WordKind::kNumber &&
        std::from_chars(word.text.data(), end, number, std::chars_format::fixed) ==
            std::from_chars_result{end, std::errc()};
    if (!is_number || !std::isfinite(number))
      return FailNear("a number has to stand here, written like 1.5", {kBase});
    expression_->number = number;
    words_.Next();
    return true;
  }

  bool Unit() {
    const MeasureUnit unit = expression_->measure->unit;
    const std::string_view text = words_.now().text;
    if (unit == MeasureUnit::kCount)
      return words_.now().kind == WordKind::kEnd ||
             Fail(Text("`", expression_->measure->name, "` is a count: no unit stands behind it"));
    std::vector<std::string> names;
    for (const UnitRow& row : kUnits) {
      if (row.unit != unit) continue;
      names.emplace_back(row.name);
      if (words_.now().kind == WordKind::kEnd || text != row.name) continue;
      expression_->number *= row.factor;
      words_.Next();
      return true;
    }
    return FailNear(Text("a unit has to stand here: ", UnitsOf(unit)), names);
  }

  Words words_;
  Expression* const expression_;
  ExpressionError* const error_;
};

}  // namespace

const char* RelationText(Relation relation) {
  switch (relation) {
    case Relation::kLess:
      return "<";
    case Relation::kAtMost:
      return "<=";
    case Relation::kMore:
      return ">";
    case Relation::kAtLeast:
      return ">=";
    case Relation::kEqual:
      break;
  }
  return "==";
}

bool ParseExpression(std::string_view text, Expression* expression, ExpressionError* error) {
  *expression = {};
  expression->text = text;
  if (text.size() > kLongestExpression) {
    *error = {Text("it is longer than ", kLongestExpression, " bytes"), kLongestExpression, 1};
    return false;
  }
  return Parser(text, expression, error).All();
}

std::string MarkedText(std::string_view text, const ExpressionError& error) {
  constexpr size_t kMostBefore = 60, kMostAfter = 40;
  const size_t at = std::min(error.at, text.size());
  size_t begin = at > kMostBefore ? at - kMostBefore : 0;
  size_t end = std::min(text.size(), at + std::max(error.length, size_t{1}) + kMostAfter);
  end = std::min(end, at + kMostBefore + kMostAfter);
  const auto is_inside = [&](size_t place) {
    return place < text.size() && (static_cast<unsigned char>(text[place]) & 0xc0) == 0x80;
  };
  while (begin < at && is_inside(begin)) ++begin;
  while (end < text.size() && is_inside(end)) ++end;
  const auto columns = [](std::string_view part) {
    size_t count = 0;
    for (const char c : part) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
    return count;
  };
  const std::string before = PrintableText(text.substr(begin, at - begin));
  const size_t marked_end = std::clamp(at + error.length, at, end);
  const std::string marked = PrintableText(text.substr(at, marked_end - at));
  return Text("  ", before, marked, PrintableText(text.substr(marked_end, end - marked_end)),
              "\n  ", std::string(columns(before), ' '), "^",
              std::string(std::max(columns(marked), size_t{1}) - 1, '~'));
}

}  // namespace syncline
