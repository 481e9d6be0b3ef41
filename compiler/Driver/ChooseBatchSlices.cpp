//===- ChooseBatchSlices.cpp - The number of slices -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/ChooseBatchSlices.h"

#include "compiler/Graph/IteratorBatches.h"
#include "dialects/Ingot/ProgramOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::driver {

static constexpr unsigned mostSlices = 16, leastRows = 64;

std::optional<int64_t> batchRowsOf(ModuleOp program) {
  std::optional<int64_t> rows;
  bool agree = true;
  auto note = [&](std::optional<int64_t> found) {
    agree &= found && (!rows || rows == found);
    rows = found;
  };
  SymbolTable symbols(program);
  for (auto entry : program.getOps<EntryOp>()) {
    if (entry.getRole() != Role::step)
      continue;
    // Ignore scalars, which are learning rates and the like.
    for (BlockArgument feed : entry.getBody().getArguments())
      if (auto type = dyn_cast<RankedTensorType>(feed.getType());
          type && type.getRank() > 0)
        note(type.isDynamicDim(0) ? std::nullopt
                                  : std::optional(type.getDimSize(0)));
    entry.walk([&](IteratorNextOp next) {
      auto iterator = symbols.lookup<IteratorOp>(next.getIterator());
      note(iterator ? ::ingot::graph::batchSizeOf(iterator) : std::nullopt);
    });
  }
  return agree ? rows : std::nullopt;
}

unsigned defaultSlices(std::optional<int64_t> rows) {
  unsigned slices = mostSlices;
  while (rows && slices > 2 && *rows / slices < leastRows)
    slices /= 2;
  return slices;
}

} // namespace ingot::driver
