// SPDX-License-Identifier: Apache-2.0
// The interpreter of this process: what of it is used, and whether it is as expected.
#pragma once

#include <cstdint>

#include "inject/core/python_layout.h"

namespace syncline::stacks {

struct Python {
  PythonLayout layout;
  void* (*this_thread_state)();
  int (*is_finalizing)();  // null: it does not say
  const void* code_type;
  const void* str_type;
  const void* bytes_type;
  // Code of the interpreter's library or program, and of its loop within; of a program that embeds
  // the interpreter the loop alone. 0: unknown. Of the walk of native frames only.
  uintptr_t begin, end, loop_begin, loop_end;
  // In a code object.
  int16_t code_file, code_name, code_first_line, code_table;
};

// Looks for the interpreter; takes the loader's lock. Null: there is none, or `*why_not` says what
// is the matter with it. Any thread, again after a failure.
const Python* FindPython(const char** why_not);

// The library of an interpreter that was opened after the program began stays as long as the
// process: its functions are called. False: it is gone already. Calls the loader; before
// FindPython.
bool KeepPythonLoaded();

// Whether a thread state says that it is the calling thread's: else it may be walked by another
// thread meanwhile, or the layout is not this interpreter's. In a hook.
bool IsThisThreads(const Python& python, const char* state);

// Whether Python knows the calling thread, and does not end. In a hook.
bool KnowsThisThread(const Python& python);

// Of the interpreter's own objects, which are alive where they are read, and so are loaded as they
// are: a thread's state and the frames that it runs, by that thread in a hook (python_layout.h);
// the code, names and tables that those frames refer to; types of the interpreter, whose library is
// kept. A door would cost a known stack ten times as much (foreign_memory.h). What an address says
// that is no such object's is not followed: types are compared first.

inline const void* TypeOf(const void* object) { return ReadAt<const void*>(object, kTypeOffset); }

}  // namespace syncline::stacks
