//===- ProgramAttrFields.cpp - What a module says of itself ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ProgramAttrFields.h"

namespace mlir::ingot {

ProgramAttrFields getProgramFacts(ModuleOp program) {
  auto attribute = program->getAttrOfType<ProgramAttr>(programAttrName);
  if (!attribute)
    return {};
  return {attribute.getLoss(),
          attribute.getGlobalStep(),
          attribute.getPrediction(),
          attribute.getSlices(),
          attribute.getLeastShardedBytes(),
          attribute.getSource(),
          attribute.getTensorflowVersion()};
}

void setProgramFacts(ModuleOp program, const ProgramAttrFields &facts) {
  const auto &[loss, globalStep, prediction, slices, leastShardedBytes, source,
               version] = facts;
  if (!loss && !globalStep && !prediction && slices == 0 &&
      leastShardedBytes == 0 && !source && !version) {
    program->removeAttr(programAttrName);
    return;
  }
  program->setAttr(programAttrName,
                   ProgramAttr::get(program.getContext(), loss, globalStep,
                                    prediction, slices, leastShardedBytes,
                                    source, version));
}

LogicalResult verifyProgramAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (!isa<ModuleOp>(op))
    return success();
  for (StringRef fact : {"loss", "global_step", "prediction", "slices",
                         "least_sharded_bytes", "source", "tensorflow_version"})
    if (name == ("ingot." + fact).str())
      return op->emitOpError("must not have the attribute '")
             << name << "': write 'ingot.program = #ingot.program<" << fact
             << " = ...>' instead";
  if (name == programAttrName && !isa<ProgramAttr>(attribute.getValue()))
    return op->emitOpError(
        "attribute 'ingot.program' must be an #ingot.program<...>");
  return success();
}

} // namespace mlir::ingot
