# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Libraries that answer the same queries, for `tact bench --peers` and `tact bench geometry --peers` alone. Each is left
# out when it is not found. On Debian and Ubuntu: libembree-dev, libfcl-dev, libccd-dev, libbullet-dev.
if(NOT TACT_PEERS)
  target_sources(tact_apps PRIVATE peers/rays_none.c peers/tinybvh_none.c)
  return()
endif()

find_path(TACT_EMBREE3_INCLUDE embree3/rtcore.h)
find_library(TACT_EMBREE3_LIBRARY embree3)
mark_as_advanced(TACT_EMBREE3_INCLUDE TACT_EMBREE3_LIBRARY)
if(TACT_EMBREE3_INCLUDE AND TACT_EMBREE3_LIBRARY)
  target_sources(tact_apps PRIVATE peers/embree_near.c peers/embree_pairs.c peers/embree_rays.c)
  target_compile_definitions(tact_apps PRIVATE TACT_HAVE_EMBREE3)
  target_include_directories(tact_apps SYSTEM PRIVATE ${TACT_EMBREE3_INCLUDE})
  target_link_libraries(tact_apps PRIVATE ${TACT_EMBREE3_LIBRARY})
  find_package(OpenMP COMPONENTS C QUIET)
  if(OpenMP_C_FOUND)
    set_property(SOURCE peers/embree_near.c peers/embree_rays.c APPEND PROPERTY COMPILE_OPTIONS ${OpenMP_C_FLAGS})
    target_link_libraries(tact_apps PRIVATE ${OpenMP_C_LIBRARIES})
  endif()
else()
  target_sources(tact_apps PRIVATE peers/rays_none.c)
endif()

find_path(TACT_CCD_INCLUDE ccd/ccd.h)
find_library(TACT_CCD_LIBRARY ccd)
mark_as_advanced(TACT_CCD_INCLUDE TACT_CCD_LIBRARY)
if(TACT_CCD_INCLUDE AND TACT_CCD_LIBRARY)
  target_sources(tact_apps PRIVATE peers/ccd.c peers/ccd_contacts.c)
  target_compile_definitions(tact_apps PRIVATE TACT_HAVE_CCD)
  target_include_directories(tact_apps SYSTEM PRIVATE ${TACT_CCD_INCLUDE})
  target_link_libraries(tact_apps PRIVATE ${TACT_CCD_LIBRARY})
endif()

# FCL and Bullet are C++: targets of their own, so that nothing else of the project is compiled as that.
function(tact_peer_cxx name definition)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_STANDARD 14 CXX_STANDARD_REQUIRED ON)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}
    $<TARGET_PROPERTY:tact,INTERFACE_INCLUDE_DIRECTORIES>)
  if(TACT_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${TACT_SANITIZE})
  endif()
  target_compile_definitions(tact_apps PRIVATE ${definition})
  target_link_libraries(tact_apps PRIVATE ${name})
endfunction()

if(TACT_FCL_FOR_PEERS)
  tact_peer_cxx(tact_peer_fcl TACT_HAVE_FCL peers/fcl.cpp peers/fcl_contacts.cpp peers/fcl_overlap.cpp
    peers/fcl_pairs.cpp peers/fcl_separation.cpp)
  find_package(Threads REQUIRED)
  target_link_libraries(tact_peer_fcl PRIVATE Threads::Threads)
  target_include_directories(tact_peer_fcl SYSTEM PRIVATE ${TACT_FCL_INCLUDE} ${TACT_EIGEN_INCLUDE})
  target_link_libraries(tact_peer_fcl PRIVATE ${TACT_FCL_LIBRARY})
  if(TACT_CCD_LIBRARY)
    target_link_libraries(tact_peer_fcl PRIVATE ${TACT_CCD_LIBRARY})  # FCL's headers call it, inlined or not
  endif()
endif()
# The next two are in no package: -DTACT_TINYBVH and -DTACT_TREENSEARCH name the folders of their sources.
if(TACT_TINYBVH)
  tact_peer_cxx(tact_peer_tinybvh TACT_HAVE_TINYBVH peers/tinybvh.cpp)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  set_target_properties(tact_peer_tinybvh PROPERTIES CXX_STANDARD 20)
  target_compile_options(tact_peer_tinybvh PRIVATE -march=native -w)  # as its author's builds do
  target_include_directories(tact_peer_tinybvh SYSTEM PRIVATE ${TACT_TINYBVH})
  target_link_libraries(tact_peer_tinybvh PRIVATE OpenMP::OpenMP_CXX)
else()
  target_sources(tact_apps PRIVATE peers/tinybvh_none.c)
endif()
if(TACT_TREENSEARCH)
  tact_peer_cxx(tact_peer_treensearch TACT_HAVE_TREENSEARCH peers/treensearch.cpp
    ${TACT_TREENSEARCH}/source/TreeNSearch.cpp)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  set_target_properties(tact_peer_treensearch PROPERTIES CXX_STANDARD 17)
  target_compile_options(tact_peer_treensearch PRIVATE -march=native -w)  # as its own build does
  target_include_directories(tact_peer_treensearch SYSTEM PRIVATE ${TACT_TREENSEARCH}/include ${TACT_TREENSEARCH}/extern)
  target_link_libraries(tact_peer_treensearch PRIVATE OpenMP::OpenMP_CXX)
endif()
if(TACT_BULLET_FOR_PEERS)
  tact_peer_cxx(tact_peer_bullet TACT_HAVE_BULLET peers/bullet_casts.cpp peers/bullet_contacts.cpp peers/bullet_near.cpp
    peers/bullet_pairs.cpp)
  find_package(Threads REQUIRED)
  target_link_libraries(tact_peer_bullet PRIVATE Threads::Threads)
  target_include_directories(tact_peer_bullet SYSTEM PRIVATE ${TACT_BULLET_INCLUDE})
  target_link_libraries(tact_peer_bullet PRIVATE ${TACT_BULLET_COLLISION_LIBRARY} ${TACT_BULLET_MATH_LIBRARY})
endif()
