// SPDX-License-Identifier: Apache-2.0
// What the range of a call says beside its name: labels, and what goes in and out if that is of a
// form that the function was not called with before.
#pragma once

#include "collectors/python/watched_code.h"
#include "inject/core/labelled_patterns.h"
#include "inject/core/value_words.h"

namespace syncline::python {

struct CallDetails {
  uint64_t words[kMostValueWords];
  size_t label_count;  // words of the labels, which come first
  size_t count;        // with the signature; 0: there is nothing to say
  uint64_t form;       // of a signature that is new; 0: there is none
};
inline constexpr uint32_t kMostForms = 16;  // of a function; more are not told
// Of one call: each label has a name of at most 8 words, a value of at most 24 (an array of 16
// dimensions), and a head.
inline constexpr size_t kMostLabelWords = kMostLabels * 33;

// At the call's first instruction. Under the GIL, outside of hooks; no code of the program's runs.
// Keeps errno.
void ReadDetails(const WatchedCode& watched, const void* frame, CallDetails* out);

// The range of this call was recorded: the form is not new any more.
void NoteForm(const Chosen& function, const CallDetails& details);

// Puts what the call returns behind its details; `result`: null: an exception left it.
void AddResult(Object* result, CallDetails* details);

}  // namespace syncline::python
