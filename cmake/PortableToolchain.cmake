# SPDX-License-Identifier: Apache-2.0
# Compiler of the `portable` preset: clang and lld of the ziglang package, against the symbols of glibc 2.17.
# scripts/build portable puts the package and the wrappers into build/deps/zig; SYNCLINE_ZIG_DIR names another place.
set(CMAKE_SYSTEM_NAME Linux)
set(SYNCLINE_PORTABLE ON)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
if(NOT SYNCLINE_ZIG_DIR)
  set(SYNCLINE_ZIG_DIR "${CMAKE_CURRENT_LIST_DIR}/../build/deps/zig/bin")
endif()
get_filename_component(SYNCLINE_ZIG_DIR "${SYNCLINE_ZIG_DIR}" ABSOLUTE)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SYNCLINE_ZIG_DIR)
if(NOT EXISTS "${SYNCLINE_ZIG_DIR}/portable-cc")
  message(FATAL_ERROR "The portable preset's compiler is not at ${SYNCLINE_ZIG_DIR}. Run `scripts/build portable`, which installs it.")
endif()
set(CMAKE_C_COMPILER "${SYNCLINE_ZIG_DIR}/portable-cc")
set(CMAKE_CXX_COMPILER "${SYNCLINE_ZIG_DIR}/portable-c++")
set(CMAKE_AR "${SYNCLINE_ZIG_DIR}/portable-ar")
set(CMAKE_RANLIB "${SYNCLINE_ZIG_DIR}/portable-ranlib")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
