# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Has TOOL write its manual pages to OUT/man1 and its completions to OUT/completions.
cmake_policy(VERSION 3.22)
function(write file)
  execute_process(COMMAND ${TOOL} ${ARGN} RESULT_VARIABLE status OUTPUT_FILE ${OUT}/${file} ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    file(REMOVE ${OUT}/${file})
    message(FATAL_ERROR "${TOOL} ${ARGN}: ${status}\n${errors}")
  endif()
endfunction()

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/man1 ${OUT}/completions)
execute_process(COMMAND ${TOOL} help --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${names}" names)
string(REPLACE "\n" ";" names "${names}")
write(man1/tact.1 help --man)
foreach(name IN LISTS names)
  string(REPLACE " " "-" page "${name}")
  separate_arguments(words UNIX_COMMAND "${name}")
  write(man1/tact-${page}.1 help --man ${words})
endforeach()
write(completions/tact completion bash)
write(completions/_tact completion zsh)
write(completions/tact.fish completion fish)
file(TOUCH ${OUT}/stamp)
