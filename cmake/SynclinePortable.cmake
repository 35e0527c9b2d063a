# SPDX-License-Identifier: Apache-2.0
# The portable preset's libraries (scripts/portable.sh puts them into build/deps/portable), and bytes that do not depend on where
# the tree lies. Included before anything looks for a library.
set(SYNCLINE_PORTABLE_LIBRARIES ${PROJECT_SOURCE_DIR}/build/deps/portable CACHE PATH "Headers and static libraries of the portable preset")

# The packages' CMake files name /usr/include, whose C library is another one: CMake leaves out what it takes for built in.
foreach(language IN ITEMS C CXX)
  list(APPEND CMAKE_${language}_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
  set(CMAKE_${language}_STANDARD_INCLUDE_DIRECTORIES ${SYNCLINE_PORTABLE_LIBRARIES}/include)
endforeach()
set(SYNCLINE_ISAL_INCLUDE ${SYNCLINE_PORTABLE_LIBRARIES}/include CACHE PATH "")
set(SYNCLINE_ISAL_STATIC_LIBRARY ${SYNCLINE_PORTABLE_LIBRARIES}/lib/libisal.a CACHE FILEPATH "")
set(SYNCLINE_ZLIB_INCLUDE ${SYNCLINE_PORTABLE_LIBRARIES}/include CACHE PATH "")
set(SYNCLINE_ZLIB_LIBRARY ${SYNCLINE_PORTABLE_LIBRARIES}/lib/libz.a CACHE FILEPATH "")

# The compiler's own headers have paths that only the compiler can follow (scripts/portable.sh).
foreach(language IN ITEMS C CXX)
  set(CMAKE_DEPFILE_FLAGS_${language} "-MMD -MT <DEP_TARGET> -MF <DEP_FILE>")
endforeach()

set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # and so each file is seen to include what it needs

# Two builds of one commit on two paths give the same bytes.
add_compile_options(-ffile-prefix-map=${PROJECT_BINARY_DIR}=build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> qD <TARGET> <LINK_FLAGS> <OBJECTS>")
add_link_options(-Wl,--build-id=sha1)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
