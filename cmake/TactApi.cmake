# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Builds and installs tact_api.json, which describes the public headers to whoever writes a binding. A program of the
# target's compiler prints it, since only that knows offsets and sizes; so without Python, or where the program cannot
# run, the file is left out.
find_package(Python3 3.6 COMPONENTS Interpreter QUIET)
if(NOT Python3_FOUND OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
  message(STATUS "tact: tact_api.json is left out: it needs Python 3 and, for another machine, an emulator")
  return()
endif()
set(headers ${TACT_PUBLIC_HEADERS})
list(TRANSFORM headers PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
list(APPEND headers ${CMAKE_CURRENT_BINARY_DIR}/include/tact/version.h)
set(generator ${CMAKE_CURRENT_LIST_DIR}/GenerateApi.py)
add_custom_command(OUTPUT tact_api.c
  COMMAND ${Python3_EXECUTABLE} ${generator} tact_api.c ${headers}
  DEPENDS ${generator} ${headers} VERBATIM COMMENT "Reading the public headers")
add_executable(tact_api_program ${CMAKE_CURRENT_BINARY_DIR}/tact_api.c)
set_target_properties(tact_api_program PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON)
target_include_directories(tact_api_program PRIVATE $<TARGET_PROPERTY:tact,INTERFACE_INCLUDE_DIRECTORIES>)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(tact_api_program PRIVATE -O0 -U_FORTIFY_SOURCE)  # it runs once
endif()
add_custom_command(OUTPUT tact_api.json
  COMMAND tact_api_program > tact_api.json
  DEPENDS tact_api_program VERBATIM COMMENT "Writing tact_api.json")
add_custom_target(tact_api ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/tact_api.json)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tact_api.json DESTINATION ${CMAKE_INSTALL_DATADIR}/tact COMPONENT development)
