# SPDX-License-Identifier: Apache-2.0
# lib/syncline/$PLATFORM/libsyncline.so: LD_PRELOAD names it so, and each loader puts its own platform there. A 64-bit one is led to
# the library, a 32-bit one to a library without code: it would else complain of the wrong class on the program's stderr. Where a shell
# has put nothing in the place of $PLATFORM, that is the library too.
function(syncline_add_preload_folders)
  find_program(SYNCLINE_PYTHON python3)
  if(SYNCLINE_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR SYNCLINE_PYTHON MATCHES "NOTFOUND")
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/lib/syncline)
  file(MAKE_DIRECTORY ${folder}/i686)
  execute_process(COMMAND ${SYNCLINE_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/empty_elf32.py ${folder}/i686/libsyncline.so
    COMMAND_ERROR_IS_FATAL ANY)
  foreach(platform IN ITEMS x86_64 haswell xeon_phi)
    file(MAKE_DIRECTORY ${folder}/${platform})
    file(CREATE_LINK ../../libsyncline.so ${folder}/${platform}/libsyncline.so SYMBOLIC)
  endforeach()
  file(CREATE_LINK ../libsyncline.so ${folder}/libsyncline.so SYMBOLIC)
  install(DIRECTORY ${folder} DESTINATION lib)
endfunction()
