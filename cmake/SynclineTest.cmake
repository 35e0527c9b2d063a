# SPDX-License-Identifier: Apache-2.0
# A race needs threads, and these rooms start none: ThreadSanitizer finds nothing in tests of theirs.
set(SYNCLINE_ROOMS_OF_ONE_THREAD analysis compare contract model report writers)
# A benchmark times the release's build.
set(SYNCLINE_LEAVE_OUT_BENCHES OFF)
if(SYNCLINE_SANITIZE)
  set(SYNCLINE_LEAVE_OUT_BENCHES ON)
endif()

# Whether this folder's tests are no part of the build.
function(syncline_has_no_tests answer)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  string(REGEX MATCH "^[^/]*" room ${folder})
  if(NOT BUILD_TESTING OR (SYNCLINE_SANITIZE STREQUAL "thread" AND room IN_LIST SYNCLINE_ROOMS_OF_ONE_THREAD))
    set(${answer} YES PARENT_SCOPE)
  else()
    set(${answer} NO PARENT_SCOPE)
  endif()
endfunction()

# syncline_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...]): a GoogleTest program, one ctest
# entry. For tests beside the unit, in the unit's own folder.
# With SYNCLINE_UNITY, six files are one compilation: names that two files of a program give to different things stand in a
# namespace of the file.
# Without GoogleTest it is the building of the tests that fails: whoever builds the product alone needs none.
function(syncline_add_test name)
  syncline_has_no_tests(none)
  if(none)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  find_package(GTest QUIET)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} $<TARGET_NAME_IF_EXISTS:GTest::gtest_main> syncline_warnings)
  if(GTest_FOUND)
    syncline_precompile_test(${name})
  else()
    syncline_fail_without_googletest(${name})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
    UNITY_BUILD ${SYNCLINE_UNITY} UNITY_BUILD_BATCH_SIZE 6)
  add_test(NAME ${name} COMMAND ${name})
  # Another build's tests may run at the same time: gtest's TempDir() is this build's own.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tests/files)
  set_tests_properties(${name} PROPERTIES LABELS "unit;${arg_LABELS}" TIMEOUT 120
    ENVIRONMENT TEST_TMPDIR=${PROJECT_BINARY_DIR}/tests/files)
endfunction()

function(syncline_fail_without_googletest name)
  if(NOT TARGET googletest_is_missing)
    message(STATUS "GoogleTest was not found (package libgtest-dev): the unit tests cannot be built")
    add_custom_target(googletest_is_missing
      COMMAND ${CMAKE_COMMAND} -E echo "GoogleTest was not found: install libgtest-dev, or configure with -DBUILD_TESTING=OFF."
      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  endif()
  add_dependencies(${name} googletest_is_missing)
endfunction()

# A fuzzer whose seeds (FuzzSeeds, model/testing/fuzz.h) are a unit test too, in fixed mutations and with any compiler: <name>_test.
function(syncline_add_seeded_fuzzer name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  syncline_add_fuzzer(${name} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES} syncline_model_testing DEFINITIONS SYNCLINE_LIBFUZZER=1)
  syncline_has_no_tests(none)
  if(none)
    return()
  endif()
  add_executable(${name}_test ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/model/testing/fuzz_runner.cc)
  target_compile_definitions(${name}_test PRIVATE SYNCLINE_LIBFUZZER=0)
  target_link_libraries(${name}_test PRIVATE ${arg_LIBRARIES} syncline_model_testing syncline_warnings)
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name}_test COMMAND ${name}_test 3000)
  set_tests_properties(${name}_test PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

# A libFuzzer program, part of the target `fuzzers`. Only in builds with SYNCLINE_FUZZ.
function(syncline_add_fuzzer name)
  if(NOT SYNCLINE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;DEFINITIONS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} syncline_warnings)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
endfunction()
