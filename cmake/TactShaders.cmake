# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# tact_embed_shaders(VARIABLE shader...): C files, whose names VARIABLE gets, each with the text of a shader of the folder
# `shaders` as tact_shader_NAME_STAGE. The text is checked where glslangValidator is.
function(tact_embed_shaders variable)
  find_program(GLSLANG_VALIDATOR glslangValidator)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/shaders)
  file(MAKE_DIRECTORY ${out})
  set(sources "")
  foreach(shader IN LISTS ARGN)
    string(REPLACE "." "_" name ${shader})
    add_custom_command(
      OUTPUT ${out}/${shader}.c
      COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/shaders/${shader} -DSYMBOL=tact_shader_${name}
              -DOUT=${out}/${shader} -DVALIDATOR=$<$<BOOL:${GLSLANG_VALIDATOR}>:${GLSLANG_VALIDATOR}>
              -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
      # The files that the shader includes are known once it has been read.
      DEPENDS ${PROJECT_SOURCE_DIR}/shaders/${shader} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
      DEPFILE ${out}/${shader}.d
      COMMENT "Embedding ${shader}" VERBATIM)
    list(APPEND sources ${out}/${shader}.c)
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
