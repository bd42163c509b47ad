# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Sets TACT_GLAD_FOUND, and TACT_GLAD_COMMAND (a list) when the generator glad 2 is here. Asks the system's Python first:
# glad is packaged for that one, while a python3 found first on PATH may be another.
set(TACT_GLAD_FOUND OFF)
find_program(TACT_GLAD_PROGRAM glad HINTS /usr/bin)
mark_as_advanced(TACT_GLAD_PROGRAM)
foreach(candidate "${TACT_GLAD_PROGRAM}" "/usr/bin/python3;-m;glad" "python3;-m;glad" "python;-m;glad")
  if(TACT_GLAD_FOUND OR NOT candidate)
    continue()
  endif()
  # glad 1 has neither --reproducible nor a subcommand c.
  execute_process(COMMAND ${candidate} --help OUTPUT_VARIABLE help ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND help MATCHES "--reproducible")
    set(TACT_GLAD_FOUND ON)
    set(TACT_GLAD_COMMAND "${candidate}")
  endif()
endforeach()

# Generates the OpenGL loader (functions in a struct, so that several contexts can be used at once) and the types of EGL
# as the library tact_glad, whose objects `target` takes in and `user` and `target` include.
function(tact_add_glad target user)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/glad)
  add_custom_command(
    OUTPUT ${out}/src/gl.c ${out}/include/glad/gl.h ${out}/include/glad/egl.h
    COMMAND ${CMAKE_COMMAND} "-DGLAD=${TACT_GLAD_COMMAND}" -DOUT=${out} -P ${PROJECT_SOURCE_DIR}/cmake/GenerateGlad.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/GenerateGlad.cmake
    COMMENT "Generating the OpenGL loader" VERBATIM)
  add_library(tact_glad OBJECT ${out}/src/gl.c ${out}/include/glad/gl.h ${out}/include/glad/egl.h)
  set_target_properties(tact_glad PROPERTIES
    C_STANDARD 17 C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  tact_name_files(tact_glad)
  target_include_directories(tact_glad PRIVATE ${out}/include)
  add_dependencies(${user} tact_glad)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:tact_glad>)
  # A system header to us: its warnings are not ours.
  target_include_directories(${target} SYSTEM PRIVATE ${out}/include)
  target_include_directories(${user} SYSTEM PRIVATE ${out}/include)
endfunction()
