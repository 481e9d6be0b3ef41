//===- DataFormatOps.cpp - Dimensions of other image layouts --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports the ops that TensorFlow's layout optimizer inserts: they translate
// indices of dimensions, and lists with a number or a pair of numbers for each
// dimension, from one layout of images to another. A layout is a string with a
// letter for each dimension, such as NHWC.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/ArithmeticDecomposition.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// The node's attributes src_format and dst_format, such as NHWC and NCHW.
struct DataFormatPair {
  std::string from, to;
};
} // namespace

// Returns whether each letter of `from` occurs once in both strings.
static bool isPermutation(StringRef from, StringRef to) {
  return from.size() == to.size() && llvm::all_of(from, [&](char letter) {
           return from.count(letter) == 1 && to.count(letter) == 1;
         });
}

static std::optional<DataFormatPair> readLayouts(NodeImport &node) {
  DataFormatPair layouts = {node.attributes.getString("src_format", "NHWC"),
                            node.attributes.getString("dst_format", "NCHW")};
  auto isWrong = [](StringRef format) {
    return format.size() != 4 && format.size() != 5;
  };
  if (isWrong(layouts.from))
    node.malformed("Source format must be of length 4 or 5, received "
                   "src_format = " +
                   layouts.from);
  else if (isWrong(layouts.to))
    node.malformed("Destination format must be of length 4 or 5, received "
                   "dst_format = " +
                   layouts.to);
  else if (!isPermutation(layouts.from, layouts.to))
    node.malformed("Destination and source format must determine a "
                   "permutation, got " +
                   layouts.from + " and " + layouts.to);
  if (node.hasFailed())
    return std::nullopt;
  return layouts;
}

// Returns, for each letter of `to`, its index in `from`.
static SmallVector<int64_t> findLetters(StringRef to, StringRef from) {
  return llvm::map_to_vector(
      to, [&](char letter) { return static_cast<int64_t>(from.find(letter)); });
}

// Imports DataFormatDimMap: translates indices of dimensions. An index is taken
// modulo the number of dimensions, n, so negative indices count from the last
// dimension. For indices below -n, TensorFlow would read out of bounds.
static void importDimMap(NodeImport &node) {
  ArithmeticDecomposition parts(node);
  std::optional<DataFormatPair> layouts =
      parts ? readLayouts(node) : std::nullopt;
  if (!layouts)
    return;
  Value x = parts.inputs[0];
  Type type = getElementTypeOrSelf(x);
  Value count = parts.scalar(layouts->from.size(), type);
  Value table = parts.vector(findLetters(layouts->from, layouts->to), type);
  parts.finish(parts.make<GatherOp>(
      {table, parts.make<FloorModOp>({x, count}), parts.i32(0)}));
}

// Returns `layout` without the letters of the dimensions for batch and channel.
static std::string spatialLetters(StringRef layout) {
  std::string letters;
  llvm::copy_if(layout, std::back_inserter(letters),
                [](char letter) { return StringRef("DHW").contains(letter); });
  return letters;
}

// Returns, for each row of the result of DataFormatVecPermute, the index of
// this row in the operand. `count` is the number of letters of a layout. The
// operand has `count` rows or, if it lists spatial dimensions only, `count` -
// 2.
static Value findSources(ArithmeticDecomposition &parts,
                         const DataFormatPair &layouts, int64_t count) {
  Value x = parts.inputs[0];
  SmallVector<int64_t> all = findLetters(layouts.to, layouts.from);
  SmallVector<int64_t> spatial =
      findLetters(spatialLetters(layouts.to), spatialLetters(layouts.from));
  int64_t size = getTensorShape(x.getType())->front();
  Type i64 = parts.builder.getI64Type();
  if (size == count)
    return parts.vector(all, i64);
  if (static_cast<int64_t>(spatial.size()) != count - 2) {
    parts.node.unsupported("formats must have the spatial dimensions " +
                           Twine(count == 4 ? "H and W" : "D, H and W"));
    return {};
  }
  if (size == count - 2)
    return parts.vector(spatial, i64);
  // The operand's number of rows is known only at run time. So the operand may
  // list all dimensions, or only the spatial ones. Concatenate the row indices
  // for both cases, those for all dimensions first, and select the right ones
  // at run time.
  llvm::append_range(all, spatial);
  Value given = parts.size(x, 0), longer = parts.integer64(count);
  Value isLonger = parts.make<EqualOp>({given, longer});
  Value start = parts.select(isLonger, parts.integer64(0), longer);
  return parts.make<GatherOp>({parts.vector(all, i64),
                               parts.add(parts.range(given), start),
                               parts.i32(0)});
}

static void importVecPermute(NodeImport &node) {
  ArithmeticDecomposition parts(node);
  std::optional<DataFormatPair> layouts =
      parts ? readLayouts(node) : std::nullopt;
  if (!layouts)
    return;
  Value x = parts.inputs[0];
  Shape shape = getTensorShape(x.getType());
  if (!shape)
    return node.unsupported(
        "input has unknown rank; state its shape, as with tf.ensure_shape");
  if (shape->size() != 1 && shape->size() != 2)
    return node.malformed("input must be a vector or 2D tensor: " +
                          node.describeInputs());
  bool isVector = shape->size() == 1, isShort = layouts->from.size() == 4;
  parts.requireNumbers(parts.size(x, 0),
                       isVector  ? isShort ? "vector_of_4" : "vector_of_5"
                       : isShort ? "pairs_of_4"
                                 : "pairs_of_5");
  if (!isVector)
    parts.requireNumbers(parts.size(x, 1), "pair");
  auto count = static_cast<int64_t>(layouts->from.size());
  parts.finish(parts.make<GatherOp>(
      {x, findSources(parts, *layouts, count), parts.i32(0)}));
}

void addDataFormatOps(OpTable &table) {
  static const std::vector<AttributeSpec> formats = {{"src_format"},
                                                     {"dst_format"}};
  static const std::vector<ImportedOp> functions = {
      {{"DataFormatDimMap", 1, "", formats}, importDimMap},
      {{"DataFormatVecPermute", 1, "", formats}, importVecPermute}};
  addImportedOps(table, functions);
}

} // namespace ingot::importer
