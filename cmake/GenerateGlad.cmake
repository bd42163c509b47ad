# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# In: GLAD (command, a list), OUT (folder). --reproducible keeps glad off the network.
function(generate api extensions folder)
  execute_process(
    COMMAND ${GLAD} --quiet --reproducible --api "${api}" --extensions "${extensions}" --out-path "${folder}" c ${ARGN}
    OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "glad failed for ${api}:\n${log}")
  endif()
endfunction()

set(egl EGL_EXT_create_context_robustness EGL_EXT_device_base EGL_EXT_device_enumeration EGL_EXT_device_query
        EGL_EXT_platform_base EGL_EXT_platform_device EGL_KHR_create_context EGL_KHR_no_config_context
        EGL_KHR_surfaceless_context EGL_MESA_platform_surfaceless)
string(REPLACE ";" "," egl "${egl}")
file(REMOVE_RECURSE "${OUT}")
generate("gl:core=4.3" "GL_ARB_buffer_storage,GL_ARB_clip_control,GL_ARB_robustness,GL_KHR_debug,GL_KHR_robustness"
         "${OUT}" --mx)
# Of EGL only the header is used: its functions are kept in a table of our own (gpu/gl_context_egl.c).
generate("egl=1.5" "${egl}" "${OUT}/egl")
foreach(header glad/egl.h EGL/eglplatform.h)
  get_filename_component(folder "${OUT}/include/${header}" DIRECTORY)
  file(COPY "${OUT}/egl/include/${header}" DESTINATION "${folder}")
endforeach()
file(REMOVE_RECURSE "${OUT}/egl")

# The program that we are linked into may hold a glad of its own.
foreach(name src/gl.c include/glad/gl.h)
  file(READ "${OUT}/${name}" text)
  string(REPLACE "gladLoadGLContext" "tact_glad_load_context" text "${text}")
  file(WRITE "${OUT}/${name}" "${text}")
endforeach()
