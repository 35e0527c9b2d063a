// SPDX-License-Identifier: Apache-2.0
// Names of methods and functions.
#include "model/run/awaits_others.h"

#include <algorithm>
#include <iterator>

#include "model/run/called_words.h"

namespace syncline {

namespace {

// What takes a value in a statement of its own, "Frame f = queue.pop();", is no pointer's get().
bool TakesAValue(std::string_view code) {
  // "while (auto frame = queue.pop()) {": as the statement in the brackets.
  const size_t open = code.find("while (");
  if (open != code.npos && code.rfind(')') != code.npos)
    code = code.substr(open + 7, code.rfind(')') - open - 7);
  while (code.starts_with('(') && code.ends_with(')')) code = code.substr(1, code.size() - 2);
  while (code.ends_with(' ') || code.ends_with(';')) code.remove_suffix(1);
  const bool takes = code.ends_with(".get()") || code.ends_with(".pop()") ||
                     code.ends_with("->get()") || code.ends_with("->pop()");
  const size_t equals = code.find(" = ");
  return takes && equals != code.npos && code.find('(') == code.size() - 2 &&
         code.substr(0, equals).find('*') == code.npos;
}

}  // namespace

bool AwaitsOthers(std::string_view code, Language language) {
  // With a key get() is a dictionary's, with a text join() is a string's.
  static constexpr std::string_view kPython[] = {
      ".get()",     ".get(timeout", ".get(block", ".get(True", ".get, None",
      ".recv(",     ".recv_",       ".accept(",   ".wait(",    ".join()",
      ".acquire()", ".poll(",       "await ",     ".select(",  ".result("};
  static constexpr std::string_view kBraces[] = {
      "recv(",         "accept(",     "poll(",         "epoll_wait(",   ".wait(",
      ".wait_for(",    ".join()",     "wait_and_pop(", "barrier_wait(", "cond_wait(",
      "pthread_join(", "omp barrier", "OMP BARRIER",   "omp taskwait",  "OMP TASKWAIT"};
  // In OpenMP threads wait for each other in a directive.
  // What ranks exchange is no other's to hand over: a GPU's send or receive is only launched here.
  const auto has = [code](std::string_view call) {
    const size_t at = code.find(call);
    if (at == code.npos) return false;
    size_t name = at + (call.starts_with('.') ? 1 : 0);
    while (name > 0 && IsWordChar(code[name - 1])) --name;
    const size_t name_end = std::min(code.find('(', name), code.size());
    return !IsExchange(code.substr(name, name_end - name), code.substr(0, name));
  };
  return language == Language::kPython
             ? std::any_of(std::begin(kPython), std::end(kPython), has)
             : TakesAValue(code) || std::any_of(std::begin(kBraces), std::end(kBraces), has);
}

}  // namespace syncline
