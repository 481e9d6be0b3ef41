# SPDX-License-Identifier: Apache-2.0
# ingot_sdk: stages in lib/ingot of the build folder all that linking a trainer
# takes, so that `ingotc` needs no compiler and no development package on the
# machine where it runs. The line that links a static, position-independent
# trainer, with D for that folder:
#
#   ld.lld -m elf_x86_64 -static -pie --no-dynamic-linker -z text -z relro
#     -z now -O2 --gc-sections --icf=all --pack-dyn-relocs=relr --eh-frame-hdr --build-id
#     -o trainer
#     D/rcrt1.o D/crti.o D/crtbeginS.o program.o
#     D/libingot_rt.a D/libprotobuf-lite.a D/libleveldb.a D/libsnappy.a
#     D/libre2.a D/libpng.a D/libjpeg.a D/libz.a D/libstdc++.a D/libm.a
#     D/libmvec.a D/libgcc.a D/libgcc_eh.a D/libc.a
#     D/crtendS.o D/crtn.o
#
# LLD takes an archive's members whatever the order of the archives, so no group
# is needed; `-s` beside it strips.
include_guard()

set(INGOT_SDK_DIR "${PROJECT_BINARY_DIR}/lib/ingot" CACHE INTERNAL "")

# ingot_find_link_file(RESULT NAME): the file that the compiler's driver would
# link for `-l`/crt name NAME.
function(ingot_find_link_file result name)
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${path}" OR NOT EXISTS "${path}")
    message(FATAL_ERROR "${name}: not found by ${CMAKE_CXX_COMPILER}; "
      "a trainer cannot be linked statically without it")
  endif()
  get_filename_component(path "${path}" REALPATH)
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

set(staged)
set(sources)
foreach(name rcrt1.o Scrt1.o libc.so.6 libm.so.6 libc_nonshared.a ld-linux-x86-64.so.2 crt1.o crti.o crtbeginS.o crtendS.o crtn.o
             libprotobuf-lite.a libleveldb.a libsnappy.a libre2.a libpng.a libjpeg.a libz.a
             libstdc++.a libm.a libmvec.a libgcc.a libgcc_eh.a libc.a)
  ingot_find_link_file(path ${name})
  if(name STREQUAL "libm.a")
    # glibc's libm.a is a linker script that names the archive by its absolute
    # path; the archive takes its place (libmvec.a is on the list by itself).
    file(READ "${path}" script LIMIT 512)
    if(script MATCHES "GROUP *\\( *([^ )]+)")
      set(path "${CMAKE_MATCH_1}")
    endif()
  endif()
  # A trainer throws nothing and catches nothing: the tables for that would be a
  # tenth of it. The C library keeps its own, for the ends of threads.
  set(strip)
  if(name MATCHES "protobuf|leveldb|snappy|re2|png|jpeg|libz|stdc")
    set(strip COMMAND ${CMAKE_OBJCOPY} -R .eh_frame -R .rela.eh_frame
      -R .gcc_except_table* -R .rela.gcc_except_table* "${INGOT_SDK_DIR}/${name}")
  endif()
  add_custom_command(
    OUTPUT "${INGOT_SDK_DIR}/${name}"
    COMMAND ${CMAKE_COMMAND} -E copy "${path}" "${INGOT_SDK_DIR}/${name}"
    ${strip}
    DEPENDS "${path}" VERBATIM)
  list(APPEND staged "${INGOT_SDK_DIR}/${name}")
  list(APPEND sources "${path}")
endforeach()

add_custom_command(
  OUTPUT "${INGOT_SDK_DIR}/libingot_rt.a"
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:ingot_rt> "${INGOT_SDK_DIR}/libingot_rt.a"
  DEPENDS ingot_rt VERBATIM)
list(APPEND staged "${INGOT_SDK_DIR}/libingot_rt.a")
add_custom_command(
  OUTPUT "${INGOT_SDK_DIR}/libingot_shared.a"
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:ingot_shared> "${INGOT_SDK_DIR}/libingot_shared.a"
  DEPENDS ingot_shared VERBATIM)
list(APPEND staged "${INGOT_SDK_DIR}/libingot_shared.a")

# What users' hooks include.
set(INGOT_HOOK_HEADER "${PROJECT_BINARY_DIR}/include/ingot/hook.h")
add_custom_command(
  OUTPUT "${INGOT_HOOK_HEADER}"
  COMMAND ${CMAKE_COMMAND} -E copy "${PROJECT_SOURCE_DIR}/include/ingot/hook.h" "${INGOT_HOOK_HEADER}"
  DEPENDS "${PROJECT_SOURCE_DIR}/include/ingot/hook.h" VERBATIM)
add_custom_target(ingot_headers DEPENDS "${INGOT_HOOK_HEADER}")

add_custom_target(ingot_sdk ALL DEPENDS ${staged} "${INGOT_HOOK_HEADER}")
# What lies in it, and whose files these were, for packages.
set_target_properties(ingot_sdk PROPERTIES INGOT_FILES "${staged}" INGOT_SOURCES "${sources}")
