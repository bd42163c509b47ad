# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# tact_embed_text(FILE SYMBOL OUT [VALIDATOR]): a command that makes OUT.c, with the text of FILE as SYMBOL.
function(tact_embed_text file symbol out)
  get_filename_component(name ${file} NAME)
  add_custom_command(
    OUTPUT ${out}.c
    COMMAND ${CMAKE_COMMAND} -DIN=${file} -DSYMBOL=${symbol} -DOUT=${out} -DVALIDATOR=${ARGN}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    # The files that the text includes are known once it has been read.
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPFILE ${out}.d
    COMMENT "Embedding ${name}" VERBATIM)
endfunction()

# tact_embed_shaders(VARIABLE shader...): C files, whose names VARIABLE gets, each with the text of a shader of the folder
# `shaders` as tact_shader_NAME_STAGE. The text is checked where glslangValidator is.
function(tact_embed_shaders variable)
  find_program(GLSLANG_VALIDATOR glslangValidator)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/shaders)
  file(MAKE_DIRECTORY ${out})
  set(sources "")
  foreach(shader IN LISTS ARGN)
    string(REPLACE "." "_" name ${shader})
    tact_embed_text(${PROJECT_SOURCE_DIR}/shaders/${shader} tact_shader_${name} ${out}/${shader}
      $<$<BOOL:${GLSLANG_VALIDATOR}>:${GLSLANG_VALIDATOR}>)
    list(APPEND sources ${out}/${shader}.c)
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
