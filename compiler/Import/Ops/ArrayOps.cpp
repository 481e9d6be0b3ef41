//===- ArrayOps.cpp - Concat, split, slice, gather, scatter ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports TensorFlow's array ops. Most of them become several ops of the ingot
// dialect: a Pack becomes an ExpandDims of each input and a Concat.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/ArrayOps.h"
#include "compiler/Import/Graph/ListElementTypes.h"
#include "compiler/Import/Ops/BroadcastGradients.h"
#include "compiler/Import/Ops/NodeDecomposition.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "compiler/Import/Ops/ValueChecks.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

// Imports Concat and ConcatV2. The axis is the last input of ConcatV2, but the
// first input of Concat and the first operand of `ingot.concat`.
static void importConcat(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  if (node.node.def->op() == "ConcatV2")
    std::rotate(parts.inputs.begin(), parts.inputs.end() - 1,
                parts.inputs.end());
  parts.finish(parts.make<ConcatOp>(parts.inputs));
}

static void importPack(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value axis = parts.i32(node.attributes.getInt("axis", 0));
  SmallVector<Value> operands{axis};
  for (Value input : parts.inputs)
    operands.push_back(parts.make<ExpandDimsOp>({input, axis}));
  parts.finish(operands.size() == 2 ? operands[1]
                                    : parts.make<ConcatOp>(operands));
}

static void importUnpack(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  int64_t axis = node.attributes.getInt("axis", 0);
  int64_t count = node.attributes.getInt("num", 0);
  if (count == 0)
    return;
  Operation *split = node.create<SplitOp>({parts.i32(axis), parts.inputs[0]},
                                          {parts.integer("count", count)});
  if (!split)
    return;
  for (auto [port, piece] : llvm::enumerate(split->getResults()))
    if (Value value = parts.make<SqueezeOp>(
            piece,
            node.named("dims", parts.builder.getDenseI64ArrayAttr(axis))))
      node.setOutput(port, value);
}

// Imports Split and SplitV. The inputs of Split are the axis and the value;
// those of SplitV are the value, the sizes and the axis.
static void importSplit(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  SmallVector<Value> operands = parts.inputs;
  if (operands.size() == 3)
    operands = {operands[2], operands[0], operands[1]};
  Operation *split = node.create<SplitOp>(
      operands,
      {parts.integer("count", node.attributes.getInt("num_split", 0))});
  if (!split)
    return;
  for (auto [port, piece] : llvm::enumerate(split->getResults()))
    node.setOutput(port, piece);
}

static void importSize(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value shape = parts.make<ShapeOp>(parts.inputs[0], parts.attributes);
  Value axes = parts.vector({0}, parts.builder.getI32Type());
  parts.finish(parts.make<ProdOp>({shape, axes}));
}

// Imports Rank. A static rank is imported as a constant, since old graphs
// compute the axes of reductions from it, and shape inference needs constant
// axes. A dynamic rank is computed as the length of the input's shape vector.
static void importRank(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  if (auto type = dyn_cast<RankedTensorType>(parts.inputs[0].getType()))
    return parts.finish(parts.i32(type.getRank()));
  NamedAttribute type =
      node.named("output_type", TypeAttr::get(parts.builder.getI32Type()));
  Value shape = parts.make<ShapeOp>(parts.inputs[0], type);
  Value rank = parts.make<ShapeOp>(shape, type);
  parts.finish(parts.make<SqueezeOp>(
      rank, node.named("dims", parts.builder.getDenseI64ArrayAttr(0))));
}

static void importShapeN(NodeImport &node) {
  NodeDecomposition parts(node);
  for (auto [port, input] : llvm::enumerate(parts.inputs))
    if (Value shape = parts.make<ShapeOp>(input, parts.attributes))
      node.setOutput(port, shape);
}

// Checks that the inputs of a ConcatOffset have equal sizes except along the
// axis. `onAxis` is a one-hot vector of the axis. If the axis is known at run
// time only, the size along the axis is first replaced by 0 in each of the
// compared shapes.
static void checkConcatenated(NodeImport &node, NodeDecomposition &parts,
                              ArrayRef<Value> shapes,
                              std::optional<int64_t> axis, Value onAxis) {
  if (!onAxis)
    return;
  std::string except = axis ? std::to_string(*axis) : "the axis, shown as 0,";
  Value offAxis;
  if (!axis) {
    Type type = getElementTypeOrSelf(onAxis);
    offAxis = parts.make<SubOp>({parts.scalar(1, type), onAxis});
  }
  auto compared = [&](Value shape) {
    return axis ? shape : parts.make<MulOp>({shape, offAxis});
  };
  Value first = compared(shapes.front());
  for (auto [i, input] : llvm::enumerate(shapes.drop_front())) {
    Value shape = compared(input);
    if (!first || !shape)
      return;
    checkConcat(node, shape, first, axis);
    checkSameSizes(node, shape, first,
                   "All dimensions except " + except + " must match. Input " +
                       Twine(i + 1) +
                       " has shape {} and doesn't match input 0 with shape "
                       "{}.",
                   axis ? ArrayRef<int64_t>(*axis) : ArrayRef<int64_t>());
  }
}

// Imports ConcatOffset, which returns the offset of each input in the
// concatenated tensor: along the axis it is the sum of the sizes of the earlier
// inputs, along other dimensions 0.
static void importConcatOffset(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  ArrayRef<Value> shapes = ArrayRef(parts.inputs).drop_front();
  if (shapes.empty())
    return;
  Type type = getElementTypeOrSelf(shapes.front());
  auto rank = getNumElements(getTensorShape(shapes.front().getType()));
  auto axis = getConstantInt(parts.inputs[0]);
  Value onAxis;
  if (rank && axis && *axis >= -*rank && *axis < *rank) {
    SmallVector<int64_t> unit(*rank, 0);
    unit[*axis < 0 ? *axis + *rank : *axis] = 1;
    onAxis = parts.vector(unit, type);
  } else {
    // The axis is not constant: compute its one-hot vector at run time. The
    // modulo turns a negative axis, which counts from the last dimension, into
    // its index.
    NamedAttribute output =
        node.named("output_type", TypeAttr::get(parts.builder.getI32Type()));
    Value length = parts.make<SqueezeOp>(
        parts.make<ShapeOp>(shapes.front(), output),
        node.named("dims", parts.builder.getDenseI64ArrayAttr(0)));
    Value fromFront = parts.make<FloorModOp>({parts.inputs[0], length});
    onAxis = parts.make<OneHotOp>(
        {fromFront, length, parts.scalar(1, type), parts.scalar(0, type)});
  }
  checkConcatenated(node, parts, shapes, axis, onAxis);
  if (node.hasFailed())
    return;
  Value offset = parts.make<MulOp>({onAxis, parts.scalar(0, type)});
  for (auto [port, shape] : llvm::enumerate(shapes)) {
    if (!offset)
      return;
    node.setOutput(port, offset);
    if (port + 1 < shapes.size())
      offset = parts.make<AddOp>({offset, parts.make<MulOp>({shape, onAxis})});
  }
}

static void importGather(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  checkIndices(node, "gather", parts.inputs[1], parts.inputs[0]);
  parts.inputs.push_back(parts.i32(0));
  parts.finish(parts.make<GatherOp>(parts.inputs));
}

// Imports GatherV2 and GatherNd: adds a check that the indices are in bounds,
// then translates the node as its row of the op table says.
static void importCheckedGather(NodeImport &node) {
  bool isNd = node.node.op() == "GatherNd";
  if (node.numInputs() == (isNd ? 2 : 3)) {
    Value input = node.tensor(0), indices = node.tensor(1);
    Value axis = isNd ? Value() : node.tensor(2);
    if (node.hasFailed())
      return;
    if (isNd)
      checkIndices(node, "coordinates", indices, input);
    else if (std::optional<int64_t> at = getConstantInt(axis))
      checkIndices(node, "gather", indices, input, *at);
  }
  importCompute(node);
}

// Imports Squeeze. A Squeeze without a list of dimensions removes all
// dimensions whose size is 1 at run time, so the result's rank is unknown if a
// size is dynamic. If the input has dimensions of static size 1, imports the
// node as a removal of only these, and adds a check that no dynamic dimension
// has size 1.
static void importSqueeze(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  auto type = dyn_cast<RankedTensorType>(parts.inputs[0].getType());
  auto listed = node.attributes.getInts("squeeze_dims");
  if (!type || type.hasStaticShape() || !listed.empty() ||
      !llvm::is_contained(type.getShape(), 1))
    return importCompute(node);
  SmallVector<int64_t> removed, open;
  for (auto [i, dim] : llvm::enumerate(type.getShape()))
    if (dim == 1)
      removed.push_back(static_cast<int64_t>(i));
    else if (ShapedType::isDynamic(dim))
      open.push_back(static_cast<int64_t>(i));
  Type i64 = parts.builder.getI64Type();
  Value shape = parts.make<ShapeOp>(
      parts.inputs[0], node.named("output_type", TypeAttr::get(i64)));
  Value sizes =
      parts.make<GatherOp>({shape, parts.vector(open, i64), parts.i32(0)});
  if (!sizes)
    return;
  node.create<RequireNumbersOp>(
      {sizes},
      node.named("kind", parts.builder.getStringAttr("squeezed_rank")));
  parts.finish(parts.make<SqueezeOp>(
      parts.inputs[0],
      node.named("dims", parts.builder.getDenseI64ArrayAttr(removed))));
}

static void importTensorScatter(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  StringRef op = node.node.def->op();
  op.consume_front("TensorScatter");
  NamedAttribute combine =
      node.named("combine", parts.builder.getStringAttr(op.lower()));
  checkIndices(node, "coordinates", parts.inputs[1], parts.inputs[0]);
  parts.finish(parts.make<TensorScatterOp>(parts.inputs, combine));
}

// Imports InplaceUpdate, InplaceAdd and InplaceSub. Their inputs are a tensor,
// indices of its rows, and the rows with which the selected ones are combined.
// This is a tensor scatter whose coordinates have one index each.
static void importInplace(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  StringRef op = node.node.def->op();
  op.consume_front("Inplace");
  checkIndices(node, "scatter", parts.inputs[1], parts.inputs[0]);
  Value rows = parts.make<ExpandDimsOp>({parts.inputs[1], parts.i32(-1)});
  parts.finish(parts.make<TensorScatterOp>(
      {parts.inputs[0], rows, parts.inputs[2]},
      node.named("combine", parts.builder.getStringAttr(op.lower()))));
}

// Imports Empty as zeros. TensorFlow initializes the elements only if attribute
// `init` is true and leaves them undefined otherwise, so zeros are correct in
// both cases.
static void importEmpty(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  if (Type element = elementTypeOf(node, "dtype"))
    parts.finish(parts.make<FillOp>({parts.inputs[0], parts.zero(element)}));
}

static void importScatterNd(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value none = parts.zero(getElementTypeOrSelf(parts.inputs[1]));
  Value zeros = parts.make<FillOp>({parts.inputs[2], none});
  if (zeros)
    checkIndices(node, "coordinates", parts.inputs[0], zeros);
  parts.finish(parts.make<TensorScatterOp>(
      {zeros, parts.inputs[0], parts.inputs[1]},
      node.named("combine", parts.builder.getStringAttr("add"))));
}

// Imports InvertPermutation as a scatter: if p maps i to p[i], its inverse has
// i at index p[i].
static void importInvertPermutation(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value permutation = parts.inputs[0];
  Type type = getElementTypeOrSelf(permutation);
  Value shape = parts.make<ShapeOp>(
      permutation, node.named("output_type", TypeAttr::get(type)));
  Value size = parts.make<SqueezeOp>(
      shape, node.named("dims", parts.builder.getDenseI64ArrayAttr(0)));
  Value places =
      parts.make<RangeOp>({parts.scalar(0, type), size, parts.scalar(1, type)});
  Value rows = parts.make<ExpandDimsOp>({permutation, parts.i32(1)});
  parts.finish(parts.make<TensorScatterOp>(
      {permutation, rows, places},
      node.named("combine", parts.builder.getStringAttr("update"))));
}

static void importStridedSliceGrad(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value none = parts.zero(getElementTypeOrSelf(parts.inputs[4]));
  SmallVector<Value> operands = parts.inputs;
  operands[0] = parts.make<FillOp>({parts.inputs[0], none});
  parts.finish(parts.make<StridedSliceUpdateOp>(operands, parts.attributes));
}

static void importEnsureShape(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  const proto::TensorShapeProto *shape = node.attributes.getShape("shape");
  if (!shape || shape->unknown_rank())
    return parts.finish(parts.inputs[0]);
  if (shape->dim_size() > kMaxRank)
    return node.malformed("shape has " + Twine(shape->dim_size()) +
                          " dimensions, more than " + Twine(kMaxRank));
  SmallVector<int64_t> dims;
  for (const auto &dim : shape->dim())
    dims.push_back(dim.size());
  parts.finish(parts.make<EnsureShapeOp>(
      parts.inputs[0],
      node.named("shape", parts.builder.getDenseI64ArrayAttr(dims))));
}

static void importReshape(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value sum = importBroadcastGradient(node, parts);
  parts.finish(sum ? sum : parts.make<ReshapeOp>(parts.inputs));
}

// The ops that this file imports, as rows of the op table. Each row states the
// op's number of inputs (-1 for at least one) and its attributes, and names the
// function that imports the op's nodes.
static const std::vector<ImportedOp> &getFunctions() {
  static const AttributeSpec shapeType{"out_type", Kind::ElementType,
                                       "output_type", proto::DT_INT32};
  static const StringRef none = "";
  static const std::vector<ImportedOp> functions = {
      {{"ConcatV2", -1, none, {{"N"}, {"Tidx"}}}, importConcat},
      {{"Concat", -1, none, {{"N"}}}, importConcat},
      {{"ConcatOffset", -1, none, {{"N"}, {"shape_type"}}}, importConcatOffset},
      {{"Pack", -1, none, {{"N"}, {"axis"}}}, importPack},
      {{"Unpack", 1, none, {{"num"}, {"axis"}}}, importUnpack},
      {{"Split", 2, none, {{"num_split"}}}, importSplit},
      {{"SplitV", 3, none, {{"num_split"}, {"Tlen"}}}, importSplit},
      {{"Size", 1, none, {shapeType}}, importSize},
      {{"Rank", 1, none, {}}, importRank},
      {{"ShapeN", -1, none, {{"N"}, shapeType}}, importShapeN},
      {{"Gather", 2, none, {{"Tindices"}, {"Tparams"}, {"validate_indices"}}},
       importGather},
      {{"Empty", 1, none, {{"dtype"}, {"init"}}}, importEmpty},
      {{"InplaceAdd", 3, none, {}}, importInplace},
      {{"InplaceSub", 3, none, {}}, importInplace},
      {{"InplaceUpdate", 3, none, {}}, importInplace},
      {{"TensorScatterUpdate", 3, none, {{"Tindices"}}}, importTensorScatter},
      {{"TensorScatterAdd", 3, none, {{"Tindices"}}}, importTensorScatter},
      {{"TensorScatterSub", 3, none, {{"Tindices"}}}, importTensorScatter},
      {{"TensorScatterMin", 3, none, {{"Tindices"}}}, importTensorScatter},
      {{"TensorScatterMax", 3, none, {{"Tindices"}}}, importTensorScatter},
      {{"ScatterNd", 3, none, {{"Tindices"}}}, importScatterNd},
      {{"InvertPermutation", 1, none, {}}, importInvertPermutation},
      {{"StridedSliceGrad", 5, none, getOpRow("StridedSlice").attributes},
       importStridedSliceGrad},
      {{"EnsureShape", 1, none, {{"shape"}}}, importEnsureShape},
      {{"Reshape", 2, none, {{"Tshape"}}}, importReshape},
  };
  return functions;
}

void addArrayOps(OpTable &table) {
  for (StringRef op : {"GatherV2", "GatherNd"})
    table[op].import = importCheckedGather;
  table["Squeeze"].import = importSqueeze;
  addImportedOps(table, getFunctions());
  addRearrangeOps(table);
}

} // namespace ingot::importer
