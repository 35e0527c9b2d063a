# SPDX-License-Identifier: Apache-2.0
# Several files compiled as one, and headers that are compiled once for many files: most of a small file's time goes into what it
# includes. Of headers only the library's and GoogleTest's are among them, so that a change of ours never compiles everything anew.
# Each file still includes what it needs: the preset `dev` compiles each by itself.
set(standard_headers <algorithm> <cstdint> <cstring> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
  <unordered_map> <utility> <vector>)

# syncline_unite(<target>...): with SYNCLINE_UNITY, eight files of a target are one compilation. Names that two files give to
# different things stand in a namespace of the file, or are spelled differently.
function(syncline_unite)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ${SYNCLINE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# syncline_compile_together(<target>...): the same for targets of the offline half, which are all compiled with the same flags: the
# first makes the headers, the others use them. Code for foreign processes includes too little for that.
function(syncline_compile_together)
  foreach(target IN LISTS ARGN)
    syncline_share_precompiled(${target} syncline_precompiled "${standard_headers}" Threads::Threads)
  endforeach()
  syncline_unite(${ARGN})
endfunction()

# The same for programs of tests, with GoogleTest's header. Tests run for seconds and are compiled in five builds: without
# optimisation a file of theirs takes half as long. What they test is optimised as the build says.
add_library(syncline_unoptimised INTERFACE)
target_compile_options(syncline_unoptimised INTERFACE -O0)
function(syncline_precompile_test target)
  syncline_share_precompiled(${target} syncline_precompiled_for_tests "<gtest/gtest.h>;<atomic>;<thread>;${standard_headers}"
    Threads::Threads GTest::gtest_main syncline_unoptimised)
endfunction()

# Both link what adds flags and definitions to all compilations: with others a compiler refuses what is precompiled.
function(syncline_share_precompiled target owner headers)
  if(NOT TARGET ${owner})
    set(source ${PROJECT_BINARY_DIR}/generated/${owner}.cc)
    file(GENERATE OUTPUT ${source} CONTENT "// No code: a target needs a source.\n")
    add_library(${owner} OBJECT ${source})
    target_precompile_headers(${owner} PRIVATE ${headers})
    target_link_libraries(${owner} PRIVATE ${ARGN})
  endif()
  target_link_libraries(${target} PRIVATE ${ARGN})
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
