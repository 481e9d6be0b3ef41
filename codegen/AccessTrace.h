//===- AccessTrace.h - Who touches which memory, in order -------*- C++ -*-===//
//
// A function's ops that read or write memory, in the order in which they stand,
// with the bytes that each touches. Ops are known again after a pass by a
// number that they carry meanwhile.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ACCESSTRACE_H
#define INGOT_CODEGEN_ACCESSTRACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <limits>
#include <vector>

namespace ingot::codegen {

/// Bytes of a memory, from `begin` up to `end`.
struct Bytes {
  static constexpr int64_t open = std::numeric_limits<int64_t>::max();
  int64_t begin = 0, end = open;

  bool overlap(const Bytes &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// What an op does to an operand, its own or that of an op in its body: a
/// buffer or, before bufferization, a tensor. What a function's return does to
/// an argument has no operand.
struct Access {
  mlir::OpOperand *operand; // as long as the op is there
  unsigned buffer = 0;
  Bytes bytes;
  bool reads = false, writes = false;

  mlir::Value view() const { return operand->get(); }
};

/// A loop, or a region of a branch, that an op stands in.
struct Scope {
  const void *op;
  int64_t number; // of a loop; else -1
  unsigned region;
  bool isLoop, isGrid;
};

struct AccessEvent {
  mlir::Operation *op; // as long as it is there
  int64_t number;      // -1 where it has none
  bool isCopy;         // it moves elements from its first access to its second
  llvm::SmallVector<Access, 4> accesses;
  llvm::SmallVector<Scope, 2> scopes; // from outside in
};

/// An argument, an allocation, or a part of a block of bytes that several
/// buffers share.
struct TracedBuffer {
  bool isArgument;
  const void *shared; // the block, or null
  Bytes place;        // in it
  llvm::SmallVector<Scope, 2> scopes;
};

struct AccessTrace {
  /// Of a function that has a body. The last event is its return, which reads
  /// what callers see.
  explicit AccessTrace(mlir::func::FuncOp function);

  std::vector<AccessEvent> events;
  std::vector<TracedBuffer> buffers;

private:
  void add(AccessEvent &event, mlir::OpOperand &operand, bool reads,
           bool writes);
  void addResults(AccessEvent &event, mlir::func::FuncOp function);
  void addAccesses(AccessEvent &event);
  void addEffects(AccessEvent &event);
  void addLinalg(AccessEvent &event);
  unsigned bufferOf(mlir::Value value);

  llvm::DenseMap<mlir::Value, unsigned> numbers;                  // of buffers
  llvm::DenseMap<mlir::Value, std::pair<unsigned, Bytes>> places; // of views
};

/// Gives each op that touches memory, and each loop, a number, which it keeps
/// until `dropNumbers`.
void numberAccesses(mlir::func::FuncOp function);
void dropNumbers(mlir::func::FuncOp function);
/// -1 where the op has none.
int64_t numberOf(mlir::Operation *op);

/// Whether whoever writes `one` has written what `other`, a view of the same
/// buffer, shows: it is all of the buffer, or they are equal.
bool covers(mlir::Value one, mlir::Value other);

/// Whether at most one of the events happens: they are in two branches of one
/// op.
bool areExclusive(const AccessEvent &one, const AccessEvent &other);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_ACCESSTRACE_H
