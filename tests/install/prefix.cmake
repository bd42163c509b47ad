# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Installs the build to a prefix, then moves the prefix: what the other tests use is where nothing was installed.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --config ${CONFIG} --component development)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --config ${CONFIG} --component runtime)
file(RENAME ${WORK}/first ${PREFIX})

file(GLOB_RECURSE public RELATIVE ${SOURCE}/include/tact ${SOURCE}/include/tact/*.h ${SOURCE}/include/tact/*.hpp)
list(APPEND public version.h)
list(SORT public)
file(GLOB_RECURSE installed RELATIVE ${PREFIX}/include/tact ${PREFIX}/include/tact/*.h ${PREFIX}/include/tact/*.hpp)
list(SORT installed)
if(NOT "${public}" STREQUAL "${installed}")
  message(FATAL_ERROR "public headers:    ${public}\ninstalled headers: ${installed}\n(cmake/TactInstall.cmake lists them)")
endif()

# What the manifest of an installation names twice was installed twice.
file(STRINGS ${BUILD}/install_manifest_development.txt manifest)
set(distinct ${manifest})
list(REMOVE_DUPLICATES distinct)
if(NOT manifest OR NOT "${manifest}" STREQUAL "${distinct}")
  message(FATAL_ERROR "files are installed more than once (cmake/TactInstall.cmake)")
endif()

if(API AND NOT EXISTS ${PREFIX}/${API})
  message(FATAL_ERROR "${API} is not installed")
endif()
no_paths(${PREFIX} ${SOURCE} ${BUILD})
file(GLOB_RECURSE texts ${PREFIX}/*.cmake ${PREFIX}/*.pc ${PREFIX}/*.h ${PREFIX}/*.json)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  foreach(path ${SOURCE} ${BUILD} /usr/lib)
    string(FIND "${content}" "${path}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${text} names ${path}: it would not work on another machine")
    endif()
  endforeach()
  if(content MATCHES "LINK_ONLY:[^-]")
    message(FATAL_ERROR "${text} links a bare name, which a consumer's target of that name would replace:\n${content}")
  endif()
endforeach()
