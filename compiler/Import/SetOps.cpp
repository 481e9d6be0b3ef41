//===- SetOps.cpp - Ops whose results' sizes the data decides -------------===//

#include "dialects/Ingot/SetOps.h"
#include "compiler/Import/ComputeSpec.h"

namespace ingot::importer {

void addSetOps(OpTable &table) {
  static const std::vector<ComputeSpec> specs = {
      {"Where", 1, mlir::ingot::WhereOp::getOperationName(), {}},
  };
  addSpecs(table, specs);
}

} // namespace ingot::importer
