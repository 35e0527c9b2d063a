# SPDX-License-Identifier: Apache-2.0
# Build options. Presets (CMakePresets.json) set them; a plain cmake call gives a release build.
option(SYNCLINE_BUILD_LAUNCHER "Build launcher, writers and tests, not only the injected library" ON)
option(SYNCLINE_WERROR "Warnings are errors" OFF)
option(SYNCLINE_EXIT_HOOKS "Exit hooks in the injected library (off: only to test that nothing depends on them)" ON)
option(SYNCLINE_UNITY "Compile several files of a target as one: a whole build takes half the time" OFF)
option(SYNCLINE_SIMULATED_GPU "Build the simulated GPU with the tests" ON)
option(SYNCLINE_SIMULATED_GPU_ALONE "Build nothing but the simulated GPU's libraries, for their package" OFF)
option(SYNCLINE_FUZZ "Build the fuzzers (clang)" OFF)
option(SYNCLINE_CCACHE "Keep what was compiled in build/ccache, for the other builds of this tree (ccache)" OFF)
set(SYNCLINE_EXTRA_COLLECTORS "" CACHE STRING "Folders of collectors outside of collectors/, absolute, separated by semicolons")
set(SYNCLINE_SANITIZE "" CACHE STRING "Sanitizers for all but the injected library, such as address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
if(SYNCLINE_CCACHE)
  # Builds that lie side by side have the same paths, seen from their own folder. Without the directory in its hash, the cache gives
  # one build's object with the other's folder in its line table: nothing that a test or a user reads.
  set(cache ${CMAKE_COMMAND} -E env CCACHE_DIR=${PROJECT_SOURCE_DIR}/build/ccache CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_MAXSIZE=5G ccache)
  set(CMAKE_C_COMPILER_LAUNCHER ${cache})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${cache})
endif()
if(SYNCLINE_SANITIZE)
  add_compile_options(-fsanitize=${SYNCLINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined -O1 -g1)
  add_link_options(-fsanitize=${SYNCLINE_SANITIZE})
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld SYNCLINE_HAS_LLD)
  if(SYNCLINE_HAS_LLD)
    # A program with AddressSanitizer in a quarter of the time.
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=lld>)
  endif()
  if(SYNCLINE_SANITIZE MATCHES "thread")
    # A C program that loads a C++ library must show the library its guards of statics, or their races are told that are none.
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:LINKER:--export-dynamic-symbol=__cxa_guard_*>)
  endif()
  if(SYNCLINE_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fno-sanitize=function)  # what a vendor calls by a table has other words for the same types
  endif()
endif()
if(SYNCLINE_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "The fuzzers need clang (libFuzzer), but the compiler is ${CMAKE_CXX_COMPILER_ID}. "
    "Use `cmake --preset asan`, or give -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++.")
endif()
if(SYNCLINE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # so that the fuzzer sees the branches of what it calls
endif()
