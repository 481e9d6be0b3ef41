//===- SplitRules.h - How ops are computed slice by slice -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A table of rules, one per op: given the dimensions along which operands are
// cut into slices of the batch, a rule says how the op can be computed for one
// slice, and what its results then are. The rules of a family of ops are in a
// function of its own, which adds them to the table.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_SPLITRULES_H
#define INGOT_COMPILER_GRAPH_SPLITRULES_H

#include "runtime/ABI/ExchangeKinds.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <optional>

namespace ingot::graph {

class SymbolicShapes;

/// Stands for a value that each slice reads as a whole, in place of the
/// dimension along which it is cut.
constexpr int64_t whole = -1;

/// How an op is computed for one slice.
struct OpSplit {
  /// For each operand the dimension along which the slice's part of it is read,
  /// or `whole`.
  llvm::SmallVector<int64_t> cuts;
  /// For each result the dimension along which the slices' results are its
  /// parts. If it is `whole`, `combine` makes it of the slices' results.
  llvm::SmallVector<int64_t> results;
  ingot_exchange_kind combine = INGOT_EXCHANGE_SUM;
  /// The operand that is the shape of the first result, if any: a slice reads
  /// the shape of its part instead.
  std::optional<unsigned> shape;
};

/// The dimensions along which an op's operands are cut, `whole` for those that
/// are not.
class CutDims {
public:
  /// `shapes`, unless null, tells which dynamic dimensions are equal.
  CutDims(llvm::ArrayRef<int64_t> dims, const SymbolicShapes *shapes)
      : dims(dims), shapes(shapes) {}

  int64_t operator[](size_t operand) const { return dims[operand]; }
  const int64_t *begin() const { return dims.begin(); }
  const int64_t *end() const { return dims.end(); }
  llvm::ArrayRef<int64_t> drop_front() const { return dims.drop_front(); }

  /// Returns the size of dimension `dim` of `value`, or a number that stands
  /// for it (SymbolicShapes).
  int64_t sizeOf(mlir::Value value, int64_t dim) const;

private:
  llvm::ArrayRef<int64_t> dims;
  const SymbolicShapes *shapes;
};

/// A rule for one op. Returns std::nullopt if the op cannot be computed slice
/// by slice with operands that are cut in this way, of which at least one is.
using SplitRule = std::function<std::optional<OpSplit>(mlir::Operation *op,
                                                       const CutDims &cuts)>;

class SplitRules {
public:
  SplitRules();

  /// Applies the rule of `op`. The rule may cut further operands, and may read
  /// as a whole an operand that is cut.
  std::optional<OpSplit> apply(mlir::Operation *op, const CutDims &cuts) const;

  template <typename OpTy>
  void add(std::optional<OpSplit> (*rule)(OpTy, const CutDims &)) {
    rules[mlir::TypeID::get<OpTy>()] = [rule](mlir::Operation *op,
                                              const CutDims &cuts) {
      return rule(llvm::cast<OpTy>(op), cuts);
    };
  }
  template <typename... OpTys> void addForEach(const SplitRule &rule) {
    ((rules[mlir::TypeID::get<OpTys>()] = rule), ...);
  }

private:
  llvm::DenseMap<mlir::TypeID, SplitRule> rules;
};

void addProductSplitRules(SplitRules &rules);
void addReductionSplitRules(SplitRules &rules);
void addRowSplitRules(SplitRules &rules);
void addShapeSplitRules(SplitRules &rules);
void addIndexingSplitRules(SplitRules &rules);

/// Returns the rank of `value`, a ranked tensor.
int64_t rankOf(mlir::Value value);

/// Returns a split that cuts operand `operand` along `cut` and reads all others
/// as a whole, for an op with one result, which is cut along `result`.
OpSplit splitOne(mlir::Operation *op, unsigned operand, int64_t cut,
                 int64_t result);

/// The rule of ops whose operands are broadcast against each other.
std::optional<OpSplit> splitElementwise(mlir::Operation *op,
                                        const CutDims &cuts);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SPLITRULES_H
