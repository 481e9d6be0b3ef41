//===- AccessTrace.h - A function's memory accesses, in order ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A function's ops that read or write memory, in program order, with the bytes
// that each accesses. Ops are identified across a pass by a number, an
// attribute that they carry meanwhile.
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

/// The access of an op to an operand, its own or that of an op in its body: a
/// buffer or, before bufferization, a tensor. A function's return accesses
/// arguments without an operand.
struct Access {
  mlir::OpOperand *operand; // as long as the op is there
  unsigned buffer = 0;
  Bytes bytes;
  bool reads = false, writes = false;

  mlir::Value view() const { return operand->get(); }
};

/// A loop, or a region of a branch, around an op.
struct Scope {
  const void *op;
  int64_t number; // of a loop; else -1
  unsigned region;
  bool isLoop, isGrid;
};

struct AccessEvent {
  mlir::Operation *op; // as long as it is there
  int64_t number;      // -1: none
  bool isCopy;         // copies elements of its first access to its second
  llvm::SmallVector<Access, 4> accesses;
  llvm::SmallVector<Scope, 2> scopes; // from outside in
};

/// An argument, an allocation, or a part of a block that several buffers share.
struct TracedBuffer {
  bool isArgument;
  const void *shared; // the block, or null
  Bytes place;        // in it
  llvm::SmallVector<Scope, 2> scopes;
};

struct AccessTrace {
  /// For a function with a body. The last event is its return, which reads all
  /// memory that callers see.
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

/// Numbers each op that accesses memory, and each loop, until `dropNumbers`.
void numberAccesses(mlir::func::FuncOp function);
void dropNumbers(mlir::func::FuncOp function);
/// -1 if the op has none.
int64_t numberOf(mlir::Operation *op);

/// Whether `one` provably covers `other`, a view of the same buffer: it is the
/// whole buffer, or they are equal.
bool covers(mlir::Value one, mlir::Value other);

/// Whether the events are mutually exclusive: in two branches of one op.
bool areExclusive(const AccessEvent &one, const AccessEvent &other);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_ACCESSTRACE_H
