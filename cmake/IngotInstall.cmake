# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where, and what packages hold. All rules are here,
# by component:
#
#   compiler     bin/ingotc, which uses this machine's LLVM
#   portable     bin/ingotc with LLVM in it, in that one's place: in packages, and
#                installed only where it is named
#   tools        bin/ingot-ckpt, bin/ingot-adanet
#   runtime      lib/ingot: what ingotc links into trainers, beside it
#   development  headers, for hooks and programs of users' own, and what
#                find_package(Ingot) reads
#
# libingotckpt has a component of its own (runtime/CheckpointLibrary).
include_guard()
include(GNUInstallDirs)

install(TARGETS ingot-ckpt ingot-adanet RUNTIME DESTINATION bin COMPONENT tools)
get_target_property(files ingot_sdk INGOT_FILES)
install(FILES ${files} DESTINATION lib/ingot COMPONENT runtime)
install(FILES "${PROJECT_SOURCE_DIR}/include/ingot/hook.h"
              "${PROJECT_SOURCE_DIR}/include/ingot/graph.h"
              "${PROJECT_SOURCE_DIR}/include/ingot/adanet.h"
              "${PROJECT_SOURCE_DIR}/include/ingot/trainer.h"
              "${PROJECT_SOURCE_DIR}/include/ingot/trainer.hpp"
  DESTINATION include/ingot COMPONENT development)
if(NOT TARGET ingotc)
  return()
endif()
# Where these lie says where everything else does: the tree can be moved.
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/IngotConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/package/IngotConfig.cmake cmake/package/IngotAddTrainer.cmake
    "${PROJECT_BINARY_DIR}/package/IngotConfigVersion.cmake"
  DESTINATION lib/cmake/Ingot COMPONENT development)
install(PROGRAMS $<TARGET_FILE:ingotc> DESTINATION bin COMPONENT compiler)

# ingot_package: what `cpack` (./dev package) needs. All programs of it are
# static, so that a package depends on none other.
set(copyright "${PROJECT_BINARY_DIR}/package/copyright")
get_target_property(sources ingot_sdk INGOT_SOURCES)
list(JOIN sources "\n" text)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/package/runtime.txt" CONTENT "${text}\n" @ONLY)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_custom_command(OUTPUT "${copyright}"
  COMMAND ${Python3_EXECUTABLE} -B "${PROJECT_SOURCE_DIR}/tools/package/make_copyright.py"
    --own "${PROJECT_SOURCE_DIR}/LICENSE" --build "${PROJECT_BINARY_DIR}"
    --linked "$<TARGET_FILE:ingotc-portable>.d" --runtime "${PROJECT_BINARY_DIR}/package/runtime.txt"
    -o "${copyright}"
  DEPENDS ingotc-portable "${PROJECT_BINARY_DIR}/package/runtime.txt"
    "${PROJECT_SOURCE_DIR}/tools/package/make_copyright.py" "${PROJECT_SOURCE_DIR}/LICENSE"
  VERBATIM)
add_custom_target(ingot_package
  DEPENDS ingotc-portable ingot-ckpt ingot-adanet ingot_sdk "${copyright}")
install(PROGRAMS $<TARGET_FILE:ingotc-portable> DESTINATION bin RENAME ingotc
  COMPONENT portable EXCLUDE_FROM_ALL)
install(FILES "${copyright}" DESTINATION share/doc/ingot COMPONENT portable EXCLUDE_FROM_ALL)

set(INGOT_PACKAGE_CONTACT "Ingot's developers <ingot@localhost>" CACHE STRING
  "Who maintains packages: a name, and an address for mail")
set(CPACK_PACKAGE_CONTACT "${INGOT_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_NAME ingot)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler from TensorFlow training graphs to native trainers")
set(CPACK_PACKAGE_DESCRIPTION
  "ingotc compiles a TensorFlow training graph, with its variables, optimizer, input\n\
pipeline, checkpoints and summaries, into one static executable that trains without\n\
Python and without TensorFlow. This package needs no other: LLVM, LLD and what\n\
trainers are linked with are in it. ingot-ckpt reads and writes TensorFlow's\n\
checkpoints, ingot-adanet grows ensembles.")
set(CPACK_PACKAGE_FILE_NAME "ingot-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_COMPONENTS_ALL portable tools runtime development)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_NAME ingot)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_THREADS 0)
# Around what is in the tar, a folder; a .deb begins at the root.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/package/options.cmake" CONTENT
[[if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
]] @ONLY)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_BINARY_DIR}/package/options.cmake")
include(CPack)
