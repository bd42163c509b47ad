# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Writes the list of the tests of the program IN (tests/support/run.h) to OUT: an entry for each line TEST(name),
# TEST_AS(how, name) or TEST_ELSEWHERE(how, name), in their order and under the same conditions of the preprocessor.
cmake_minimum_required(VERSION 3.22)
file(STRINGS "${IN}" lines REGEX "^(TEST(_AS|_ELSEWHERE)?\\(|#(if|ifdef|ifndef|elif|else|endif))")
set(entries "")
set(text "static const struct CMUnitTest all_tests[] = {\n")
foreach(line IN LISTS lines)
  if(line MATCHES "^TEST\\(([a-z0-9_]+)\\)$")
    list(APPEND entries "${CMAKE_MATCH_1}")
    string(APPEND text "    cmocka_unit_test(${CMAKE_MATCH_1}),\n")
  elseif(line MATCHES "^TEST_(AS|ELSEWHERE)\\(([A-Za-z0-9_]+), ([a-z0-9_]+)\\)$")
    list(APPEND entries "${CMAKE_MATCH_3}")
    string(APPEND text "    ${CMAKE_MATCH_2}(${CMAKE_MATCH_3}),\n")
  elseif(line MATCHES "^#")
    string(APPEND text "${line}\n")
  else()
    message(FATAL_ERROR "${IN}: not understood: ${line}")
  endif()
endforeach()
if(NOT entries)
  string(APPEND text "    {NULL, NULL, NULL, NULL, NULL},\n")
endif()
file(WRITE "${OUT}" "${text}};\n")
