//===- OpExport.cpp - Exports one ingot op as nodes -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/IngotDialect.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

std::string OpExport::nodeName() const {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return toNodeName(name.getName().getValue());
  return "";
}

NodeOutput OpExport::operand(unsigned index) {
  return block.value(op->getOperand(index));
}

SmallVector<NodeOutput> OpExport::operands(unsigned first) {
  return tensors(op->getOperands().drop_front(first));
}

SmallVector<NodeOutput> OpExport::tensors(ValueRange values) {
  SmallVector<NodeOutput> result;
  for (Value value : values)
    result.push_back(block.value(value));
  return result;
}

proto::DataType OpExport::resultType(unsigned index) {
  return toTensorType(op->getResult(index).getType());
}

StringRef OpExport::text(StringRef name) {
  auto value = op->getAttrOfType<StringAttr>(name);
  return value ? value.getValue() : StringRef();
}

int64_t OpExport::integer(StringRef name) {
  auto value = op->getAttrOfType<IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

bool OpExport::flag(StringRef name) {
  if (auto value = op->getAttrOfType<BoolAttr>(name))
    return value.getValue();
  return op->hasAttr(name);
}

float OpExport::number(StringRef name) {
  auto value = op->getAttrOfType<FloatAttr>(name);
  return value ? static_cast<float>(value.getValueAsDouble()) : 0.0f;
}

proto::DataType OpExport::type(StringRef name) {
  auto value = op->getAttrOfType<TypeAttr>(name);
  return value ? toTensorType(value.getValue()) : proto::DT_INVALID;
}

ArrayRef<int64_t> OpExport::integers(StringRef name) {
  auto value = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return value ? value.asArrayRef() : ArrayRef<int64_t>();
}

SmallVector<StringRef> OpExport::texts(StringRef name) {
  SmallVector<StringRef> result;
  if (auto list = op->getAttrOfType<ArrayAttr>(name))
    for (auto value : list.getAsRange<StringAttr>())
      result.push_back(value.getValue());
  return result;
}

SmallVector<proto::DataType> OpExport::types(StringRef name) {
  SmallVector<proto::DataType> result;
  if (auto list = op->getAttrOfType<ArrayAttr>(name))
    for (auto value : list.getAsRange<TypeAttr>())
      result.push_back(toTensorType(value.getValue()));
  return result;
}

void OpExport::touch(StringRef name, bool writesIt) {
  resource = name.str();
  touches = true;
  writes = writesIt;
}

void OpExport::touchAll() { touchesAll = true; }

SmallVector<NodeOutput> OpExport::emit(StringRef node,
                                       ArrayRef<NodeOutput> inputs,
                                       ArrayRef<proto::DataType> outputs,
                                       AttributeMap attributes,
                                       ValueRange results) {
  NodeSpec spec;
  spec.op = node;
  spec.inputs.assign(inputs.begin(), inputs.end());
  spec.outputs.assign(outputs.begin(), outputs.end());
  spec.attributes = std::move(attributes);
  spec.name = nodeName();
  spec.mayTakeReserved = block.isWanted(results, spec.name);
  if (touchesAll)
    spec.controls = block.effects.beforeAll();
  else if (touches)
    spec.controls = block.effects.before(resource, writes);
  std::string name;
  SmallVector<NodeOutput> result = block.scope.add(std::move(spec), &name);
  if (touchesAll)
    block.effects.noteAll(name);
  else if (touches)
    block.effects.note(resource, writes, name);
  return result;
}

void OpExport::emit(StringRef node, ArrayRef<NodeOutput> inputs,
                    AttributeMap attributes) {
  SmallVector<proto::DataType> outputs;
  for (Type type : op->getResultTypes())
    outputs.push_back(toTensorType(type));
  SmallVector<NodeOutput> results =
      emit(node, inputs, outputs, std::move(attributes), op->getResults());
  for (auto [result, tensor] : llvm::zip(op->getResults(), results))
    block.bind(result, tensor);
}

SmallVector<NodeOutput> OpExport::addAll(StringRef node,
                                         ArrayRef<NodeOutput> inputs,
                                         ArrayRef<proto::DataType> outputs,
                                         AttributeMap attributes) {
  NodeSpec spec;
  spec.op = node;
  spec.inputs.assign(inputs.begin(), inputs.end());
  spec.outputs.assign(outputs.begin(), outputs.end());
  spec.attributes = std::move(attributes);
  std::string name = nodeName();
  if (!name.empty())
    spec.name = name + "/" + node.str();
  return block.scope.add(std::move(spec));
}

NodeOutput OpExport::add(StringRef node, ArrayRef<NodeOutput> inputs,
                         proto::DataType output, AttributeMap attributes) {
  return addAll(node, inputs, output, std::move(attributes)).front();
}

NodeOutput OpExport::constant(proto::AttrValue value) {
  proto::DataType dtype = value.tensor().dtype();
  return add("Const", {}, dtype,
             {{"dtype", exporter::type(dtype)}, {"value", std::move(value)}});
}

// Makes the `value` attribute of a Const node. A TensorProto has a field for
// each element type.
static proto::AttrValue makeNumbers(ArrayRef<int64_t> values,
                                    proto::DataType dtype) {
  proto::AttrValue result;
  proto::TensorProto &tensor = *result.mutable_tensor();
  tensor.set_dtype(dtype);
  tensor.mutable_tensor_shape();
  for (int64_t value : values) {
    switch (dtype) {
    case proto::DT_INT64:
      tensor.add_int64_val(value);
      break;
    case proto::DT_UINT64:
      tensor.add_uint64_val(value);
      break;
    case proto::DT_UINT32:
      tensor.add_uint32_val(value);
      break;
    case proto::DT_FLOAT:
      tensor.add_float_val(static_cast<float>(value));
      break;
    case proto::DT_DOUBLE:
      tensor.add_double_val(static_cast<double>(value));
      break;
    case proto::DT_BOOL:
      tensor.add_bool_val(value != 0);
      break;
    default:
      tensor.add_int_val(static_cast<int32_t>(value));
    }
  }
  return result;
}

NodeOutput OpExport::scalar(int64_t value, proto::DataType dtype) {
  // A TensorProto stores 16-bit floats as bit patterns, so add a float32
  // constant and a Cast instead.
  if (dtype == proto::DT_HALF || dtype == proto::DT_BFLOAT16)
    return cast(scalar(value, proto::DT_FLOAT), dtype);
  return constant(makeNumbers(value, dtype));
}

NodeOutput OpExport::vector(ArrayRef<int64_t> values, proto::DataType dtype) {
  proto::AttrValue value = makeNumbers(values, dtype);
  value.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(
      static_cast<int64_t>(values.size()));
  return constant(std::move(value));
}

NodeOutput OpExport::cast(NodeOutput tensor, proto::DataType dtype) {
  if (tensor.dtype == dtype)
    return tensor;
  return add("Cast", tensor, dtype, {{"DstT", exporter::type(dtype)}});
}

void OpExport::set(unsigned result, NodeOutput tensor) {
  block.bind(op->getResult(result), tensor);
}

void OpExport::refuse(const llvm::Twine &why) {
  op->emitError() << "this op cannot be exported as a GraphDef node: " << why;
  block.program.failed = true;
  for (OpResult result : op->getResults())
    block.bind(result,
               {"refused", "output", 0, 0, toTensorType(result.getType())});
}

const ExportTable &getExportTable() {
  static const ExportTable table = [] {
    ExportTable result;
    addArrayExports(result);
    addControlExports(result);
    addImageExports(result);
    addInputExports(result);
    addListExports(result);
    addOptimizerExports(result);
    addRandomExports(result);
    addReductionExports(result);
    addReportExports(result);
    addStateExports(result);
    addStringExports(result);
    addTableExports(result);
    return result;
  }();
  return table;
}

} // namespace ingot::exporter
