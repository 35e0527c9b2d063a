// SPDX-License-Identifier: Apache-2.0
// By its words and brackets, as people write them.
#include "model/run/line_code.h"

#include <algorithm>
#include <cctype>

#include "model/run/called_words.h"

namespace syncline {
namespace {

constexpr size_t kMostChars = 1000;  // of a line

// Fortran's functions that go through whole arrays.
bool ReadsArrays(std::string_view word) {
  return IsOneOf(word, {"maxval", "minval", "maxloc", "minloc", "sum", "product", "dot_product",
                        "matmul", "norm2", "any", "all", "count", "transpose", "reshape"});
}

// Fortran's, with small letters, which mean the same as large ones. Only of what is called brackets
// are left: an element of an array looks like a call. Declarations do nothing.
std::string FortranCode(std::string code) {
  code = Lower(code);
  if (code.find("::") != std::string::npos) return "";
  const std::string first(FirstWord(code));
  if (IsOneOf(first, {"write", "read", "print", "open", "close"})) return code + " call()";
  const bool calls = first == "call" || (first == "if" && code.find(" call ") != std::string::npos);
  if (calls && code.find('(') == std::string::npos) return code + "()";
  if (calls || HasWord(code, "subroutine") || HasWord(code, "function")) return code;
  for (size_t at = code.find('('); at != std::string::npos; at = code.find('(', at + 1)) {
    size_t begin = at;
    while (begin > 0 && IsWordChar(code[begin - 1])) --begin;
    const std::string_view word = std::string_view(code).substr(begin, at - begin);
    if (!word.starts_with("mpi") && !word.starts_with("cu") && !ReadsArrays(word)) code[at] = ' ';
  }
  return code;
}

// Calls `visit` with what stands before each bracket, "" where that is no word, and its place.
template <typename Visit>
void EachCalled(std::string_view code, const Visit& visit) {
  for (size_t at = code.find('('); at != std::string_view::npos; at = code.find('(', at + 1)) {
    size_t begin = at;
    while (begin > 0 && IsWordChar(code[begin - 1])) --begin;
    visit(code.substr(begin, at - begin), begin);
  }
}

// The parts of a model, as PyTorch's programs name them.
bool NamesPartsOfAModel(std::string_view code) {
  while (!code.empty()) {
    const auto begin = std::find_if(code.begin(), code.end(), IsWordChar);
    const auto end = std::find_if_not(begin, code.end(), IsWordChar);
    if (IsOneOf({begin, end}, {"layers", "blocks", "modules", "children", "parameters", "convs",
                               "named_parameters", "named_modules", "heads", "stages", "h"}))
      return true;
    code.remove_prefix(static_cast<size_t>(end - code.begin()));
  }
  return false;
}

// Whether the next value of Python's loop may have to be made: numbers are at hand, and so are the
// parts of a model.
bool MakesValues(std::string_view head) {
  const size_t in = head.find(" in ");
  if (in == std::string_view::npos) return false;
  head.remove_prefix(in + 4);
  while (!head.empty() && head.front() == ' ') head.remove_prefix(1);
  return !head.starts_with("range(") && !NamesPartsOfAModel(head);
}

bool KeepsOrPrints(std::string_view word) {
  return IsOneOf(word, {"append", "extend", "add", "print", "str", "format", "round", "abs", "max",
                        "min", "sum", "set_postfix", "list", "tuple"});
}

HeadKind HeadOfFortran(std::string_view code) {
  if (FirstWord(code).starts_with("end") || FirstWord(code) == "call") return HeadKind::kOther;
  if (HasWord(code, "subroutine") || HasWord(code, "function") || FirstWord(code) == "program")
    return HeadKind::kFunction;
  if (!HasWord(code, "do")) return HeadKind::kOther;
  return HasWord(code, "while") || HasWord(code, "concurrent") ? HeadKind::kCondition
                                                               : HeadKind::kLoop;
}

}  // namespace

std::string_view FirstWord(std::string_view code) {
  while (!code.empty() && !IsWordChar(code.front())) code.remove_prefix(1);
  size_t end = 0;
  while (end < code.size() && IsWordChar(code[end])) ++end;
  return code.substr(0, end);
}

bool HasWord(std::string_view code, std::string_view wanted) {
  while (!code.empty()) {
    const std::string_view word = FirstWord(code);
    if (word == wanted) return true;
    code.remove_prefix(word.empty() ? code.size()
                                    : static_cast<size_t>(word.data() + word.size() - code.data()));
  }
  return false;
}

std::string CodeOf(std::string_view line, Language language) {
  line = line.substr(0, kMostChars);
  std::string code;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && language != Language::kFortran) ++i;
      if (c == quote) quote = 0;
      code += ' ';
      continue;
    }
    if (c == '"' || c == '\'') {
      quote = c;
      code += ' ';
      continue;
    }
    if (line.substr(i).starts_with(CommentIn(language))) break;
    code += c;
  }
  while (!code.empty() && std::isspace(static_cast<unsigned char>(code.back())) != 0)
    code.pop_back();
  return language == Language::kFortran ? FortranCode(std::move(code)) : code;
}

size_t IndentOf(std::string_view code) {
  size_t indent = 0;
  for (const char c : code) {
    if (c == ' ') {
      ++indent;
    } else if (c == '\t') {
      indent += 8;
    } else {
      break;
    }
  }
  return indent;
}

bool IsDirective(std::string_view code, Language language) {
  const size_t begin = code.find_first_not_of(" \t");
  return language != Language::kPython && begin != code.npos && code[begin] == '#';
}

size_t CallsIn(std::string_view code) {
  if (IsDirective(code, Language::kBraces)) return code.find("#pragma omp") != code.npos ? 1 : 0;
  size_t calls = 0, wrappers = 0, quick = 0;
  EachCalled(code, [&](std::string_view word, size_t at) {
    const bool called =
        !word.empty() ||
        (at > 0 && (code[at - 1] == ']' || code[at - 1] == ')' || code[at - 1] == '>'));
    if (!called) return;
    if (IsQuick(word, code.substr(0, at))) {
      ++quick;
    } else if (IsWrapper(word)) {
      ++wrappers;
    } else {
      ++calls;
    }
  });
  return calls == 0 && quick == 0 ? std::min<size_t>(wrappers, 1) : calls;
}

bool Exchanges(std::string_view code) {
  bool found = false;
  EachCalled(code, [&](std::string_view word, size_t at) {
    found = found || IsExchange(word, code.substr(0, at));
  });
  return found;
}

bool WorksOnWhatItReads(std::string_view code, Language language) {
  if (language != Language::kPython) return false;
  std::vector<std::string_view> open;  // what was called before each open bracket
  for (size_t i = 0; i < code.size(); ++i) {
    for (const std::string_view read : {".cpu()", ".item()", ".tolist()", ".numpy()"}) {
      const bool takes = !open.empty() && !open.back().empty() && !KeepsOrPrints(open.back());
      if (takes && code.substr(i).starts_with(read)) return true;
    }
    if (code[i] == '(') {
      size_t begin = i;
      while (begin > 0 && IsWordChar(code[begin - 1])) --begin;
      const std::string_view word = code.substr(begin, i - begin);
      open.push_back(IsQuick(word, code.substr(0, begin)) ? std::string_view() : word);
    }
    if (code[i] == ')' && !open.empty()) open.pop_back();
  }
  return false;
}

bool Leaves(std::string_view word) {
  return IsOneOf(word, {"return", "raise", "throw", "break", "continue", "co_return", "goto"});
}

int OpenBrackets(std::string_view code) {
  return static_cast<int>(std::count(code.begin(), code.end(), '(') -
                          std::count(code.begin(), code.end(), ')'));
}

HeadKind HeadOf(std::string_view code, Language language) {
  if (language == Language::kFortran) return HeadOfFortran(code);
  std::string_view word = FirstWord(code);
  if (language == Language::kPython && word == "async") {
    code.remove_prefix(code.find("async") + 5);
    word = FirstWord(code);
  }
  if (word == "for") return HeadKind::kLoop;
  if (word == "while" || word == "do") return HeadKind::kCondition;
  if (language == Language::kPython) {
    if (IsOneOf(word, {"def", "class"})) return HeadKind::kFunction;
    return HeadKind::kOther;
  }
  const bool is_inner = IsOneOf(word, {"if", "else", "switch", "case", "try", "catch", "default"});
  return is_inner || CallsIn(code) == 0 || code.find(';') != std::string_view::npos
             ? HeadKind::kOther
             : HeadKind::kFunction;
}

bool IsWholeFunction(std::string_view code, Language language) {
  const size_t body = code.find('{'), arguments = code.find('(');
  return language == Language::kBraces && code.ends_with('}') && arguments < body &&
         code.substr(0, body).find_first_of(";=") == code.npos &&
         !IsOneOf(FirstWord(code), {"if", "else", "for", "while", "do", "switch", "try", "catch"});
}

bool IsInBlockOf(const std::vector<std::string_view>& lines, uint32_t head, uint32_t line) {
  return head != 0 && line != 0 && head <= lines.size() && line <= lines.size() &&
         IndentOf(lines[line - 1]) > IndentOf(lines[head - 1]);
}

Language LanguageOf(std::string_view file) {
  if (file.ends_with(".py")) return Language::kPython;
  for (const std::string_view end :
       {".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".cuf", ".CUF"}) {
    if (file.ends_with(end)) return Language::kFortran;
  }
  return Language::kBraces;
}

std::string_view CommentIn(Language language) {
  switch (language) {
    case Language::kPython:
      return "#";
    case Language::kFortran:
      return "!";
    case Language::kBraces:
      break;
  }
  return "//";
}

bool MakesNextValue(std::string_view line, Language language) {
  const std::string code = CodeOf(line, language);
  return language == Language::kPython && HeadOf(code, language) == HeadKind::kLoop &&
         MakesValues(code);
}

}  // namespace syncline
