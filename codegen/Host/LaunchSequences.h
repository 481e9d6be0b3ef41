//===- LaunchSequences.h - Launches without ops in between ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_LAUNCHSEQUENCES_H
#define INGOT_CODEGEN_HOST_LAUNCHSEQUENCES_H

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ingot::hostgen {

/// An attribute (i64) of the first member of a batched launch: the number of
/// members, which are this launch and the ones after it. All have the same
/// kernel. The index of the member becomes the outermost dimension of the grid.
inline constexpr llvm::StringLiteral membersAttrName = "host.members";

/// An attribute of an entry point's function (array of strings): the texts of
/// remarks that tell which launches are batched, and why other launches of the
/// same kernel are not.
inline constexpr llvm::StringLiteral batchesAttrName = "host.batches";

/// Returns the launches of a block as maximal sequences of launches without
/// other accesses to memory in between. Two kinds of ops are moved before a
/// sequence, so that they do not end it: assertions on memory that no launch
/// writes, and copies of memory that the sequence's launches have not changed.
std::vector<llvm::SmallVector<mlir::host::LaunchOp>>
collectRuns(mlir::Block &block);

/// Returns the buffer that `buffer` is a view of, or `buffer` if it is not a
/// view.
mlir::Value rootOf(mlir::Value buffer);

/// Whether no launch writes the memory of `buffer`, because it is a constant, a
/// feed or an iterator's element.
bool isOnlyRead(mlir::Value buffer);

/// The memory of a buffer, as far as it is known: the buffer that it is a view
/// of and, in the arena, a range of bytes.
class BufferMemory {
public:
  explicit BufferMemory(mlir::Value buffer);
  /// Whether two buffers are provably disjoint, such as different slices of the
  /// arena or different variables.
  bool isApartFrom(const BufferMemory &other) const;

private:
  enum class Kind { Unknown, Argument, Slice };
  Kind kind = Kind::Unknown;
  mlir::Value root;
  /// The offsets of a slice's begin and end in the arena.
  int64_t begin = 0, end = 0;
};

/// Whether two buffers are provably disjoint.
bool areApart(mlir::Value first, mlir::Value second);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LAUNCHSEQUENCES_H
