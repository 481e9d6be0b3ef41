//===- ingot-opt.cpp - Runs passes on the dialects' textual form ----------===//

#include "dialects/Ingot/IngotDialect.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

// Ingot's own passes; each room of the compiler registers its own here.
static void registerAllIngotPasses() {}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<mlir::ingot::IngotDialect>();
  mlir::registerAllPasses();
  registerAllIngotPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Runs passes on Ingot's graph dialect and what it becomes\n",
      registry));
}
