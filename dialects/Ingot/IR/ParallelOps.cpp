//===- ParallelOps.cpp - Verifier of slice_region -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ParallelOps.h"

#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::ExchangeKind;
using ::ingot::findExchangeKind;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotParallelOps.cpp.inc"

void mlir::ingot::addParallelOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotParallelOps.cpp.inc"
      >();
}

/// Whether `part` may be a part of `whole` along dimension `dim`: a tensor of
/// the same element type and rank, with compatible sizes of other dimensions.
static bool isPart(Type part, Type whole, int64_t dim) {
  auto a = dyn_cast<RankedTensorType>(part);
  auto b = dyn_cast<RankedTensorType>(whole);
  if (!a || !b || a.getElementType() != b.getElementType() ||
      a.getRank() != b.getRank() || dim < 0 || dim >= a.getRank())
    return false;
  SmallVector<int64_t> shape(a.getShape());
  shape[dim] = b.getDimSize(dim);
  return areCompatibleTypes(a.clone(shape), b);
}

static LogicalResult verifyInputs(SliceRegionOp op) {
  Block &body = op.getBody().front();
  // There must be as many cuts, and as many arguments of the region, as inputs.
  // A cut is the index of the dimension along which an input is split into
  // slices (slice_region_c2).
  if (op.getInputs().size() != op.getCuts().size() ||
      op.getInputs().size() != body.getNumArguments())
    return op.emitOpError("must have the same number of inputs, cuts and "
                          "region arguments, but has ")
           << op.getInputs().size() << ", " << op.getCuts().size() << " and "
           << body.getNumArguments();
  for (auto [input, cut, argument] :
       llvm::zip(op.getInputs(), op.getCuts(), body.getArguments())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    // A cut must be the index of a dimension of its input (slice_region_c2).
    if (!type || cut < 0 || cut >= type.getRank())
      return op.emitOpError("cannot cut ")
             << input.getType() << " along dimension " << cut
             << ": expected a ranked tensor with this dimension";
    // An argument must have its input's type, except for the size of the
    // dimension that is split into slices (slice_region_c5).
    if (!isPart(argument.getType(), type, cut))
      return op.emitOpError("has argument type ")
             << argument.getType() << " for input type " << type
             << ": only the size of dimension " << cut
             << ", which is cut, may differ";
  }
  return success();
}

/// Each process has only its own part of `result`, which has exchange `kind`.
/// So only slice_regions may read the result, directly or through a reshape. If
/// it is a sum that is scattered in `join` parts, they must have that many
/// slices (slice_region_c7).
static LogicalResult verifyReaders(SliceRegionOp op, Value result,
                                   const ExchangeKind &kind, int64_t join) {
  for (Operation *user : result.getUsers()) {
    auto region = dyn_cast<SliceRegionOp>(user);
    if (!region && isa<ReshapeOp, tensor::CollapseShapeOp>(user)) {
      if (failed(verifyReaders(op, user->getResult(0), kind, join)))
        return failure();
      continue;
    }
    if (!region)
      return op.emitOpError("has a result of exchange '")
             << kind.text << "' that is used by '" << user->getName()
             << "', but only ingot.slice_region may use it";
    if (kind.value == INGOT_EXCHANGE_REDUCE_SCATTER &&
        static_cast<int64_t>(region.getSlices()) != join)
      return op.emitOpError("scatters a sum in ")
             << join << " parts, but an ingot.slice_region with "
             << region.getSlices() << " slices reads it";
  }
  return success();
}

/// Verifies a result that replaces the parts of input `join` by the values that
/// the slices yield (slice_region_c8).
static LogicalResult verifyInPlace(SliceRegionOp op, OpResult result,
                                   const ExchangeKind &kind, int64_t join,
                                   Value value) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  auto part = dyn_cast<RankedTensorType>(value.getType());
  auto slices = static_cast<int64_t>(op.getSlices());
  if (join < 0 || join >= static_cast<int64_t>(op.getInputs().size()) ||
      op.getCuts()[join] != 0 || op.getInputs()[join].getType() != type ||
      !isPart(part, type, 0) || !part.hasStaticShape() ||
      part.getDimSize(0) * slices != type.getDimSize(0))
    return op.emitOpError("has a result of type ")
           << type << " and exchange '" << kind.text
           << "' that cannot replace input " << join
           << ": they must have the same type, and the input must be cut along "
              "dimension 0 in equal parts of static size";
  for (unsigned before = 0; before < result.getResultNumber(); ++before) {
    auto text = cast<StringAttr>(op.getExchanges()[before]).getValue();
    if (findExchangeKind(text)->isInPlace() && op.getJoins()[before] == join)
      return op.emitOpError("replaces input ") << join << " by two results";
  }
  return success();
}

static LogicalResult verifyResults(SliceRegionOp op) {
  auto end = dyn_cast<ResultOp>(op.getBody().front().back());
  // For each result there must be an exchange (how the slices' values are
  // combined), a join (the dimension along which they are concatenated) and a
  // yielded value (slice_region_c3).
  if (!end)
    return op.emitOpError("the region must end in ingot.result");
  if (end->getNumOperands() != op.getNumResults() ||
      op.getExchanges().size() != op.getNumResults() ||
      op.getJoins().size() != op.getNumResults())
    return op.emitOpError("must have the same number of results, exchanges, "
                          "joins and yielded values, but has ")
           << op.getNumResults() << ", " << op.getExchanges().size() << ", "
           << op.getJoins().size() << " and " << end->getNumOperands();
  for (auto [result, text, join, value] : llvm::zip(
           op.getResults(), op.getExchanges().getAsValueRange<StringAttr>(),
           op.getJoins(), end->getOperands())) {
    const ExchangeKind *kind = findExchangeKind(text);
    // An exchange, such as a sum or a gather over all slices, must be one that
    // runtime/ABI/ExchangeKinds.def lists (slice_region_c4).
    if (!kind)
      return op.emitOpError("'") << text
                                 << "' is not a kind of exchange: "
                                    "ExchangeKinds.def lists all kinds";
    if (kind->isInPlace()) {
      if (failed(verifyInPlace(op, result, *kind, join, value)))
        return failure();
      continue;
    }
    // A result that is combined (sum, max, min, reduce_scatter) must have the
    // type of the yielded value, with numeric elements. For a result that is
    // joined (gather, keep), the size along the join dimension may differ
    // (slice_region_c6).
    if (kind->value == INGOT_EXCHANGE_GATHER && join != 0)
      return op.emitOpError("can only gather along dimension 0, not ") << join;
    bool fits = kind->isJoined
                    ? isPart(value.getType(), result.getType(), join)
                    : areCompatibleTypes(value.getType(), result.getType()) &&
                          getElementTypeOrSelf(result).isIntOrFloat();
    if (!fits) {
      InFlightDiagnostic error = op.emitOpError("yields type ")
                                 << value.getType() << " for result type "
                                 << result.getType() << " with exchange '"
                                 << text << "': ";
      if (kind->isJoined)
        error << "only the size along dimension " << join << " may differ";
      else
        error << "the types must be numeric and match";
      return error;
    }
    if (kind->isPartial() && failed(verifyReaders(op, result, *kind, join)))
      return failure();
  }
  return success();
}

LogicalResult SliceRegionOp::verify() {
  // The batch must be cut into at least 2 slices, and at most 65536
  // (slice_region_c1).
  if (getSlices() < 2 || getSlices() > INGOT_MOST_SLICES)
    return emitOpError("has ")
           << getSlices() << " slices, expected 2 to " << INGOT_MOST_SLICES;
  if (failed(verifyInputs(*this)))
    return failure();
  return verifyResults(*this);
}
