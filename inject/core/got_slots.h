// SPDX-License-Identifier: Apache-2.0
// The words through which a loaded object calls a function of another object, and how to change
// them (the global offset table).
#pragma once

#include <cstdint>

namespace syncline {

// A word that holds, or will hold, the address of the function `name`. `word` is good as long as
// the object stays loaded, the texts while the slot is taken.
struct GotSlot {
  void** word;
  const char* name;
  const char* object;                // its path; "" is the program
  uintptr_t base;                    // where it is loaded
  uintptr_t relro_begin, relro_end;  // what the loader has made read-only
};

// Brings each slot of each loaded object for which `wants` is true, but those of the object at
// `self`. `take` false ends it. Inside the loader's lock: neither may call the loader. Where
// nothing was loaded since `*loads`, does nothing.
void FindSlots(const void* self, bool (*wants)(const char* name), bool (*take)(const GotSlot&),
               uint64_t* loads);

// The same of one object, the one at `inside`.
void FindSlotsOf(const void* inside, bool (*wants)(const char* name), bool (*take)(const GotSlot&));

// Writes the slot, also where it is read-only. False: it cannot be written.
bool WriteSlot(const GotSlot& slot, void* function);

}  // namespace syncline
