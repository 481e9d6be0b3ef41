//===- NDHWCNodeReader.cpp - Ops on volumes (3-D images) ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Ops/NDHWCNodeReader.h"

#include "compiler/Import/Ops/ImageLayouts.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/RearrangeOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr int64_t dynamic = ShapedType::kDynamic;

NDHWCNodeReader::NDHWCNodeReader(NodeImport &node)
    : node(node),
      padding(node.named("padding", UnitAttr::get(node.context()))) {
  static constexpr StringRef known[] = {"T",         "TInput",     "Tshape",
                                        "ksize",     "strides",    "padding",
                                        "dilations", "data_format"};
  if (node.hasFailed() || !knowsAttributes(node, known))
    return;
  std::string format = node.attributes.getString("data_format", "NDHWC");
  std::string text = node.attributes.getString("padding", "");
  channelsFirst = format == "NCDHW";
  isSame = text == "SAME";
  padding = node.named("padding", node.body.builder.getStringAttr(text));
  if (!channelsFirst && format != "NDHWC") {
    node.unsupported("data_format '" + format + "', expected NDHWC or NCDHW");
    return;
  }
  if (!isSame && text != "VALID") {
    node.malformed("attribute 'padding' must be SAME or VALID, but is '" +
                   text + "'");
    return;
  }
  isGood = true;
  strides = readTriple("strides");
  dilations = readTriple("dilations");
}

Triple NDHWCNodeReader::readTriple(StringRef attribute) {
  std::vector<int64_t> list(5, 1);
  if (node.attributes.has(attribute))
    list = node.attributes.getInts(attribute);
  unsigned depth = channelsFirst ? 2 : 1;
  isGood &= list.size() == 5;
  if (list.size() != 5) {
    node.malformed("attribute '" + attribute + "' has " + Twine(list.size()) +
                   " numbers, not 5");
    return {};
  }
  isGood &= node.attributes.error().empty();
  if (list[0] != 1 || list[channelsFirst ? 1 : 4] != 1) {
    isGood = false;
    node.unsupported("attribute '" + attribute +
                     "' must be 1 along the batch and the channels, but is " +
                     Twine(list[0]) + " and " +
                     Twine(list[channelsFirst ? 1 : 4]));
  }
  for (unsigned i = depth; i < depth + 3; ++i)
    if (list[i] < 1 || list[i] > (1 << 20)) {
      isGood = false;
      node.malformed("attribute '" + attribute +
                     "' must have numbers from 1 to 1048576, but has " +
                     Twine(list[i]));
      return {};
    }
  return {list[depth], list[depth + 1], list[depth + 2]};
}

Value NDHWCNodeReader::vector(ArrayRef<int64_t> numbers) {
  OpBuilder &builder = node.body.builder;
  return createConstant(builder, node.loc, builder.getI64TensorAttr(numbers));
}

Value NDHWCNodeReader::axis(int32_t dim) {
  OpBuilder &builder = node.body.builder;
  return createConstant(
      builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                             dim));
}

Value NDHWCNodeReader::number(Type type, double value) {
  OpBuilder &builder = node.body.builder;
  return createConstant(
      builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, type),
                             builder.getFloatAttr(type, value)));
}

NamedAttribute NDHWCNodeReader::pair(StringRef name, int64_t first,
                                     int64_t second) {
  return node.named(name,
                    node.body.builder.getDenseI64ArrayAttr({first, second}));
}

Value NDHWCNodeReader::permuted(Value value, ArrayRef<int32_t> order) {
  OpBuilder &builder = node.body.builder;
  return make<TransposeOp>(
      {value,
       createConstant(builder, node.loc, builder.getI32TensorAttr(order))});
}

Value NDHWCNodeReader::reshaped(Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sizes(dims);
  for (int64_t &size : sizes)
    if (size == dynamic)
      size = -1;
  return make<ReshapeOp>({value, vector(sizes)});
}

Value NDHWCNodeReader::volume(size_t index) {
  Value value = node.tensor(index);
  if (!value)
    return {};
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    node.unsupported("a volume (an image of depth, height and width) of "
                     "unknown rank; state its shape, as with tf.ensure_shape");
    return {};
  }
  if (type.getRank() != 5) {
    node.malformed("expected volumes of rank 5, got " + Twine(type.getRank()));
    return {};
  }
  if (llvm::is_contained(type.getShape().drop_front(), dynamic)) {
    node.unsupported("volumes with dynamic sizes besides the batch; state "
                     "their shape, as with tf.ensure_shape");
    return {};
  }
  return channelsFirst ? permuted(value, {0, 2, 3, 4, 1}) : value;
}

SmallVector<int64_t> NDHWCNodeReader::volumeShape(size_t index) {
  Value shape = node.tensor(index);
  if (!shape)
    return {};
  std::optional<SmallVector<int64_t>> dims = getPartialInts(shape);
  if (!dims || llvm::any_of(ArrayRef(*dims).drop_front(),
                            [](int64_t dim) { return dim < 0; })) {
    node.unsupported("volumes with dynamic sizes besides the batch; state "
                     "their shape, as with tf.ensure_shape");
    return {};
  }
  if (dims->size() != 5) {
    node.malformed("expected a volume shape of 5 numbers, got " +
                   Twine(dims->size()));
    return {};
  }
  if (dims->front() < 0)
    dims->front() = dynamic;
  if (channelsFirst)
    std::rotate(dims->begin() + 1, dims->begin() + 2, dims->end());
  return *dims;
}

Value NDHWCNodeReader::imageShape(size_t index, int64_t copies,
                                  ArrayRef<int64_t> rest) {
  Value shape = node.tensor(index);
  if (!shape)
    return {};
  Value sizes = make<CastOp>(
      {shape},
      node.named("dst", TypeAttr::get(node.body.builder.getI64Type())));
  Value batch = make<MulOp>({slice(sizes, 0, 0, 1), vector({copies})});
  return make<ConcatOp>({axis(0), batch, vector(rest)});
}

void NDHWCNodeReader::finish(Value volume) {
  if (volume && channelsFirst)
    volume = permuted(volume, {0, 4, 1, 2, 3});
  if (volume)
    node.setOutput(0, volume);
}

std::optional<NDHWCWindowDim>
NDHWCNodeReader::places(unsigned dim, int64_t input, int64_t size) {
  int64_t step = strides[dim], reach = (size - 1) * dilations[dim] + 1;
  NDHWCWindowDim places;
  if (isSame) {
    places.count = (input + step - 1) / step;
    int64_t all =
        std::max<int64_t>((places.count - 1) * step + reach - input, 0);
    places.before = all / 2;
    places.after = all - places.before;
  } else if (input >= reach) {
    places.count = (input - reach) / step + 1;
  }
  if (places.count > 0)
    return places;
  StringRef dims[] = {"depth", "height", "width"};
  node.malformed("a window of " + dims[dim] + " " + Twine(reach) +
                 " does not fit into a volume of " + dims[dim] + " " +
                 Twine(input));
  return std::nullopt;
}

Value NDHWCNodeReader::planes(Value volume) {
  if (!volume)
    return {};
  ArrayRef<int64_t> dims = dimsOf(volume);
  int64_t count = dims[0] == dynamic ? dynamic : dims[0] * dims[1];
  return reshaped(volume, {count, dims[2], dims[3], dims[4]});
}

Value NDHWCNodeReader::columns(Value volume) {
  if (!volume)
    return {};
  ArrayRef<int64_t> dims = dimsOf(volume);
  return reshaped(volume, {dims[0], dims[1], dims[2] * dims[3], dims[4]});
}

Value NDHWCNodeReader::fromPlanes(Value planes, int64_t depth) {
  if (!planes)
    return {};
  ArrayRef<int64_t> dims = dimsOf(planes);
  int64_t batch = dims[0] == dynamic ? dynamic : dims[0] / depth;
  return reshaped(planes, {batch, depth, dims[1], dims[2], dims[3]});
}

Value NDHWCNodeReader::fromColumns(Value columns, int64_t height,
                                   int64_t width) {
  if (!columns)
    return {};
  ArrayRef<int64_t> dims = dimsOf(columns);
  return reshaped(columns, {dims[0], dims[1], height, width, dims[3]});
}

Value NDHWCNodeReader::slice(Value value, unsigned dim, int64_t begin,
                             int64_t end, int64_t step) {
  if (!value)
    return {};
  ArrayRef<int64_t> dims = dimsOf(value);
  if (begin == 0 && end == dims[dim] && step == 1)
    return value;
  SmallVector<int64_t> first(dims.size(), 0), last(dims.size(), 0),
      steps(dims.size(), 1);
  first[dim] = begin;
  last[dim] = end;
  steps[dim] = step;
  // Slice only `dim`: the set bits of the begin and end masks tell the op to
  // ignore `begin` and `end` in all other dimensions.
  NamedAttribute masks[] = {
      node.named("begin_mask", node.body.builder.getI64IntegerAttr(
                                   ((1 << dims.size()) - 1) & ~(1 << dim))),
      node.named("end_mask", node.body.builder.getI64IntegerAttr(
                                 ((1 << dims.size()) - 1) & ~(1 << dim)))};
  return make<StridedSliceOp>(
      {value, vector(first), vector(last), vector(steps)}, masks);
}

Value NDHWCNodeReader::padded(Value value, unsigned dim, int64_t before,
                              int64_t after) {
  if (!value || (before == 0 && after == 0))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  OpBuilder &builder = node.body.builder;
  SmallVector<int64_t> widths(2 * type.getRank(), 0);
  widths[2 * dim] = before;
  widths[2 * dim + 1] = after;
  auto widthsType =
      RankedTensorType::get({type.getRank(), 2}, builder.getI64Type());
  Value zero = createConstant(
      builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()),
                             builder.getZeroAttr(type.getElementType())));
  return make<PadOp>(
      {value,
       createConstant(builder, node.loc,
                      DenseElementsAttr::get(widthsType, ArrayRef(widths))),
       zero});
}

Value NDHWCNodeReader::spread(Value value, unsigned dim, int64_t step,
                              int64_t first, int64_t length, int64_t copies) {
  if (!value)
    return {};
  SmallVector<int64_t> dims(dimsOf(value));
  int64_t size = dims[dim] * step;
  if (step > 1) {
    // Insert a dimension of size `step` after `dim` that holds `copies` copies
    // of each element, followed by zeros. Then merge it with `dim`.
    SmallVector<int64_t> apart(dims), multiples(dims.size() + 1, 1);
    apart.insert(apart.begin() + dim + 1, 1);
    multiples[dim + 1] = copies;
    value = reshaped(value, apart);
    if (copies > 1)
      value = make<TileOp>({value, vector(multiples)});
    dims[dim] = size;
    value = reshaped(padded(value, dim + 1, 0, step - copies), dims);
  }
  int64_t begin = std::max<int64_t>(-first, 0);
  int64_t end = std::min(size, length - first);
  if (begin >= end)
    return {};
  return padded(slice(value, dim, begin, end), dim, first + begin,
                length - first - end);
}

Value NDHWCNodeReader::sum(ArrayRef<Value> values) {
  return values.size() == 1 ? values.front() : make<AddNOp>(values);
}

} // namespace ingot::importer
