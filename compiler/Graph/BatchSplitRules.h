//===- BatchSplitRules.h - Rules to split ops into batch slices -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A table of split rules, one per op. Given the dimensions along which an op's
// operands are split into slices of the batch, a rule tells how the op is
// computed for one slice, and how the results of the slices are combined. Each
// family of ops has a function that adds its rules to the table.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_BATCHSPLITRULES_H
#define INGOT_COMPILER_GRAPH_BATCHSPLITRULES_H

#include "runtime/ABI/ExchangeKinds.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <optional>

namespace ingot::graph {

class SymbolicShapes;

/// Used in place of the dimension along which a value is split into slices of
/// the batch. It means that the value is not split: each slice has the whole
/// value.
constexpr int64_t whole = -1;

/// Tells how an op is computed for one slice.
struct OpBatchSplit {
  /// For each operand, the dimension along which it is split into the parts
  /// that the slices read, or `whole` if each slice reads the whole operand.
  llvm::SmallVector<int64_t> cuts;
  /// For each result, the dimension along which the results of the slices are
  /// concatenated. It is `whole` if the results of the slices are instead
  /// combined to one value (for example summed) in the way that `combine`
  /// states.
  llvm::SmallVector<int64_t> results;
  ingot_exchange_kind combine = INGOT_EXCHANGE_SUM;
  /// The index of the operand, if any, that is the shape of the first result,
  /// as in a reshape. In a slice, the shape of the slice's part of the result
  /// replaces this operand.
  std::optional<unsigned> shape;
};

/// For each operand of an op, the dimension along which it is split into
/// slices, or `whole`.
class OperandSplitDims {
public:
  /// `shapes` tells which dynamic dimensions are equal. It is null if the batch
  /// size is static.
  OperandSplitDims(llvm::ArrayRef<int64_t> dims, const SymbolicShapes *shapes)
      : dims(dims), shapes(shapes) {}

  int64_t operator[](size_t operand) const { return dims[operand]; }
  const int64_t *begin() const { return dims.begin(); }
  const int64_t *end() const { return dims.end(); }
  llvm::ArrayRef<int64_t> drop_front() const { return dims.drop_front(); }

  /// Returns the size of dimension `dim` of `value` or, if it is dynamic, its
  /// number in SymbolicShapes, where equal numbers mean equal sizes.
  int64_t sizeOf(mlir::Value value, int64_t dim) const;

private:
  llvm::ArrayRef<int64_t> dims;
  const SymbolicShapes *shapes;
};

/// A rule for ops with at least one operand that is split into slices. Returns
/// std::nullopt if an op whose operands are split in this way cannot be
/// computed slice by slice.
using BatchSplitRule = std::function<std::optional<OpBatchSplit>(
    mlir::Operation *op, const OperandSplitDims &cuts)>;

class BatchSplitRules {
public:
  BatchSplitRules();

  /// Applies the rule of `op`, whose operands have been split along the
  /// dimensions `cuts` so far. The dimensions in the returned OpBatchSplit may
  /// differ from `cuts`: a rule may also split an operand that is `whole` in
  /// `cuts`, or let each slice read all of an operand that `cuts` splits.
  std::optional<OpBatchSplit> apply(mlir::Operation *op,
                                    const OperandSplitDims &cuts) const;

  template <typename OpTy>
  void add(std::optional<OpBatchSplit> (*rule)(OpTy,
                                               const OperandSplitDims &)) {
    rules[mlir::TypeID::get<OpTy>()] = [rule](mlir::Operation *op,
                                              const OperandSplitDims &cuts) {
      return rule(llvm::cast<OpTy>(op), cuts);
    };
  }
  template <typename... OpTys> void addForEach(const BatchSplitRule &rule) {
    ((rules[mlir::TypeID::get<OpTys>()] = rule), ...);
  }

private:
  llvm::DenseMap<mlir::TypeID, BatchSplitRule> rules;
};

void addProductSplitRules(BatchSplitRules &rules);
void addReductionSplitRules(BatchSplitRules &rules);
void addRowSplitRules(BatchSplitRules &rules);
void addShapeSplitRules(BatchSplitRules &rules);
void addIndexingSplitRules(BatchSplitRules &rules);

/// Returns the rank of `value`, a ranked tensor.
int64_t rankOf(mlir::Value value);

/// Returns the split of an op with one result in which operand `operand` is
/// split along dimension `cut`, and the result along dimension `result`. Each
/// slice reads all other operands as a whole.
OpBatchSplit splitOne(mlir::Operation *op, unsigned operand, int64_t cut,
                      int64_t result);

/// The rule that splits elementwise ops, whose operands are broadcast against
/// each other, over slices of the batch.
std::optional<OpBatchSplit> splitElementwise(mlir::Operation *op,
                                             const OperandSplitDims &cuts);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHSPLITRULES_H
