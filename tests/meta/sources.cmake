# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# No test source may hide what it leaves out: tests run through tests/support/run.h, and a missing device is noted there
# before a loop goes on without it. SOURCE is the project's folder.
file(GLOB_RECURSE sources RELATIVE ${SOURCE}/tests ${SOURCE}/tests/*.c ${SOURCE}/tests/*.h ${SOURCE}/tests/*.inl)
list(FILTER sources EXCLUDE REGEX "^(support/run\\.[ch]|install/consumer/.*)$")
list(LENGTH sources count)
if(count LESS 150)
  message(FATAL_ERROR "only ${count} sources were found in ${SOURCE}/tests")
endif()

# A condition that asks for a device, and what then ends a round or a test without a note.
set(asks "tact_context_missing|tact_context_find|tact_context_device_count|->devices\\[|TACT_ERROR_NO_DEVICE")
set(leaves "continue;|break;|skip\\(|skip_because\\(|return( 0| 77| true| false| SIZE_MAX| NULL)?;")

# forbid(REGEX REASON): the text of each source must not match.
set(faults "")
function(forbid regex reason)
  string(REGEX MATCH "${regex}" found "${text}")
  if(NOT found STREQUAL "")
    string(REGEX REPLACE "[ \n]+" " " found "${found}")
    set(faults "${faults}  tests/${file}: ${found}\n    ${reason}\n" PARENT_SCOPE)
  endif()
endfunction()

function(check file text)
  forbid("#include *[<\"]cmocka\\.h[>\"]" "includes tests/support/run.h in place of cmocka.h")
  forbid("cmocka_(run_group_tests|set_test_filter|set_skip_filter)[a-z_]*\\(" "runs tests by run_all() and chooses by run_only()")
  forbid("[^a-z]_skip\\(" "skips by skip_because()")
  forbid("(return([^;{}]*[^0-9a-zA-Z_.])? *77 *;|SKIP[A-Z]* = 77)" "leaves the exit code to run_all() and run_nothing()")
  forbid("if \\([^;{}]*(${asks})[^;{}]*\\)[ \n]*{?[^;{}]*(print_message\\([^;]*;[ \n]*|tact_context_destroy\\([^;]*;[ \n]*)*(${leaves})"
    "asks device_missing() or need_device(), which note it")
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

# A rule that finds nothing any more would go unseen.
set(samples
  "#include <cmocka.h>"
  "return cmocka_run_group_tests(tests, NULL, NULL)\;"
  "_skip(file, line)\;"
  "return seen ? 0 : 77\;"
  "if (tact_context_missing(context, backend)) continue\;"
  "if (backend != 0 &&\n    tact_context_find(context, backend) < 0) {\n    tact_context_destroy(context)\;\n    skip()\;"
  "if (!context->devices[i]) continue\;"
  "if (result == TACT_ERROR_NO_DEVICE) return\;")
foreach(sample IN LISTS samples)
  set(faults "")
  check("sample" " ${sample}")
  if(faults STREQUAL "")
    message(FATAL_ERROR "no rule finds: ${sample}")
  endif()
endforeach()

set(faults "")
foreach(file IN LISTS sources)
  file(READ ${SOURCE}/tests/${file} text)
  check("${file}" "${text}")
endforeach()
if(NOT faults STREQUAL "")
  message(FATAL_ERROR "tests that hide what they leave out:\n${faults}")
endif()

# The comment of a public function begins with a verb in the third person. These words look like one:
set(nouns "Axes|Besides|Boxes|Cells|Errors|Hits|Its|Levels|Lines|Pairs|Particles|Planes|Rays|This|Triangles|Vertices|Volumes")

# undocumented(OUT TEXT): lists the comments before a TACT_API in a header's text that begin otherwise, and counts all
# in COUNT. Each comment is joined into one line first.
function(undocumented out text)
  string(REPLACE "\n///" "\r///" text "${text}")
  string(REGEX REPLACE "[][;]" " " text "${text}")
  string(REGEX MATCHALL "\r///[^\n]*\nTACT_API" comments "${text}")
  set(found "")
  foreach(comment IN LISTS comments)
    string(REGEX MATCH "^\r/// ([A-Z][a-z]+s) " verb "${comment}")
    if(NOT verb OR CMAKE_MATCH_1 MATCHES "^(${nouns})$")
      string(REGEX MATCH "///[^\r\n]*" line "${comment}")
      list(APPEND found "${line}")
    endif()
  endforeach()
  list(LENGTH comments length)
  set(${out} "${found}" PARENT_SCOPE)
  set(COUNT ${length} PARENT_SCOPE)
endfunction()

foreach(sample IN ITEMS "\n/// The box.\nTACT_API" "\n/// Pairs of a set.\nTACT_API" "\n/// Move a box.\n/// Moves it.\nTACT_API")
  undocumented(found "${sample}")
  if(NOT found)
    message(FATAL_ERROR "the rule of public comments does not find: ${sample}")
  endif()
endforeach()

set(faults "")
set(documented 0)
file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/include/tact/*.h)
foreach(header IN LISTS headers)
  file(READ ${SOURCE}/${header} text)
  undocumented(found "${text}")
  math(EXPR documented "${documented} + ${COUNT}")
  foreach(line IN LISTS found)
    set(faults "${faults}  ${header}: ${line}\n")
  endforeach()
endforeach()
if(documented LESS 400)
  message(FATAL_ERROR "only ${documented} comments of public functions were found")
endif()
if(NOT faults STREQUAL "")
  message(FATAL_ERROR "comments of public functions do not begin with a verb in the third person:\n${faults}")
endif()
