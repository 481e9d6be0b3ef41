# SPDX-License-Identifier: Apache-2.0
# ingot_passes(NAME): the declarations of the passes of the folder's Passes.td,
# as the target IngotNAMEPassesGen. Their statistics are of our own class, which
# counts in all builds (codegen/Statistics/PassStatistic.h).
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${FROM}" text)
  string(REPLACE "::mlir::Pass::Statistic" "::ingot::PassStatistic" text "${text}")
  file(WRITE "${TO}" "${text}")
  return()
endif()
include_guard()

set(INGOT_PASSES_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(ingot_passes name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(MLIRPasses.h.inc -gen-pass-decls -name ${name}
    "-I${PROJECT_SOURCE_DIR}" "-I${MLIR_INCLUDE_DIRS}")
  set(from "${CMAKE_CURRENT_BINARY_DIR}/MLIRPasses.h.inc")
  set(to "${CMAKE_CURRENT_BINARY_DIR}/Passes.h.inc")
  add_custom_command(OUTPUT "${to}"
    COMMAND ${CMAKE_COMMAND} "-DFROM=${from}" "-DTO=${to}" -P "${INGOT_PASSES_SCRIPT}"
    DEPENDS "${from}" "${INGOT_PASSES_SCRIPT}"
    VERBATIM)
  list(APPEND TABLEGEN_OUTPUT "${to}")
  add_public_tablegen_target(Ingot${name}PassesGen)
endfunction()
