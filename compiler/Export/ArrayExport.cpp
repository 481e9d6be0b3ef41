//===- ArrayExport.cpp - Constants, concat, split, scatter, diagonals -----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MatrixOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/SpectralOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static void exportConstant(OpExport &op) {
  auto value = op.op->getAttrOfType<ElementsAttr>("value");
  op.emit("Const", {},
          {{"dtype", type(op.resultType())}, {"value", tensor(value)}});
}

// If the concat was imported from a Pack, returns the inputs of the Pack. The
// importer turns a Pack into expand_dims ops and a concat of their results, all
// with the location of the Pack. Returns an empty vector for any other concat.
static SmallVector<NodeOutput> packedInputs(OpExport &op) {
  SmallVector<NodeOutput> inputs;
  auto concat = cast<ConcatOp>(op.op);
  for (Value input : concat.getInputs()) {
    auto expanded = input.getDefiningOp<ExpandDimsOp>();
    if (!expanded || expanded.getAxis() != concat.getAxis() ||
        expanded.getLoc() != concat.getLoc())
      return {};
    inputs.push_back(op.block.value(expanded.getInput()));
  }
  return inputs;
}

static void exportConcat(OpExport &op) {
  std::optional<int64_t> axis = getConstantInt(op.op->getOperand(0));
  if (SmallVector<NodeOutput> packed = packedInputs(op);
      axis && !packed.empty())
    return op.emit("Pack", packed, {{"axis", exporter::integer(*axis)}});
  SmallVector<NodeOutput> inputs = op.operands(1);
  // TensorFlow's ConcatV2 requires at least two inputs, so a concat of one
  // input becomes an Identity.
  if (inputs.size() == 1)
    return op.emit("Identity", inputs);
  inputs.push_back(op.operand(0));
  op.emit("ConcatV2", inputs);
}

// TensorFlow's OneHot takes an int32 depth only.
static void exportOneHot(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  operands[1] = op.cast(operands[1], proto::DT_INT32);
  op.emit("OneHot", operands,
          {{"axis", exporter::integer(op.integer("axis"))}});
}

static void exportMatrixExponential(OpExport &op) {
  op.refuse("TensorFlow accepts this op only in graphs of GraphDef versions up "
            "to 26");
}

static void exportSplit(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  AttributeMap attributes = {{"num_split", integer(op.integer("count"))}};
  if (operands.size() == 3)
    op.emit("SplitV", {operands[1], operands[2], operands[0]}, attributes);
  else
    op.emit("Split", operands, attributes);
}

static void exportReshape(OpExport &op) { op.emit("Reshape", op.operands()); }

// Exports sum_to_shape as a Sum, followed by a Reshape. The axes to sum over
// are computed by a BroadcastGradientArgs node, as in TensorFlow's gradients.
static void exportSumToShape(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  proto::DataType dtype = operands[1].dtype;
  NodeOutput whole =
      op.add("Shape", operands[0], dtype, {{"out_type", type(dtype)}});
  SmallVector<NodeOutput> axes =
      op.addAll("BroadcastGradientArgs", {whole, operands[1]}, {dtype, dtype});
  NodeOutput sum = op.add("Sum", {operands[0], axes[1]}, operands[0].dtype);
  op.emit("Reshape", {sum, operands[1]});
}

static void exportEnsureShape(OpExport &op) {
  op.emit("EnsureShape", op.operands(),
          {{"shape", shape(toShape(op.integers("shape")))}});
}

// Returns whether the op was imported from InvertPermutation p: a scatter of
// the range 0, 1, … to the indices p.
static bool isInversion(TensorScatterOp op) {
  auto rows = op.getIndices().getDefiningOp<ExpandDimsOp>();
  auto places = op.getUpdates().getDefiningOp<RangeOp>();
  return rows && places && rows.getInput() == op.getInput() &&
         op.getCombine() == "update" && rows.getLoc() == op.getLoc() &&
         places.getLoc() == op.getLoc();
}

static void exportTensorScatter(OpExport &op) {
  if (isInversion(cast<TensorScatterOp>(op.op)))
    return op.emit("InvertPermutation", op.operand(0));
  std::string name = op.text("combine").str();
  name[0] = llvm::toUpper(name[0]);
  op.emit("TensorScatter" + name, op.operands());
}

template <size_t Kind> static void exportDiagonal(OpExport &op) {
  static constexpr StringRef names[] = {"MatrixDiagPartV3", "MatrixSetDiagV3",
                                        "MatrixDiagV3"};
  op.emit(names[Kind], op.operands(), {{"align", text(op.text("align"))}});
}

// Exports unique, whose three results are values, indices and counts. In
// TensorFlow, only UniqueWithCounts returns the counts.
static void exportUnique(OpExport &op) {
  std::string name =
      op.op->getResult(2).use_empty() ? "Unique" : "UniqueWithCounts";
  AttributeMap attributes = {{"out_idx", type(op.type("output_type"))}};
  if (!op.op->hasAttr("axis"))
    return op.emit(name, op.operands(), attributes);
  op.emit(name + "V2", {op.operand(0), op.vector(op.integer("axis"))},
          attributes);
}

// Exports logical_not. If its operand is a comparison with the same location,
// both ops were imported from one node and mean "not (a < b)", which differs
// from a >= b for NaN. Such a comparison is negated by a SelectV2, because
// TensorFlow's optimizer would replace a LogicalNot of a Less by a
// GreaterEqual.
static void exportLogicalNot(OpExport &op) {
  Operation *compared = op.op->getOperand(0).getDefiningOp();
  bool isOneNode =
      compared && compared->getLoc() == op.op->getLoc() &&
      isa<LessOp, LessEqualOp, GreaterOp, GreaterEqualOp>(compared);
  if (!isOneNode)
    return op.emit("LogicalNot", op.operands());
  op.emit("SelectV2", {op.operand(0), op.scalar(0, proto::DT_BOOL),
                       op.scalar(1, proto::DT_BOOL)});
}

static void exportFakeQuant(OpExport &op) {
  AttributeMap attributes = {
      {"num_bits", integer(op.integer("num_bits"))},
      {"narrow_range", boolean(op.flag("narrow_range"))}};
  if (op.text("kind") == "channels")
    return op.emit("FakeQuantWithMinMaxVarsPerChannel", op.operands(),
                   attributes);
  if (op.text("kind") == "vars")
    return op.emit("FakeQuantWithMinMaxVars", op.operands(), attributes);
  for (auto [name, index] : {std::pair("min", 1), std::pair("max", 2)}) {
    DenseFPElementsAttr bound;
    if (!matchPattern(op.op->getOperand(index), m_Constant(&bound)))
      return op.refuse(
          "bound '" + llvm::Twine(name) +
          "' must be a constant, because it is an attribute of TensorFlow's "
          "FakeQuantWithMinMaxArgs");
    attributes[name] = number((*bound.value_begin<APFloat>()).convertToFloat());
  }
  op.emit("FakeQuantWithMinMaxArgs", op.operand(0), attributes);
}

void addArrayExports(ExportTable &table) {
  table[FakeQuantOp::getOperationName()] = exportFakeQuant;
  table[ConstantOp::getOperationName()] = exportConstant;
  table[ConcatOp::getOperationName()] = exportConcat;
  table[OneHotOp::getOperationName()] = exportOneHot;
  table[MatrixExponentialOp::getOperationName()] = exportMatrixExponential;
  table[SplitOp::getOperationName()] = exportSplit;
  table[ReshapeOp::getOperationName()] = exportReshape;
  table[SumToShapeOp::getOperationName()] = exportSumToShape;
  table[EnsureShapeOp::getOperationName()] = exportEnsureShape;
  table[TensorScatterOp::getOperationName()] = exportTensorScatter;
  table[UniqueOp::getOperationName()] = exportUnique;
  table[LogicalNotOp::getOperationName()] = exportLogicalNot;
  table[MatrixDiagPartOp::getOperationName()] = exportDiagonal<0>;
  table[MatrixSetDiagOp::getOperationName()] = exportDiagonal<1>;
  table[MatrixDiagOp::getOperationName()] = exportDiagonal<2>;
}

} // namespace ingot::exporter
