# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# `cpack` in the build's folder makes an archive of what is installed, which works wherever it is unpacked, or with
# -D CPACK_ARCHIVE_COMPONENT_INSTALL=ON one for each component; `cpack --config CPackSourceConfig.cmake` one of the sources.
set(CPACK_PACKAGE_VENDOR "The Tact authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME tact-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_THREADS 0)

# A static library leaves nothing to the component runtime.
set(CPACK_COMPONENTS_ALL development)
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()
if(TARGET tact_tool)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
if(TARGET tact_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

# What git ignores is no source (.gitignore). The project's folder may lie in one of these names itself.
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME tact-${PROJECT_VERSION})
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" folder "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "^${folder}/(build|out|\\.cache|\\.git)(/|$)" "^${folder}/CMakeUserPresets\\.json$"
  "^${folder}/.*\\.tmp(/|$)")

include(CPack)
cpack_add_component(development DISPLAY_NAME "Headers, documents and what finds the library")
cpack_add_component(runtime DISPLAY_NAME "The shared library")
cpack_add_component(tools DISPLAY_NAME "The command tact")
cpack_add_component(mpi DISPLAY_NAME "Ranks by MPI")
