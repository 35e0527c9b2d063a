# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a header with the commit of the tree SOURCE, if it says something else so far. Run by each build:
# cmake -DSOURCE=DIR -DOUTPUT=FILE -P SynclineCommit.cmake
set(commit "$Format:%H$")  # `git archive` puts the commit here (.gitattributes)
if(commit MATCHES "^[0-9a-f]+$")
  string(SUBSTRING ${commit} 0 12 commit)
else()
  set(commit "")
  find_program(git git)
  if(git)
    execute_process(COMMAND ${git} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(commit STREQUAL "")
    set(commit "unknown")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Written by each build.
#pragma once

namespace syncline {

inline constexpr char kCommit[] = \"${commit}\";

}  // namespace syncline
")
