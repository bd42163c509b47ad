# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# A program that was compiled with today's headers runs with a later library, in which each struct that ends in `reserved`
# has a field more, taken from there, and which reads the one of every query's options. And today's shared library, whole,
# has the binary interface that the headers promise: ABI is the command that compares it.
include(${CMAKE_CURRENT_LIST_DIR}/../install/common.cmake)
file(REMOVE_RECURSE ${WORK}/later)
file(MAKE_DIRECTORY ${WORK}/later)

# library(SOURCE NAME FLAGS): WORK/NAME/libtact.so
function(library source name)
  configure(${source} ${WORK}/${name} -DBUILD_SHARED_LIBS=ON -DTACT_GL=OFF -DTACT_CL=OFF -DTACT_TOOL=OFF
    -DTACT_TESTS=OFF -DTACT_EXAMPLES=OFF -DCMAKE_C_FLAGS_DEBUG=${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${name} --config Debug)
endfunction()

library(${SOURCE} today "-g -DNDEBUG")
string(REPLACE "|" ";" ABI "${ABI}")
list(TRANSFORM ABI REPLACE "^@INCLUDE@$" ${SOURCE}/include)
list(TRANSFORM ABI REPLACE "^@BUILD@$" ${WORK}/today)
run(${ABI} ${WORK}/interface ${WORK}/today/libtact.so)
message("${output}")

# The sources of a later version.
file(GLOB parts RELATIVE ${SOURCE} ${SOURCE}/*)
foreach(part IN LISTS parts)
  if(part STREQUAL "include" OR part STREQUAL "core")
    file(COPY ${SOURCE}/${part} DESTINATION ${WORK}/later)
  elseif(NOT part STREQUAL "build")
    file(CREATE_LINK ${SOURCE}/${part} ${WORK}/later/${part} SYMBOLIC)
  endif()
endforeach()
file(GLOB headers ${WORK}/later/include/tact/*.h)
set(grown 0)
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX MATCHALL "uint64_t reserved[[][0-9]]" tails "${text}")
  list(LENGTH tails count)
  math(EXPR grown "${grown} + ${count}")
  foreach(left RANGE 1 4)  # upwards: no struct grows twice
    math(EXPR less "${left} - 1")
    string(REPLACE "uint64_t reserved[${left}]" "uint64_t grown, reserved[${less}]" text "${text}")
  endforeach()
  file(WRITE ${header} "${text}")
endforeach()
if(grown LESS 41)
  message(FATAL_ERROR "only ${grown} structs have grown")
endif()
set(read "if (options && options->ticket) *options->ticket = 0;")
file(READ ${WORK}/later/core/context/tickets.c text)
string(FIND "${text}" "${read}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "core/context/tickets.c has no line '${read}', where each query begins")
endif()
string(REPLACE "${read}" "${read}\n    if (options && options->grown) return false;" text "${text}")
file(WRITE ${WORK}/later/core/context/tickets.c "${text}")
library(${WORK}/later later-build "-DNDEBUG")

unset(ENV{TACT_REQUIRE_DEVICES})  # the library has none
set(ENV{TACT_CACHE_DIR} ${WORK}/cache)
foreach(name today later-build)
  run(${CXX_COMPILER} -std=c++17 -I${SOURCE}/include -I${WORK}/today/include
      ${SOURCE}/tests/cxx/test_cxx.cpp ${WORK}/${name}/libtact.so -Wl,-rpath,${WORK}/${name} -o ${WORK}/program)
  run(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/program)
  message("${name}: ${output}")
endforeach()

# The later library does read its field: what is no zero there changes what it does.
file(WRITE ${WORK}/reads.c "#include <tact/tact.h>
int main(void)
{
    tact_context* context = 0;
    tact_volumes* set = 0;
    tact_query_options options = {0};
    size_t count = 0;
    tact_pairs_work work = {0};
    work.count = &count;
    if (tact_context_create(0, &context) || tact_volumes_create(context, 0, &set)) return 1;
    if (tact_pairs_find(set, &work, &options, 0) < 0) return 2;
    options.reserved[0] = 1;
    return tact_pairs_find(set, &work, &options, 0) < 0 ? 0 : 3;
}
")
run(${C_COMPILER} -I${SOURCE}/include -I${WORK}/today/include ${WORK}/reads.c ${WORK}/later-build/libtact.so
    -Wl,-rpath,${WORK}/later-build -o ${WORK}/reads)
run(${WORK}/reads)
