// SPDX-License-Identifier: Apache-2.0
// Labels are read at each call. A signature is told once for each form: its numbers and texts are
// those of the first call that had it.
#include "collectors/python/call_details.h"

#include "collectors/python/attributes.h"
#include "collectors/python/objects.h"
#include "collectors/python/parameters.h"
#include "collectors/python/values.h"
#include "inject/core/arena.h"
#include "inject/core/sys.h"

namespace syncline::python {

// Under the GIL.
struct CallForms {
  uint32_t count;
  uint64_t known[kMostForms];
};

namespace {

Object* ValueOfLabel(const CallLabel& label, const void* frame) {
  Object* value = ArgumentOf(frame, label.place);
  for (uint32_t i = 0; i < label.attributes && value != nullptr; ++i)
    value = ReadAttribute(value, label.names[i]);
  return value;
}

void WriteLabels(const Parameters& parameters, const void* frame, CallDetails* out) {
  ValueWriter words(out->words);
  for (uint32_t i = 0; i < parameters.label_count; ++i) {
    const CallLabel& label = parameters.labels[i];
    Object* value = ValueOfLabel(label, frame);
    words.Name(ValueForm::kLabel, label.name);
    if (value == nullptr) {
      words.Name(ValueForm::kOther, "");
    } else {
      WriteFlat(value, &words);
    }
  }
  out->label_count = out->count = words.count();
}

bool IsKnown(const CallForms* forms, uint64_t form) {
  for (uint32_t i = 0; forms != nullptr && i < forms->count; ++i) {
    if (forms->known[i] == form) return true;
  }
  return false;
}

bool AreAllKnown(const CallForms* forms) { return forms != nullptr && forms->count == kMostForms; }

void WriteSignature(const WatchedCode& watched, const void* frame, CallDetails* out) {
  const CallForms* forms = watched.function->forms;
  if (AreAllKnown(forms)) return;
  uint64_t scratch[kMostValueWords];
  ValueWriter words(scratch);
  WriteGradients(&words);
  for (uint32_t i = 0; i < watched.parameters->argument_count && !words.cut(); ++i) {
    const Argument& argument = watched.parameters->arguments[i];
    Object* value = ArgumentOf(frame, argument.place);
    if (value == nullptr) continue;
    words.Name(ValueForm::kArgument, {argument.name, argument.bytes});
    WriteValue(value, &words);
  }
  if (IsKnown(forms, words.form())) return;
  ValueWriter all(out->words);
  all.Skip(out->count);
  all.Copy(scratch, words.count());
  out->count = all.count();
  out->form = words.form();
}

}  // namespace

void ReadDetails(const WatchedCode& watched, const void* frame, CallDetails* out) {
  const ErrnoKeeper keeper;
  out->label_count = out->count = 0;
  out->form = 0;
  if (watched.parameters->label_count != 0) WriteLabels(*watched.parameters, frame, out);
  if (watched.parameters->has_signature) WriteSignature(watched, frame, out);
}

void NoteForm(const Chosen& function, const CallDetails& details) {
  if (details.form == 0 || AreAllKnown(function.forms)) return;
  if (function.forms == nullptr)
    function.forms = static_cast<CallForms*>(ArenaAllocate(sizeof(CallForms)));
  if (function.forms != nullptr) function.forms->known[function.forms->count++] = details.form;
}

void AddResult(Object* result, CallDetails* details) {
  const ErrnoKeeper keeper;
  ValueWriter words(details->words);
  words.Skip(details->count);
  words.Head(result == nullptr ? ValueForm::kRaised : ValueForm::kResult);
  if (result != nullptr) WriteValue(result, &words);
  details->count = words.count();
}

}  // namespace syncline::python
