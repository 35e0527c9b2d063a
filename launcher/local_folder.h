// SPDX-License-Identifier: Apache-2.0
// A folder on a local disk that holds a node's spools while the run goes on, and the note in the
// run's directory by which `syncline recover` finds it.
#pragma once

#include <string>

namespace syncline {

// What a note says. A run's directory may come from anybody: only a folder that carries the same
// mark as the note is the run's own, to be entered and emptied.
struct LocalFolder {
  enum class State {
    kNoNote,     // the file is something else
    kElsewhere,  // there is no such folder here: it is on another node, or gone
    kNotOurs,    // it does not carry the note's mark
    kOurs
  };
  State state = State::kNoNote;
  std::string path;
};

// Marks `folder`, unless it is marked, and leaves a note of it: run/spool/NODE/local-folder-PID.
void NoteLocalFolder(const std::string& folder, const std::string& note);
LocalFolder ReadNote(const std::string& note);
// The name of this process's note.
std::string NoteName();
// Whether a file of a local folder is its mark, and none of the run's.
bool IsMark(const std::string& name);
// Removes folder and note if nothing but the mark is left in a folder of ours.
void RemoveIfEmpty(const std::string& note);

}  // namespace syncline
