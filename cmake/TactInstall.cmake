# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Installs the library, the headers, a relocatable CMake package (tact::tact) and a relocatable pkg-config file.
include(CMakePackageConfigHelpers)

# What lies there is public; the build writes version.h.
file(GLOB_RECURSE TACT_PUBLIC_HEADERS RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
install(FILES include/tact/tact.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tact COMPONENT development)
foreach(header IN LISTS TACT_PUBLIC_HEADERS)
  get_filename_component(folder ${header} DIRECTORY)
  string(REGEX REPLACE "^include/" "" folder ${folder})
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT development)
endforeach()
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/include/tact/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tact COMPONENT development)
include(TactApi)
# What tact_pick_target_glsl() returns, for shaders that are compiled before the program runs.
set(TACT_SHADER_DIR ${CMAKE_INSTALL_DATADIR}/tact/shaders)
if(TARGET tact_shaders)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gpu/shaders/pick_snippet.glsl DESTINATION ${TACT_SHADER_DIR}
    RENAME tact_pick.glsl COMPONENT development)
endif()

install(TARGETS tact EXPORT tact-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
if(TARGET tact_tool)
  install(TARGETS tact_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()
if(TARGET tact_help)
  set(help ${CMAKE_CURRENT_BINARY_DIR}/help)
  install(DIRECTORY ${help}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools)
  install(FILES ${help}/completions/tact DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT tools)
  install(FILES ${help}/completions/_tact DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)
  install(FILES ${help}/completions/tact.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT tools)
endif()
# Comments of the headers name docs/PAGE.md and examples/PROGRAM.c.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.py")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tact)
install(EXPORT tact-targets NAMESPACE tact:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/tact-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tact-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS TACT_SHADER_DIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tact-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tact-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/tact-config-version.cmake
  DESTINATION ${package_dir} COMPONENT development)

# What a consumer of the archive must link besides it, taken from the target itself so that the two packages cannot
# differ. Only plain flags are possible: a target or a path would tie the package to this machine.
set(link_flags "")
get_target_property(items tact LINK_LIBRARIES)
get_target_property(options tact INTERFACE_LINK_OPTIONS)
foreach(item IN LISTS items options)
  if(item MATCHES "^::@" OR item STREQUAL "" OR item MATCHES "-NOTFOUND$")
    continue()  # CMake's own marks for "linked from another folder"
  endif()
  if(NOT item MATCHES "^-")
    message(FATAL_ERROR "The library links '${item}'. Write it as a plain flag such as -l${item}: a bare name resolves "
                        "to a consumer's target of that name, and a path does not survive installation elsewhere.")
  endif()
  list(APPEND link_flags ${item})
endforeach()
list(REMOVE_DUPLICATES link_flags)
list(JOIN link_flags " " TACT_PC_LIBS_PRIVATE)
get_target_property(type tact TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  # With nothing but an archive installed, plain `pkg-config --libs` has to be enough to link.
  set(TACT_PC_LIBS " ${TACT_PC_LIBS_PRIVATE}")
  set(TACT_PC_CFLAGS "")
else()
  set(TACT_PC_LIBS "")
  set(TACT_PC_CFLAGS " -DTACT_SHARED")
endif()

set(TACT_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
set(TACT_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
set(TACT_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(TACT_PC_DATADIR ${CMAKE_INSTALL_FULL_DATADIR})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(TACT_PC_PREFIX "\${pcfiledir}/${up}")
  set(TACT_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(TACT_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  endif()
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}")
    set(TACT_PC_DATADIR "\${prefix}/${CMAKE_INSTALL_DATADIR}")
  endif()
endif()
configure_file(cmake/tact.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tact.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tact.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Ranks by MPI are a component of their own, since what is built against one MPI does not run with another:
# find_package(tact COMPONENTS mpi) and tact::mpi, or mpicc and `pkg-config tact-mpi`.
if(TARGET tact_mpi)
  install(FILES mpi/include/tact/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tact COMPONENT mpi)
  install(TARGETS tact_mpi EXPORT tact-mpi-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
  if(TARGET tact_mpi_tool)
    install(TARGETS tact_mpi_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
    install(FILES mpi/tact-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
  endif()
  install(EXPORT tact-mpi-targets NAMESPACE tact:: DESTINATION ${package_dir} COMPONENT mpi)
  configure_file(cmake/tact-mpi.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tact-mpi.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tact-mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT mpi)
endif()
