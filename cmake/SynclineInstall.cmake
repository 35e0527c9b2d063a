# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies, beside the library (SynclineInjected.cmake). The tree is relocatable: bin/syncline finds
# ../lib/libsyncline.so relative to itself, so `lib` is always called lib.
if(TARGET syncline)
  install(TARGETS syncline RUNTIME DESTINATION bin)
  # Manual page and completion are made by the command itself, from its tables.
  find_program(SYNCLINE_PYTHON python3)
  install(CODE "
    set(program \"$<TARGET_FILE:syncline>\")
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    file(MAKE_DIRECTORY \"\${share}/bash-completion/completions\" \"\${share}/man/man1\")
    execute_process(COMMAND \"\${program}\" completion bash
      OUTPUT_FILE \"\${share}/bash-completion/completions/syncline\" COMMAND_ERROR_IS_FATAL ANY)
    if(NOT \"${SYNCLINE_PYTHON}\" MATCHES \"NOTFOUND\")
      execute_process(COMMAND \"${SYNCLINE_PYTHON}\" \"${PROJECT_SOURCE_DIR}/scripts/gen_man.py\" \"\${program}\"
        \"\${share}/man/man1/syncline.1\" COMMAND_ERROR_IS_FATAL ANY)
    endif()")
endif()
install(FILES LICENSE README.md CHANGELOG.md THIRD_PARTY_NOTICES.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/syncline)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/syncline/docs
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.cc" PATTERN "results" EXCLUDE)
