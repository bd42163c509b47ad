# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# The kernel of docs/kernels.md becomes GLSL, which is valid where there is a validator, and OpenCL C.
cmake_policy(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/blocks.cmake)
file(READ ${SOURCE}/docs/kernels.md text)
set(line 1)
next_block(text "${text}" block text line)
if(NOT block MATCHES "#define KERNEL_NAME scale\n")
  message(FATAL_ERROR "docs/kernels.md has lost its kernel")
endif()
file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/scale.kernel "${block}")
foreach(language glsl opencl)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${COMPILER} -DCOMPILER_ID=${COMPILER_ID} -DLANGUAGE=${language} -DNAME=scale
            -DIN=${WORK}/scale.kernel -DINCLUDE=${SOURCE}/kernels -DOUT=${WORK}/scale.${language}
            "-DVALIDATOR=${VALIDATOR}" -P ${SOURCE}/cmake/GenerateKernel.cmake
    RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${errors}")
  endif()
  file(READ ${WORK}/scale.${language} made)
  if(NOT made MATCHES "scaled" OR made MATCHES "KERNEL_BEGIN")
    message(FATAL_ERROR "the ${language} text is not that of the kernel:\n${made}")
  endif()
endforeach()
