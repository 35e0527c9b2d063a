// SPDX-License-Identifier: Apache-2.0
// One pass over the text that GNU's demangler writes.
#include "symbols/function_name.h"

#include <array>
#include <cctype>

#include "symbols/demangle.h"

namespace syncline {
namespace {

constexpr size_t kLongestArguments = 40;
constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// The symbol of the operator that `text` begins with; the longest are first.
std::string_view OperatorSymbol(std::string_view text) {
  static constexpr std::array<std::string_view, 46> kSymbols = {
      "<=>",    "<<=",       ">>=",  "->*",     "()",        "[]",   "->", "<<", ">>", "<=",
      ">=",     "==",        "!=",   "&&",      "||",        "++",   "--", "+=", "-=", "*=",
      "/=",     "%=",        "^=",   "&=",      "|=",        "\"\"", ",",  "+",  "-",  "*",
      "/",      "%",         "^",    "&",       "|",         "~",    "!",  "=",  "<",  ">",
      " new[]", " delete[]", " new", " delete", " co_await", "?"};
  for (const std::string_view symbol : kSymbols)
    if (text.starts_with(symbol)) return symbol;
  return "";
}

// Reads the name of a function out of a declaration.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : text_(text) {}

  // "" if the text is no declaration of a function.
  std::string Read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (AtOperator()) {
        TakeOperator();
      } else if (c == '<') {
        TakeArguments();
      } else if (c == '(') {
        if (!TakeParenthesis()) break;
      } else if (c == '{') {
        TakeBraces();
      } else if (c == '[') {
        SkipTag();
      } else if (c == ' ') {
        EndOfType();
      } else {
        name_ += c;
        ++at_;
      }
    }
    // Words without parameters: "vtable for A".
    return words_ && !parameters_ ? "" : std::move(name_);
  }

 private:
  std::string_view Rest() const { return text_.substr(at_); }

  // Behind the bracket that closes the one at `at`. Angle brackets in parentheses compare, and
  // those of operators and arrows are none.
  size_t BehindBracket(size_t at) const {
    const char open = text_[at];
    const char close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
    size_t depth = 0, others = 0;  // others: parentheses inside of angle brackets
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (open == '<') {
        others += c == '(' ? 1 : 0;
        if (c == ')' && others != 0) --others;
        if (others != 0 || (c == '>' && text_[at - 1] == '-')) continue;
        if (OperatorAt(at)) {
          at += kOperator.size() + OperatorSymbol(text_.substr(at + kOperator.size())).size() - 1;
          continue;
        }
      }
      depth += c == open ? 1 : 0;
      if (c == close && --depth == 0) return at + 1;
    }
    return text_.size();
  }

  bool OperatorAt(size_t at) const {
    if (!text_.substr(at).starts_with(kOperator) || (at != 0 && IsWordCharacter(text_[at - 1])))
      return false;
    const size_t behind = at + kOperator.size();
    return behind < text_.size() && !IsWordCharacter(text_[behind]);
  }
  bool AtOperator() const { return OperatorAt(at_); }

  void TakeOperator() {
    at_ += kOperator.size();
    const std::string_view symbol = OperatorSymbol(Rest());
    const bool after_lambda = name_.ends_with("}::") && name_.find("{lambda") != std::string::npos;
    at_ += symbol.size();
    if (symbol == "()" && after_lambda) {  // the lambda is the function
      name_.resize(name_.size() - 2);
      return;
    }
    name_ += kOperator;
    name_ += symbol;
    if (symbol.empty()) {
      TakeConvertedType();
    } else if (symbol == "\"\"") {
      at_ += Rest().starts_with(' ') ? 1 : 0;
    } else if (Rest().starts_with(" <")) {  // "operator<< <char>"
      ++at_;
      name_ += ' ';
    }
  }

  // "operator unsigned long": the type reaches to the parameters.
  void TakeConvertedType() {
    while (at_ < text_.size() && (text_[at_] != '(' || Rest().starts_with(kAnonymous))) {
      if (text_[at_] == '<') {
        TakeArguments();
      } else {
        const size_t bytes = text_[at_] == '(' ? kAnonymous.size() : 1;
        name_ += text_.substr(at_, bytes);
        at_ += bytes;
      }
    }
  }

  void TakeArguments() {
    const size_t end = BehindBracket(at_);
    if (end - at_ - 2 > kLongestArguments) {
      name_ += "<...>";
    } else {
      name_ += text_.substr(at_, end - at_);
    }
    at_ = end;
  }

  // False: the name is complete.
  bool TakeParenthesis() {
    if (Rest().starts_with(kAnonymous)) {
      name_ += kAnonymous;
      at_ += kAnonymous.size();
      return true;
    }
    const size_t end = BehindBracket(at_);
    if (name_.empty()) {
      TakeDeclarator(end);
      return !parameters_;
    }
    parameters_ = true;
    at_ = end;
    for (const std::string_view word : {" const", " volatile", " &&", " &", "&&", "&"})
      if (Rest().starts_with(word)) at_ += word.size();
    return Rest().starts_with("::");  // "f(int)::Local::g()"
  }

  // "void (*f(int))(double)" has the name inside, "decltype (a) f()" behind.
  void TakeDeclarator(size_t end) {
    size_t inner = at_ + 1;
    while (inner < end && (text_[inner] == '*' || text_[inner] == '&')) ++inner;
    if (inner > at_ + 1 && inner + 1 < end) {
      text_ = text_.substr(inner, end - 1 - inner);
      at_ = 0;
      words_ = false;
    } else {
      at_ = end;
    }
  }

  // "{lambda(int)#1}", "{unnamed type#1}".
  void TakeBraces() {
    const size_t end = BehindBracket(at_);
    const std::string_view braces = text_.substr(at_, end - at_);
    const size_t number = braces.rfind('#');
    if (braces.starts_with("{lambda(") && number != std::string_view::npos) {
      name_ += "{lambda";
      name_ += braces.substr(number);
    } else {
      name_ += braces;
    }
    at_ = end;
  }

  // "[abi:cxx11]".
  void SkipTag() { at_ = BehindBracket(at_); }

  void EndOfType() {
    ++at_;
    name_.clear();
    words_ = true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string name_;
  bool words_ = false;  // something stood before the name
  bool parameters_ = false;
};

std::string_view WithoutWords(std::string_view text) {
  for (const std::string_view words :
       {"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ",
        "transaction clone for ", "non-transaction clone for "})
    if (text.starts_with(words)) text.remove_prefix(words.size());
  const size_t clone = text.find(" [clone ");
  return clone == std::string_view::npos ? text : text.substr(0, clone);
}

// What GCC and Clang append to the copies and parts that they make of functions.
bool IsAppended(std::string_view word) {
  if (word.empty() || word.find_first_not_of("0123456789") == std::string_view::npos) return true;
  for (const std::string_view known :
       {"cold",        "isra",  "constprop", "part",         "lto_priv",
        "localalias",  "llvm",  "_omp_fn",   "omp_outlined", "omp_outlined_debug__",
        "_omp_cpyfn",  "actor", "destroy",   "resume",       "cleanup",
        "unlikely",    "warm",  "clone",     "str",          "hot",
        "specialized", "uniq",  "memprof"})
    if (word == known) return true;
  return false;
}

std::string_view WithoutAppended(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('@'));  // "memcpy@@GLIBC_2.14"
  for (;;) {
    const size_t dot = symbol.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || !IsAppended(symbol.substr(dot + 1)))
      return symbol;
    symbol.remove_suffix(symbol.size() - dot);
  }
}

std::string Joined(std::string_view module, std::string_view procedure) {
  return std::string(module).append("::").append(procedure);
}

// "" if no compiler of Fortran made it: "__module_MOD_sub" (GNU), "module_mp_sub_" (Intel),
// "_QMmodulePsub" (LLVM).
std::string FortranName(std::string_view symbol) {
  constexpr auto kNone = std::string_view::npos;
  if (symbol.starts_with("__")) {
    const size_t at = symbol.find("_MOD_");
    if (at != kNone && at > 2 && at + 5 < symbol.size())
      return Joined(symbol.substr(2, at - 2), symbol.substr(at + 5));
  }
  if (symbol.ends_with('_')) {
    const size_t at = symbol.find("_mp_");
    if (at != kNone && at > 0 && at + 5 < symbol.size())
      return Joined(symbol.substr(0, at), symbol.substr(at + 4, symbol.size() - at - 5));
  }
  if (symbol.starts_with("_QM") || symbol.starts_with("_QP")) {
    const size_t at = symbol.find('P');
    if (at == 2) return std::string(symbol.substr(3));
    if (at != kNone && at > 3 && at + 1 < symbol.size())
      return Joined(symbol.substr(3, at - 3), symbol.substr(at + 1));
  }
  return "";
}

// Rust's compiler appends one to each name: "core::fmt::write::h0123456789abcdef".
std::string WithoutHash(std::string name) {
  constexpr size_t kHash = 16;
  const size_t at = name.rfind("::h");
  if (at == std::string::npos || at == 0 || name.size() - at != 3 + kHash) return name;
  if (name.find_first_not_of("0123456789abcdef", at + 3) == std::string::npos) name.resize(at);
  return name;
}

// Of a CUDA kernel, in the host's code: "__device_stub__Z4stepPf" is "__device_stub__step".
std::string StubsName(std::string name) {
  constexpr std::string_view kStub = "__device_stub_";
  if (!name.starts_with(kStub)) return name;
  const std::string kernel = name.substr(kStub.size());
  return kernel.starts_with("_Z") ? std::string(kStub).append("_").append(FunctionName(kernel))
                                  : name;
}

}  // namespace

std::string BareName(std::string_view demangled) {
  const std::string_view declaration = WithoutWords(demangled);
  const std::string name = NameReader(declaration).Read();
  return name.empty() ? std::string(declaration) : name;
}

std::string FunctionName(std::string_view symbol) {
  constexpr std::string_view kInternal = "__GI_";  // glibc's calls of its own functions
  if (symbol.starts_with(kInternal) && symbol.size() > kInternal.size())
    symbol.remove_prefix(kInternal.size());
  symbol = WithoutAppended(symbol);
  if (!symbol.starts_with("_Z")) {
    const std::string fortran = FortranName(symbol);
    return fortran.empty() ? std::string(symbol) : fortran;
  }
  const std::string plain = DemangledName(symbol);
  return plain == symbol ? plain : StubsName(WithoutHash(BareName(plain)));
}

}  // namespace syncline
