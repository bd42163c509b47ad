# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# next_block(LANGUAGE TEXT BLOCK REST LINE): the first block of TEXT that is fenced as LANGUAGE and what follows it. LINE
# names a variable: in, the line that TEXT begins in; out, that of the block, and in LINE_after that of REST. BLOCK is
# empty when there is none.
function(next_block language_ text_ block_ rest_ line_)
  set(fence "\n```${language_}\n")
  string(FIND "${text_}" "${fence}" at)
  if(at EQUAL -1)
    set(${block_} "" PARENT_SCOPE)
    return()
  endif()
  string(LENGTH "${fence}" length)
  math(EXPR begin "${at} + ${length}")
  string(SUBSTRING "${text_}" 0 ${begin} before)
  string(REGEX REPLACE "[^\n]" "" before "${before}")
  string(LENGTH "${before}" lines)
  math(EXPR number "${${line_}} + ${lines}")
  string(SUBSTRING "${text_}" ${begin} -1 text_)
  string(FIND "${text_}" "\n```" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "a block of ${language_} does not end:\n${text_}")
  endif()
  string(SUBSTRING "${text_}" 0 ${end} found)
  string(REGEX REPLACE "[^\n]" "" inside "${found}")
  string(LENGTH "${inside}" lines)
  math(EXPR after "${number} + ${lines}")
  # From the newline before the closing fence on, which cannot be taken for an opening one: that has a language, or is
  # asked for by who has read what comes before.
  string(SUBSTRING "${text_}" ${end} -1 text_)
  set(${block_} "${found}\n" PARENT_SCOPE)
  set(${rest_} "${text_}" PARENT_SCOPE)
  set(${line_} ${number} PARENT_SCOPE)
  set(${line_}_after ${after} PARENT_SCOPE)
endfunction()
