# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# The file that shaders compiled beforehand include is what tact_pick_target_glsl() returns after the lines that set the
# locations, and a shader that includes it is compiled to SPIR-V for OpenGL, at the locations of the file and at others.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
set(installed ${PREFIX}/${SHADERS}/tact_pick.glsl)
file(READ ${installed} text)
run(${PROGRAM} 7)
set(locations "#ifndef TACT_PICK_LOCATION_0\n#define TACT_PICK_LOCATION_0 7\n#define TACT_PICK_LOCATION_1 8\n#endif\n")
if(NOT "${output}" STREQUAL "${locations}${text}")
  message(FATAL_ERROR "${installed} differs from what tact_pick_target_glsl(7, ...) returns:\n${output}")
endif()

if(NOT VALIDATOR)
  skip("no glslangValidator")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# shader(NAME FIRST COLOUR): compiles one whose own colour has the location COLOUR, FIRST standing before the file.
function(shader name first colour)
  file(WRITE ${WORK}/${name}.frag "#version 450 core
#extension GL_GOOGLE_include_directive : require
${first}
#include \"tact_pick.glsl\"
layout(location = ${colour}) out vec4 colour;
layout(location = 0) in vec3 position;

void main()
{
    colour = vec4(1.0);
    tact_pick(1u, 2u, uint(gl_PrimitiveID), tact_pick_normal(position));
}
")
  execute_process(COMMAND ${VALIDATOR} -G -I${PREFIX}/${SHADERS} -o ${WORK}/${name}.spv ${WORK}/${name}.frag
    RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
  set(status ${status} PARENT_SCOPE)
  set(log "${log}" PARENT_SCOPE)
endfunction()

set(others "#define TACT_PICK_LOCATION_0 0\n#define TACT_PICK_LOCATION_1 1")
foreach(case "default;;0" "other;${others};2")
  list(GET case 0 name)
  list(GET case 1 first)
  list(GET case 2 colour)
  shader(${name} "${first}" ${colour})
  if(NOT status EQUAL 0 OR NOT EXISTS ${WORK}/${name}.spv)
    message(FATAL_ERROR "${WORK}/${name}.frag is not compiled:\n${log}")
  endif()
endforeach()
# Locations are those that were asked for: another output there is an error.
shader(taken "${others}" 1)
if(status EQUAL 0)
  message(FATAL_ERROR "two outputs have one location in ${WORK}/taken.frag")
endif()

find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${PREFIX}/tact.pc)
  get_filename_component(folder "${pc}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run(${PKG_CONFIG} --variable=shaderdir tact)
  string(STRIP "${output}" folder)
  if(NOT EXISTS ${folder}/tact_pick.glsl)
    message(FATAL_ERROR "pkg-config has the shaders in ${folder}, where they are not")
  endif()
endif()
