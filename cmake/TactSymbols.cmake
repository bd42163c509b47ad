# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# tact_export(TARGET NODE): TARGET.map names the public functions, and a shared library exports what the public headers declare, and nothing else. Everything is
# compiled with hidden visibility but TACT_API; with the linkers of ELF a version script names each function, as one of
# the version NODE, so that a program that needs an interface that the library lacks is told so when it starts. On macOS
# and Windows (where TACT_API is dllexport) visibility alone decides.
function(tact_export target node)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
  set(names "")
  foreach(header IN LISTS headers)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    string(REGEX MATCHALL "\nTACT_API [^;()]*[ *](tact_[a-z0-9_]+)\\(" functions "${text}")
    foreach(function IN LISTS functions)
      string(REGEX REPLACE ".*[ *](tact_[a-z0-9_]+)\\($" "\\1" function "${function}")
      string(APPEND names "    ${function};\n")
    endforeach()
  endforeach()
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "${node} {\n  global:\n${names}  local:\n    *;\n};\n" @ONLY)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY" OR APPLE OR WIN32 OR NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  # A function that is declared and not there is an error.
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined-version)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()
