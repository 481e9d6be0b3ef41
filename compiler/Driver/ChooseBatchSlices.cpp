//===- ChooseBatchSlices.cpp - Chooses the number of batch slices ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/ChooseBatchSlices.h"

#include "compiler/Graph/IteratorBatches.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/QueueOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::driver {

static constexpr unsigned mostSlices = 16, leastRows = 64;

/// Returns the size of the first dimension if it is static and equal in all
/// components of an element, and std::nullopt otherwise.
static std::optional<int64_t> commonRowsOf(TypeRange components) {
  std::optional<int64_t> rows;
  for (Type component : components) {
    auto type = dyn_cast<RankedTensorType>(component);
    if (!type || type.getRank() == 0 || type.isDynamicDim(0) ||
        (rows && *rows != type.getDimSize(0)))
      return std::nullopt;
    rows = type.getDimSize(0);
  }
  return rows;
}

/// Returns the batch size of an iterator: the one that its batch dataset
/// states. Without a batch dataset, returns the size of the first dimension if
/// it is static and equal in all components of an element, and std::nullopt
/// otherwise.
static std::optional<int64_t> batchRowsOf(IteratorOp iterator) {
  if (!iterator)
    return std::nullopt;
  if (std::optional<int64_t> rows = ::ingot::graph::batchSizeOf(iterator))
    return rows;
  return commonRowsOf(
      llvm::to_vector(iterator.getComponents().getAsValueRange<TypeAttr>()));
}

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
    // Ignore feeds that are scalars, such as a learning rate: they have no
    // batch dimension.
    for (BlockArgument feed : entry.getBody().getArguments())
      if (auto type = dyn_cast<RankedTensorType>(feed.getType());
          type && type.getRank() > 0)
        note(type.isDynamicDim(0) ? std::nullopt
                                  : std::optional(type.getDimSize(0)));
    entry.walk([&](IteratorNextOp next) {
      note(batchRowsOf(symbols.lookup<IteratorOp>(next.getIterator())));
    });
    entry.walk([&](QueueDequeueOp dequeue) {
      note(commonRowsOf(dequeue->getResultTypes()));
    });
  }
  return agree ? rows : std::nullopt;
}

/// Returns the divisors of `rows` from 2 to 16, as numbers of slices, in
/// descending order of preference. Powers of two come first, as 2, 4 or 8
/// processes can then have equally many slices each.
static SmallVector<unsigned> divisorsOf(int64_t rows) {
  SmallVector<unsigned> powers, others;
  for (unsigned slices = mostSlices; slices > 1; --slices)
    if (rows % slices == 0)
      (llvm::isPowerOf2_32(slices) ? powers : others).push_back(slices);
  llvm::append_range(powers, others);
  return powers;
}

unsigned defaultSlices(std::optional<int64_t> rows) {
  if (!rows)
    return mostSlices;
  auto isLong = [&](unsigned slices) { return *rows / slices >= leastRows; };
  // Prefer a divisor of the batch size: all slices then have the same size, so
  // that the same kernels with static shapes can run all of them.
  SmallVector<unsigned> divisors = divisorsOf(*rows);
  const unsigned *found = llvm::find_if(divisors, isLong);
  if (found != divisors.end())
    return *found;
  if (!divisors.empty())
    return *llvm::min_element(divisors);
  unsigned slices = mostSlices;
  while (slices > 2 && !isLong(slices))
    slices /= 2;
  return slices;
}

} // namespace ingot::driver
