# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Figures of the documents that are the same on every machine, by the commands that they name.
cmake_policy(VERSION 3.22)

# figure(VARIABLE PAGE PATTERN): what PATTERN, with a place for it, finds in docs/PAGE.
function(figure variable page pattern)
  file(READ ${SOURCE}/docs/${page} text)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "docs/${page} does not say \"${pattern}\"")
  endif()
  set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# expect(DIGEST ARGUMENT...): the tool gives this digest.
function(expect digest)
  execute_process(COMMAND ${TOOL} ${ARGN} --expect ${digest} --quiet RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " shown "${ARGN}")
    message(SEND_ERROR "tact ${shown} ended with ${status}:\n${output}")
  endif()
endfunction()

figure(digest culling.md "The digest is ([0-9a-f]+) in all of them")
expect(${digest} cull --random 1000000 --frustum camera --backend cpu)

figure(pairs pairs.md "a set of 100,000 boxes with ([0-9,]+) pairs")
string(REPLACE "," "" pairs "${pairs}")
execute_process(COMMAND ${TOOL} pairs --random 100000 --frames 3 --threads 1 --method bvh --backend cpu --json --quiet
  OUTPUT_VARIABLE output)
string(JSON results GET "${output}" results)
string(JSON bytes GET "${output}" memory_bytes)
if(NOT results EQUAL pairs)
  message(SEND_ERROR "docs/pairs.md speaks of ${pairs} pairs; there are ${results}")
endif()
figure(each pairs.md "`bvh` . ([0-9]+) .\n")
math(EXPR least "${each} * 100000 * 95 / 100")
math(EXPR most "${each} * 100000 * 105 / 100")
if(bytes LESS least OR bytes GREATER most)
  message(SEND_ERROR "docs/pairs.md says ${each} bytes a box; 100,000 take ${bytes}")
endif()

set(bunny /usr/share/glmark2/models/bunny.obj)
figure(digest cli.md "digest  ([0-9a-f]+), exact")
if(EXISTS ${bunny})
  expect(${digest} raycast --mesh ${bunny} --backend cpu)
else()
  message("no ${bunny}: its digest was not tried")
endif()
