# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Every relative link and picture in the project's documents leads to a file.
cmake_policy(VERSION 3.22)
file(GLOB documents ${SOURCE}/*.md ${SOURCE}/docs/*.md)
foreach(document IN LISTS documents)
  get_filename_component(folder ${document} DIRECTORY)
  file(READ ${document} text)
  # CMake's lists and brackets do not mix: only the targets are needed.
  string(REPLACE ";" "," text "${text}")
  string(REPLACE "](" "@@LINK " text "${text}")
  string(REPLACE "[" "(" text "${text}")
  string(REPLACE "]" ")" text "${text}")
  string(REGEX MATCHALL "@@LINK [^) \n]+" links "${text}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^@@LINK ([^#]*).*" "\\1" target "${link}")
    if(target MATCHES "^[a-z]+:" OR target STREQUAL "")
      continue()
    endif()
    if(NOT EXISTS ${folder}/${target})
      message(SEND_ERROR "${document}: no ${target}")
    endif()
  endforeach()
endforeach()
