# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# An overlay port: it builds the checkout that it lies in. For a registry of vcpkg's the next line becomes
# vcpkg_from_github() of a release (docs/packaging.md).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    cl TACT_CL
    gl TACT_GL
    mpi TACT_MPI
    tool TACT_TOOL)
if("gl" IN_LIST FEATURES)
  # The loader is generated; vcpkg's port of glad is its first version.
  x_vcpkg_get_python_packages(PYTHON_VERSION 3 OUT_PYTHON_VAR PYTHON3 PACKAGES glad2)
  get_filename_component(programs "${PYTHON3}" DIRECTORY)
  list(APPEND FEATURE_OPTIONS "-DTACT_GLAD_PROGRAM=${programs}/glad${VCPKG_HOST_EXECUTABLE_SUFFIX}")
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DTACT_EXAMPLES=OFF
    -DTACT_PEERS=OFF
    -DTACT_PYTHON=OFF
    -DTACT_TESTS=OFF
  MAYBE_UNUSED_VARIABLES
    TACT_GLAD_PROGRAM
    TACT_PEERS)
vcpkg_cmake_install()
vcpkg_copy_pdbs()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tact)
vcpkg_fixup_pkgconfig()
if("tool" IN_LIST FEATURES)
  set(tools tact)
  if("mpi" IN_LIST FEATURES)
    list(APPEND tools tact-mpi)
  endif()
  vcpkg_copy_tools(TOOL_NAMES ${tools} AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/LICENSES/LicenseRef-SunPro.txt")
