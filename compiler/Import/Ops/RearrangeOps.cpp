//===- RearrangeOps.cpp - Padding, reversal, space-to-batch, diagonals ----===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/RearrangeOps.h"
#include "compiler/Import/Ops/NodeDecomposition.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "compiler/Import/Ops/ValueChecks.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ComplexOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/MatrixOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

static void importPad(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value none = parts.zero(getElementTypeOrSelf(parts.inputs[0]));
  parts.finish(parts.make<PadOp>({parts.inputs[0], parts.inputs[1], none}));
}

// Imports Reverse, whose second input has a bool per dimension, as
// `ingot.reverse`, which has a list of axes.
static void importReverse(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  auto turned = getConstantInts(parts.inputs[1]);
  if (!turned)
    return node.unsupported("the dimensions to reverse must be constants");
  SmallVector<int64_t> axes;
  for (auto [axis, isTurned] : llvm::enumerate(*turned))
    if (isTurned)
      axes.push_back(axis);
  checkIndices(node, "reversed", parts.i32(0), parts.inputs[0]);
  Value list = parts.vector(axes, parts.builder.getI32Type());
  parts.finish(parts.make<ReverseOp>({parts.inputs[0], list}));
}

// Imports SpaceToBatch or BatchToSpace, whose attribute is one block size for
// height and width, as the ND form of the op.
template <typename OpT> static void importSquareBlocks(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  int64_t size = node.attributes.getInt("block_size", 0);
  if (size < 1 || size > (1 << 20))
    return node.malformed("block_size must be 1 to 1048576, but is " +
                          Twine(size));
  Value block = parts.vector({size, size}, parts.builder.getI32Type());
  parts.finish(parts.make<OpT>({parts.inputs[0], block, parts.inputs[1]}));
}

// Returns attribute `align`, which says whether diagonals that are shorter than
// the rows that store them are aligned to the left or to the right. Ops before
// V3 have no such attribute and align to the left.
static NamedAttribute getAlignment(NodeDecomposition &parts) {
  std::string align = parts.node.attributes.getString("align", "");
  if (align.empty())
    align = StringRef(parts.node.node.def->op()).ends_with("V3") ? "RIGHT_LEFT"
                                                                 : "LEFT_LEFT";
  return parts.text("align", align);
}

// Imports MatrixDiag. The first version has the diagonal as its only input;
// later versions also have k, the numbers of rows and columns, and the padding
// value.
static void importMatrixDiag(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  SmallVector<Value> operands = parts.inputs;
  if (operands.size() == 1)
    operands.append({parts.i32(0), parts.i32(-1), parts.i32(-1),
                     parts.zero(getElementTypeOrSelf(operands[0]))});
  parts.finish(parts.make<MatrixDiagOp>(operands, getAlignment(parts)));
}

static void importMatrixDiagPart(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  SmallVector<Value> operands = parts.inputs;
  if (operands.size() == 1)
    operands.append(
        {parts.i32(0), parts.zero(getElementTypeOrSelf(operands[0]))});
  parts.finish(parts.make<MatrixDiagPartOp>(operands, getAlignment(parts)));
}

static void importMatrixSetDiag(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  SmallVector<Value> operands = parts.inputs;
  if (operands.size() == 2)
    operands.push_back(parts.i32(0));
  parts.finish(parts.make<MatrixSetDiagOp>(operands, getAlignment(parts)));
}

static Value makeShape(NodeDecomposition &parts, Value value) {
  return parts.make<ShapeOp>(
      value, parts.node.named("output_type",
                              TypeAttr::get(parts.builder.getI32Type())));
}

// Imports Diag as a reshaped MatrixDiag: the result for a tensor of rank n has
// rank 2n, and is a matrix whose rows are the first n dimensions and whose
// columns are the last n.
static void importDiag(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value input = parts.inputs[0];
  Value shape = makeShape(parts, input);
  Value row = parts.make<ReshapeOp>(
      {input, parts.vector({-1}, parts.builder.getI32Type())});
  Value matrix =
      parts.make<MatrixDiagOp>({row, parts.i32(0), parts.i32(-1), parts.i32(-1),
                                parts.zero(getElementTypeOrSelf(input))});
  Value twice = parts.make<ConcatOp>({parts.i32(0), shape, shape});
  parts.finish(parts.make<ReshapeOp>({matrix, twice}));
}

// Imports DiagPart. The first half of a tensor's dimensions are the rows of a
// matrix, the second half its columns; the diagonal has the shape of the first
// half.
static void importDiagPart(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value input = parts.inputs[0];
  Value shape = makeShape(parts, input);
  Operation *halves = shape ? node.create<SplitOp>({parts.i32(0), shape},
                                                   {parts.integer("count", 2)})
                            : nullptr;
  if (!halves)
    return;
  Value half = halves->getResult(0);
  checkSameSizes(node, half, halves->getResult(1),
                 "Invalid shape: the dimensions {} and {} do not match.");
  Value size =
      parts.make<ProdOp>({half, parts.vector({0}, parts.builder.getI32Type())});
  Value row = parts.make<ExpandDimsOp>({size, parts.i32(0)});
  Value square = parts.make<ConcatOp>({parts.i32(0), row, row});
  Value matrix = parts.make<ReshapeOp>({input, square});
  Value diagonal = parts.make<MatrixDiagPartOp>(
      {matrix, parts.i32(0), parts.zero(getElementTypeOrSelf(input))});
  parts.finish(parts.make<ReshapeOp>({diagonal, half}));
}

static void importConjugateTranspose(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value turned = parts.make<TransposeOp>(parts.inputs);
  if (turned && isa<ComplexType>(getElementTypeOrSelf(turned)))
    turned = parts.make<ConjOp>({turned});
  parts.finish(turned);
}

static const std::vector<ImportedOp> &getFunctions() {
  static const StringRef none = "";
  static const AttributeSpec align{"align"};
  static const std::vector<ImportedOp> functions = {
      {{"Pad", 2, none, {{"Tpaddings"}}}, importPad},
      {{"ConjugateTranspose", 2, none, {{"Tperm"}}}, importConjugateTranspose},
      {{"Reverse", 2, none, {}}, importReverse},
      {{"SpaceToBatch", 2, none, {{"Tpaddings"}, {"block_size"}}},
       importSquareBlocks<SpaceToBatchOp>},
      {{"BatchToSpace", 2, none, {{"Tidx"}, {"block_size"}}},
       importSquareBlocks<BatchToSpaceOp>},
      {{"MatrixDiag", 1, none, {}}, importMatrixDiag},
      {{"MatrixDiagV2", 5, none, {}}, importMatrixDiag},
      {{"MatrixDiagV3", 5, none, {align}}, importMatrixDiag},
      {{"BatchMatrixDiag", 1, none, {}}, importMatrixDiag},
      {{"MatrixDiagPart", 1, none, {}}, importMatrixDiagPart},
      {{"MatrixDiagPartV2", 3, none, {}}, importMatrixDiagPart},
      {{"MatrixDiagPartV3", 3, none, {align}}, importMatrixDiagPart},
      {{"BatchMatrixDiagPart", 1, none, {}}, importMatrixDiagPart},
      {{"MatrixSetDiag", 2, none, {}}, importMatrixSetDiag},
      {{"MatrixSetDiagV2", 3, none, {}}, importMatrixSetDiag},
      {{"MatrixSetDiagV3", 3, none, {align}}, importMatrixSetDiag},
      {{"BatchMatrixSetDiag", 2, none, {}}, importMatrixSetDiag},
      {{"Diag", 1, none, {}}, importDiag},
      {{"DiagPart", 1, none, {}}, importDiagPart},
  };
  return functions;
}

void addRearrangeOps(OpTable &table) { addImportedOps(table, getFunctions()); }

} // namespace ingot::importer
