# SPDX-License-Identifier: Apache-2.0
# Flags of code that lives in foreign processes: hidden, no exceptions, no RTTI, no static initialisers, initial-exec TLS.
include(CheckLinkerFlag)

# Includes go from the root; what CMake writes lies under generated/.
add_library(syncline_headers INTERFACE)
target_include_directories(syncline_headers INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)

add_library(syncline_injected_flags INTERFACE)
target_compile_options(syncline_injected_flags INTERFACE
  -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden;-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wglobal-constructors;-Wexit-time-destructors>)
target_link_libraries(syncline_injected_flags INTERFACE syncline_headers syncline_warnings)

# lld of zig refuses it; there the version script alone hides what static libraries define.
check_linker_flag(CXX "-Wl,--exclude-libs,ALL" SYNCLINE_LINKER_HAS_EXCLUDE_LIBS)
# A linker without it leaves the addresses of our visible functions to the loader: 13 more to look up in each process.
check_linker_flag(CXX "-Wl,-Bsymbolic-functions" SYNCLINE_LINKER_HAS_SYMBOLIC_FUNCTIONS)

# syncline_link_injected(<target>): links a shared library that may be preloaded into any program. Only the names of
# inject/exports.txt and of the collectors' are visible, our own functions are not looked up at all, nothing is left
# undefined, nothing is bound late, dlclose never unmaps it, and the C++ runtime, as far as it is used at all, is inside.
# scripts/check_exports compares the result with these promises.
# In a sanitizer build the target is left out of `all`: its objects would need the sanitizer's runtime in every program;
# sanitized programs are recorded with the library of another build.
function(syncline_link_injected target)
  set(map ${PROJECT_BINARY_DIR}/generated/exports.map)
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${map} -Wl,-z,defs -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,-z,noexecstack
    -Wl,--hash-style=both -Wl,--as-needed -static-libgcc -static-libstdc++)
  if(SYNCLINE_LINKER_HAS_EXCLUDE_LIBS)
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  endif()
  if(SYNCLINE_LINKER_HAS_SYMBOLIC_FUNCTIONS)
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
  target_link_libraries(${target} PRIVATE syncline_injected_flags ${CMAKE_DL_LIBS} Threads::Threads)
  set_target_properties(${target} PROPERTIES PREFIX "lib" OUTPUT_NAME syncline NO_SONAME OFF LINK_DEPENDS ${map}
    SKIP_BUILD_RPATH ON)
  if(SYNCLINE_SANITIZE)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    install(TARGETS ${target} LIBRARY DESTINATION lib)
  endif()
endfunction()
