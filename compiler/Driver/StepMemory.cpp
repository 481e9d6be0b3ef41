//===- StepMemory.cpp - The flag --max-step-memory ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/StepMemory.h"

#include "codegen/Host/SplitEntryModule.h"
#include "compiler/Driver/CompileKernels.h"
#include "compiler/Driver/WorkEstimates.h"
#include "dialects/Host/HostAttributes.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace ingot::driver {

/// Whether the entry is a training step, of the whole program or of a part.
static bool trains(func::FuncOp function) {
  auto entry = function->getAttrOfType<host::EntryAttr>(host::entryAttrName);
  if (!entry)
    return false;
  switch (entry.getRole()) {
  case host::Role::step:
  case host::Role::partial_step:
  case host::Role::member_step:
  case host::Role::placed_step:
    return true;
  default:
    return false;
  }
}

void limitStepMemory(ModuleOp entries, ModuleOp program, uint64_t bytes) {
  Builder builder(entries.getContext());
  for (auto function : entries.getOps<func::FuncOp>())
    if (trains(function))
      function->setAttr(host::arenaLimitAttrName,
                        builder.getI64IntegerAttr(static_cast<int64_t>(bytes)));
  noteWork(program, entries);
}

std::optional<std::string>
findExcessiveStep(ModuleOp program, const abi::ProgramDescriptorContents &info,
                  uint64_t bytes) {
  if (bytes == 0)
    return std::nullopt;
  func::FuncOp largest;
  uint64_t most = bytes;
  for (auto function : program.getOps<func::FuncOp>()) {
    if (!trains(function))
      continue;
    auto size =
        static_cast<uint64_t>(info.arenaSizes.lookup(function.getName()));
    if (size > most) {
      largest = function;
      most = size;
    }
  }
  if (!largest)
    return std::nullopt;
  return ("--max-step-memory: '" + largest.getName() + "' needs at least " +
          Twine(most) +
          " bytes, although it recomputes all that it can: train with smaller "
          "batches, or allow that much")
      .str();
}

std::optional<std::string> findDynamicStep(ModuleOp program) {
  for (auto function : program.getOps<func::FuncOp>()) {
    if (!trains(function))
      continue;
    host::LaunchOp found;
    function.walk([&](host::LaunchOp launch) {
      bool isDynamic = llvm::any_of(launch.getResultTypes(), [](Type type) {
        return !cast<ShapedType>(type).hasStaticShape();
      });
      if (isDynamic && (!found || isForShortBatch(found)))
        found = launch;
    });
    if (!found)
      continue;
    if (isForShortBatch(found))
      return "--max-step-memory limits full batches only: a last, shorter "
             "batch of '" +
             function.getName().str() + "' takes memory of its own";
    return "--max-step-memory does not count tensors whose size only the run "
           "knows, such as that of '" +
           hostgen::nodesOf(found) +
           "': --shape gives placeholders a static shape";
  }
  return std::nullopt;
}

} // namespace ingot::driver
