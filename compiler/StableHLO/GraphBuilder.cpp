//===- GraphBuilder.cpp - Adds TensorFlow's nodes to a graph --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/GraphBuilder.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

bool isFloat(proto::DataType type) {
  return type == proto::DT_FLOAT || type == proto::DT_DOUBLE ||
         type == proto::DT_HALF || type == proto::DT_BFLOAT16;
}

bool isSigned(proto::DataType type) {
  return type == proto::DT_INT8 || type == proto::DT_INT16 ||
         type == proto::DT_INT32 || type == proto::DT_INT64;
}

bool isUnsigned(proto::DataType type) {
  return type == proto::DT_UINT8 || type == proto::DT_UINT16 ||
         type == proto::DT_UINT32 || type == proto::DT_UINT64;
}

std::string encode(double value, proto::DataType type) {
  // Callers give numbers that integers have.
  if (!isFloat(type))
    return encode(static_cast<int64_t>(value), type);
  APFloat number(value);
  bool ignored;
  number.convert(type == proto::DT_FLOAT    ? APFloat::IEEEsingle()
                 : type == proto::DT_DOUBLE ? APFloat::IEEEdouble()
                 : type == proto::DT_HALF   ? APFloat::IEEEhalf()
                                            : APFloat::BFloat(),
                 APFloat::rmNearestTiesToEven, &ignored);
  uint64_t bits = number.bitcastToAPInt().getZExtValue();
  std::string bytes;
  for (unsigned i = 0; i < sizeOf(type); ++i)
    bytes += static_cast<char>(bits >> (8 * i));
  return bytes;
}

std::string encode(int64_t value, proto::DataType type) {
  if (isFloat(type))
    return encode(static_cast<double>(value), type);
  std::string bytes;
  for (unsigned i = 0; i < sizeOf(type); ++i)
    bytes += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Tensors GraphBuilder::add(StringRef op, ArrayRef<Tensor> inputs,
                          ArrayRef<TensorType> outputs, AttributeMap attributes,
                          StringRef name, std::vector<std::string> controls) {
  exporter::NodeSpec spec;
  spec.op = op;
  for (const Tensor &input : inputs) {
    reference(input);
    ++input->uses;
    spec.inputs.push_back(*input->output);
  }
  for (const TensorType &type : outputs)
    spec.outputs.push_back(type.element);
  spec.attributes = std::move(attributes);
  spec.controls = std::move(controls);
  spec.name = !name.empty()  ? name.str()
              : path.empty() ? op.str()
                             : (path + "/" + op).str();
  std::string added;
  SmallVector<exporter::NodeOutput> made = writer.add(std::move(spec), &added);
  note(added);
  Tensors tensors;
  for (auto [output, type] : zip(made, outputs)) {
    Tensor tensor = std::make_shared<TensorNode>();
    tensor->type = type.element;
    tensor->shape = type.shape;
    tensor->output = output;
    tensors.push_back(tensor);
  }
  return tensors;
}

Tensor GraphBuilder::node(StringRef op, ArrayRef<Tensor> inputs,
                          proto::DataType type, ArrayRef<int64_t> shape,
                          AttributeMap attributes, StringRef name,
                          std::vector<std::string> controls) {
  TensorType output{type, Sizes(shape), ""};
  return add(op, inputs, output, std::move(attributes), name,
             std::move(controls))
      .front();
}

// Stores where a node comes from, for the messages of later stages.
void GraphBuilder::note(StringRef node) {
  if (origin.file.empty())
    return;
  int index = -1;
  for (int i = 0; i < debug.files_size() && index < 0; ++i)
    if (debug.files(i) == origin.file)
      index = i;
  if (index < 0) {
    index = debug.files_size();
    debug.add_files(origin.file);
  }
  std::string key =
      function.empty() ? node.str() : (node + "@" + function).str();
  proto::GraphDebugInfo::FileLineCol &frame =
      *(*debug.mutable_traces())[key].add_file_line_cols();
  frame.set_file_index(index);
  frame.set_line(static_cast<int>(origin.line));
}

Tensor GraphBuilder::argument(StringRef name, proto::DataType type,
                              ArrayRef<int64_t> shape) {
  writer.addArgument(name);
  Tensor tensor = std::make_shared<TensorNode>();
  tensor->type = type;
  tensor->shape = Sizes(shape);
  tensor->output = exporter::NodeOutput{name.str(), "", 0, 0, type};
  return tensor;
}

std::string GraphBuilder::reference(const Tensor &tensor) {
  if (!tensor->output) {
    TensorType type{tensor->type, tensor->shape, ""};
    tensor->output =
        add("BroadcastTo", {tensor->thin, sizes(tensor->shape)}, type)
            .front()
            ->output;
  }
  return writer.reference(*tensor->output);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// Returns whether all elements have the same bytes.
static bool isUniform(const Elements &value) {
  if (value.isSplat)
    return true;
  size_t size = sizeOf(value.type.element);
  StringRef bytes = value.bytes;
  return bytes.drop_back(size) == bytes.drop_front(size);
}

Tensor GraphBuilder::constant(std::shared_ptr<const Elements> value,
                              StringRef name) {
  const TensorType &type = value->type;
  std::string key = std::to_string(type.element) + (value->isSplat ? "s" : "");
  for (int64_t size : type.shape)
    key += "," + std::to_string(size);
  key += ":" + value->bytes;
  Tensor &known = constants[key];
  if (known && name.empty())
    return known;
  Tensor made;
  if (numElements(type.shape).value_or(0) > 1 && isUniform(*value)) {
    // One element keeps the graph small.
    auto one = std::make_shared<Elements>();
    one->type.element = type.element;
    one->bytes = value->bytes.substr(0, sizeOf(type.element));
    Tensor fill = constant(one), dims = sizes(type.shape);
    made = node("Fill", {dims, fill}, type.element, type.shape, {}, name);
  } else {
    proto::AttrValue attribute;
    proto::TensorProto &tensor = *attribute.mutable_tensor();
    tensor.set_dtype(type.element);
    *tensor.mutable_tensor_shape() = exporter::toShape(type.shape);
    if (numElements(type.shape).value_or(0))
      tensor.set_tensor_content(value->bytes);
    std::string outer = std::move(path);
    path.clear();
    made = node("Const", {}, type.element, type.shape,
                {{"value", attribute}, {"dtype", exporter::type(type.element)}},
                name);
    path = std::move(outer);
  }
  made->constant = value;
  // Not `known`: constants have been added since.
  return constants[key] = made;
}

Tensor GraphBuilder::scalar(int64_t value, proto::DataType type) {
  auto one = std::make_shared<Elements>();
  one->type.element = type;
  one->bytes = encode(value, type);
  return constant(one);
}

Tensor GraphBuilder::number(double value, proto::DataType type) {
  auto one = std::make_shared<Elements>();
  one->type.element = type;
  one->bytes = encode(value, type);
  return constant(one);
}

Tensor GraphBuilder::like(double value, const Tensor &tensor) {
  return number(value, tensor->type);
}

Tensor GraphBuilder::zeros(const TensorType &type) {
  auto elements = std::make_shared<Elements>();
  elements->type = type;
  elements->isSplat = !type.shape.empty();
  if (numElements(type.shape).value_or(0) > 0)
    elements->bytes = std::string(sizeOf(type.element), 0);
  return constant(elements);
}

Tensor GraphBuilder::sizes(ArrayRef<int64_t> values) {
  auto elements = std::make_shared<Elements>();
  elements->type.element = proto::DT_INT32;
  elements->type.shape = {static_cast<int64_t>(values.size())};
  for (int64_t value : values)
    elements->bytes += encode(value, proto::DT_INT32);
  // Sizes stay a Const, also if all are equal: the importer reads them.
  proto::AttrValue attribute;
  proto::TensorProto &tensor = *attribute.mutable_tensor();
  tensor.set_dtype(proto::DT_INT32);
  *tensor.mutable_tensor_shape() = exporter::toShape(elements->type.shape);
  tensor.set_tensor_content(elements->bytes);
  Tensor &known = constants["sizes:" + elements->bytes];
  if (known)
    return known;
  std::string outer = std::move(path);
  path.clear();
  known =
      node("Const", {}, proto::DT_INT32, elements->type.shape,
           {{"value", attribute}, {"dtype", exporter::type(proto::DT_INT32)}});
  path = std::move(outer);
  known->constant = elements;
  return known;
}

Tensor GraphBuilder::strings(ArrayRef<StringRef> values, bool isScalar,
                             StringRef name) {
  AttributeMap attributes = {{"value", isScalar
                                           ? exporter::string(values.front())
                                           : exporter::strings(values)},
                             {"dtype", exporter::type(proto::DT_STRING)}};
  Sizes shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(values.size()));
  std::string outer = std::move(path);
  path.clear();
  Tensor made =
      node("Const", {}, proto::DT_STRING, shape, std::move(attributes), name);
  path = std::move(outer);
  return made;
}

} // namespace ingot::stablehlo
