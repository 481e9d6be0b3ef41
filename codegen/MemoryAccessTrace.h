//===- MemoryAccessTrace.h - Memory accesses in order -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Records the ops of a function that read or write memory, in program order,
// with the bytes that each accesses. While a pass runs, each of these ops has a
// number as an attribute, so that it can be found again after the pass.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_MEMORYACCESSTRACE_H
#define INGOT_CODEGEN_MEMORYACCESSTRACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <limits>
#include <vector>

namespace ingot::codegen {

/// The range [`begin`, `end`) of the bytes of a buffer.
struct ByteInterval {
  static constexpr int64_t open = std::numeric_limits<int64_t>::max();
  int64_t begin = 0, end = open;

  bool overlap(const ByteInterval &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// One access of an op to memory, through `operand`: an operand of the op
/// itself, or of an op in its body. The operand is a buffer, or a tensor before
/// bufferization. The return op of a function accesses all arguments of the
/// function; the `operand` of these accesses is null.
struct MemoryAccess {
  mlir::OpOperand *operand; // valid until the op is erased
  unsigned buffer = 0;
  ByteInterval bytes;
  bool reads = false, writes = false;

  mlir::Value view() const { return operand->get(); }
};

/// A loop around an op, or the branch of an scf.if that contains it.
struct EnclosingLoopOrBranch {
  const void *op;
  /// The loop's number. `numberAccesses` gives numbers to loops before a pass,
  /// so loops that the pass has created have -1, like branches.
  int64_t number;
  unsigned region;
  bool isLoop, isGrid;
};

struct TracedOpAccesses {
  mlir::Operation *op; // valid until the op is erased
  /// The op's number. `numberAccesses` gives numbers to ops before a pass, so
  /// ops that the pass has created have -1.
  int64_t number;
  /// Whether the op only copies elements, from the memory of its first access
  /// to that of its second.
  bool isCopy;
  llvm::SmallVector<MemoryAccess, 4> accesses;
  llvm::SmallVector<EnclosingLoopOrBranch, 2> scopes; // outermost first
};

/// A buffer: an argument, an allocation, or a range of a block of memory that
/// several buffers share.
struct AccessTraceBuffer {
  bool isArgument;
  /// The block of memory that this buffer shares with other buffers, or null.
  const void *shared;
  /// The range of bytes that the buffer has in the shared block.
  ByteInterval place;
  llvm::SmallVector<EnclosingLoopOrBranch, 2> scopes;
};

struct MemoryAccessTrace {
  /// Traces a function that has a body. The last event is the function's
  /// return, which reads the memory that callers can see: that of the
  /// arguments.
  explicit MemoryAccessTrace(mlir::func::FuncOp function);

  std::vector<TracedOpAccesses> events;
  std::vector<AccessTraceBuffer> buffers;

private:
  void add(TracedOpAccesses &event, mlir::OpOperand &operand, bool reads,
           bool writes);
  void addResults(TracedOpAccesses &event, mlir::func::FuncOp function);
  void addAccesses(TracedOpAccesses &event);
  void addEffects(TracedOpAccesses &event);
  void addLinalg(TracedOpAccesses &event);
  unsigned bufferOf(mlir::Value value);

  /// For each buffer's value, its index in `buffers`.
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  /// For each view, its buffer's index and the range of bytes that it covers.
  llvm::DenseMap<mlir::Value, std::pair<unsigned, ByteInterval>> places;
};

/// Adds a number to each op that accesses memory and to each loop, as an
/// attribute that stays until `dropNumbers`.
void numberAccesses(mlir::func::FuncOp function);
void dropNumbers(mlir::func::FuncOp function);
/// Returns the number that `numberAccesses` has given the op, or -1 if it has
/// given none.
int64_t numberOf(mlir::Operation *op);

/// Whether the view `one` provably covers all elements of `other`, a view of
/// the same buffer: `one` is the whole buffer, or both are equal.
bool covers(mlir::Value one, mlir::Value other);

/// Whether at most one of the two events can happen, because their ops are in
/// different branches of the same op.
bool areExclusive(const TracedOpAccesses &one, const TracedOpAccesses &other);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_MEMORYACCESSTRACE_H
