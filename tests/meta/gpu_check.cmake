# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# scripts/gpu-check does the steps that it is given, says so by its exit code, leaves out what an earlier call has done,
# and does again what failed. SCRIPT is it, BUILD the build folder, OUT a folder to make.
function(check expected text)
  execute_process(COMMAND ${SCRIPT} ${OUT}/out --build ${BUILD} --allow-software ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL expected OR NOT out MATCHES "${text}")
    message(FATAL_ERROR "gpu-check ${ARGN}: exit ${status}, not ${expected}, or no \"${text}\":\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
check(2 "no step infos" --steps info,infos)
check(2 "not a number of seconds: 1m" --steps info --time 1m)
check(2 "leaves no time" --steps info --limit 0)
check(0 "ok +tact info.*everything passed" --steps info)
check(0 "done before: info.*everything passed" --steps info)
check(0 "ok +tact info" --steps info --again)
# A step that fails is no done step.
check(1 "FAILED +digests.*24 failed, 0 left" --steps rays,info --again --mesh ${OUT}/none.obj)
check(1 "FAILED +digests" --steps rays --mesh ${OUT}/none.obj)
file(GLOB files RELATIVE ${OUT}/out ${OUT}/out/*)
if(NOT files STREQUAL "bench.tar.gz;info.json;log.txt;steps.txt;summary.txt")
  message(FATAL_ERROR "other files than expected: ${files}")
endif()
