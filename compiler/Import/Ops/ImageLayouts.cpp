//===- ImageLayouts.cpp - Image ops in NHWC and NCHW layout ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Ops/ImageLayouts.h"

#include "dialects/Ingot/IR/TensorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

bool knowsAttributes(NodeImport &node, ArrayRef<StringRef> known) {
  std::string first;
  for (const auto &[name, value] : node.node.def->attr())
    if (!StringRef(name).starts_with("_") && !llvm::is_contained(known, name) &&
        (first.empty() || name < first))
      first = name;
  if (first.empty())
    return true;
  node.unsupported("unknown attribute '" + first + "'");
  return false;
}

NHWCNodeReader::NHWCNodeReader(NodeImport &node, ArrayRef<StringRef> known)
    : node(node) {
  SmallVector<StringRef> all(known);
  all.append({"T", "data_format", "use_cudnn_on_gpu"});
  if (!knowsAttributes(node, all))
    return;
  std::string format = node.attributes.getString("data_format", "NHWC");
  channelsFirst = format == "NCHW" || format == "NCDHW";
  if (format == "NCDHW" || format == "NDHWC")
    rank = 5;
  else if (format != "NCHW" && format != "NHWC")
    node.unsupported("data_format '" + format +
                     "', expected NHWC, NCHW, NDHWC or NCDHW");
}

Value NHWCNodeReader::transposed(Value value, bool toLast) {
  if (!channelsFirst || !value)
    return value;
  SmallVector<int32_t> order = {0};
  if (!toLast)
    order.push_back(rank - 1);
  for (int32_t dim = 1; dim + 1 < rank; ++dim)
    order.push_back(toLast ? dim + 1 : dim);
  if (toLast)
    order.push_back(1);
  OpBuilder &builder = node.body.builder;
  Value permutation =
      createConstant(builder, node.loc, builder.getI32TensorAttr(order));
  Operation *op = node.create<TransposeOp>({value, permutation});
  return op ? op->getResult(0) : Value();
}

Value NHWCNodeReader::image(size_t index) {
  return transposed(node.tensor(index), /*toLast=*/true);
}

void NHWCNodeReader::setImage(int port, Value value) {
  if (Value result = transposed(value, /*toLast=*/false))
    node.setOutput(port, result);
}

Value NHWCNodeReader::imageShape(size_t index) {
  Value shape = node.tensor(index);
  if (!shape || !channelsFirst)
    return shape;
  OpBuilder &builder = node.body.builder;
  if (std::optional<SmallVector<int64_t>> dims = getConstantInts(shape);
      dims && dims->size() == 4) {
    int64_t last[] = {(*dims)[0], (*dims)[2], (*dims)[3], (*dims)[1]};
    return createConstant(builder, node.loc, builder.getI64TensorAttr(last));
  }
  if (auto shapeOf = shape.getDefiningOp<ShapeOp>()) {
    Value image = transposed(shapeOf.getInput(), /*toLast=*/true);
    Operation *op =
        image ? node.create<ShapeOp>(
                    {image}, node.named("output_type",
                                        TypeAttr::get(builder.getI32Type())))
              : nullptr;
    return op ? op->getResult(0) : Value();
  }
  node.unsupported("a shape of NCHW images that is neither constant nor the "
                   "shape of a tensor");
  return {};
}

bool NHWCNodeReader::pick(ArrayRef<int64_t> list, StringRef what,
                          SmallVectorImpl<int64_t> &pair) {
  if (list.size() != 4) {
    node.malformed(Twine(what) + " has " + Twine(list.size()) +
                   " numbers, not 4");
    return false;
  }
  unsigned height = channelsFirst ? 2 : 1;
  if (list[0] != 1 || list[channelsFirst ? 1 : 3] != 1) {
    node.unsupported(
        what + " must be 1 along the batch and the channels, but is " +
        Twine(list[0]) + " and " + Twine(list[channelsFirst ? 1 : 3]));
    return false;
  }
  pair.assign({list[height], list[height + 1]});
  return true;
}

bool NHWCNodeReader::readPair(StringRef attribute,
                              SmallVectorImpl<int64_t> &pair) {
  std::vector<int64_t> list(4, 1);
  if (node.attributes.has(attribute))
    list = node.attributes.getInts(attribute);
  return pick(list, ("attribute '" + attribute + "'").str(), pair);
}

bool NHWCNodeReader::readPair(size_t input, StringRef what,
                              SmallVectorImpl<int64_t> &pair) {
  Value value = node.tensor(input);
  if (!value)
    return false;
  std::optional<SmallVector<int64_t>> list = getConstantInts(value);
  if (!list) {
    node.unsupported(Twine(what) + " must be a constant");
    return false;
  }
  return pick(*list, what, pair);
}

NamedAttribute NHWCNodeReader::pair(StringRef name, ArrayRef<int64_t> numbers) {
  return node.named(name, node.body.builder.getDenseI64ArrayAttr(numbers));
}

bool NHWCNodeReader::readPadding(SmallVectorImpl<NamedAttribute> &attributes) {
  std::string padding = node.attributes.getString("padding", "");
  attributes.push_back(
      node.named("padding", node.body.builder.getStringAttr(padding)));
  if (padding != "EXPLICIT")
    return true;
  std::vector<int64_t> list = node.attributes.getInts("explicit_paddings");
  unsigned height = channelsFirst ? 4 : 2, channels = channelsFirst ? 2 : 6;
  if (list.size() != 8 || list[0] || list[1] || list[channels] ||
      list[channels + 1]) {
    node.malformed("attribute 'explicit_paddings' must have 8 numbers, 0 for "
                   "the batch and the channels");
    return false;
  }
  attributes.push_back(
      pair("explicit_paddings", ArrayRef<int64_t>(list).slice(height, 4)));
  return true;
}

bool NHWCNodeReader::readWindow(bool dilates,
                                SmallVectorImpl<NamedAttribute> &attributes) {
  SmallVector<int64_t> strides, dilations;
  if (!readPair("strides", strides))
    return false;
  attributes.push_back(pair("strides", strides));
  if (dilates) {
    if (!readPair("dilations", dilations))
      return false;
    attributes.push_back(pair("dilations", dilations));
  }
  return readPadding(attributes);
}

} // namespace ingot::importer
