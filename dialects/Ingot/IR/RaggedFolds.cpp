//===- RaggedFolds.cpp - Folds of ops on ragged tensors -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Serializes constant ragged tensors at compile time, because a dataset of the
// rows of such a tensor needs constants. The format is that of
// runtime/Ops/RaggedStrings.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/RaggedOps.h"

using namespace mlir;
using namespace mlir::ingot;

static std::string bytesOf(int64_t number) {
  return std::string(reinterpret_cast<const char *>(&number), sizeof(number));
}

/// Returns the bytes of elements [begin, end) of a constant, in the format of a
/// serialized ragged tensor. Returns std::nullopt if the constant is a dialect
/// resource, or its elements are not integers, floats or strings.
static std::optional<std::string> bytesOf(ElementsAttr values, int64_t begin,
                                          int64_t end) {
  std::string bytes;
  if (auto texts = dyn_cast<DenseStringElementsAttr>(values)) {
    for (int64_t i = begin; i < end; ++i) {
      StringRef text = texts.getValues<StringRef>()[i];
      bytes += bytesOf(static_cast<int64_t>(text.size()));
      bytes += text;
    }
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(values);
  Type element = values.getElementType();
  if (!dense || !element.isIntOrFloat())
    return std::nullopt;
  if (element.isInteger(1)) {
    for (int64_t i = begin; i < end; ++i)
      bytes += static_cast<char>(dense.getValues<bool>()[i]);
    return bytes;
  }
  size_t size = element.getIntOrFloatBitWidth() / 8;
  for (int64_t i = begin; i < end; ++i)
    bytes += StringRef(
        dense.getRawData().data() + (dense.isSplat() ? 0 : i * size), size);
  return bytes;
}

namespace {
/// A constant ragged tensor.
struct ConstantRagged {
  std::vector<std::vector<int64_t>> splits;
  ElementsAttr values;

  /// Returns whether the splits of each level begin at 0, do not decrease, and
  /// end at the number of rows of the next level.
  bool isValid() const {
    for (size_t level = 0; level < splits.size(); ++level) {
      const std::vector<int64_t> &ends = splits[level];
      int64_t rows = level + 1 < splits.size()
                         ? static_cast<int64_t>(splits[level + 1].size()) - 1
                         : values.getShapedType().getDimSize(0);
      if (ends.empty() || ends.front() != 0 || ends.back() != rows ||
          !llvm::is_sorted(ends))
        return false;
    }
    return true;
  }

  /// Appends rows [begin, end) of ragged dimension `level` to `to`. Returns
  /// false if that is not possible.
  bool write(size_t level, int64_t begin, int64_t end,
             std::vector<std::string> &to) const {
    for (; level < splits.size(); ++level) {
      std::string bytes;
      for (int64_t i = begin; i <= end; ++i)
        bytes += bytesOf(splits[level][i] - splits[level][begin]);
      to.push_back(bytes);
      end = splits[level][end];
      begin = splits[level][begin];
    }
    ArrayRef<int64_t> dims = values.getShapedType().getShape();
    int64_t perRow = 1;
    for (int64_t dim : dims.drop_front())
      perRow *= dim;
    std::optional<std::string> bytes =
        bytesOf(values, begin * perRow, end * perRow);
    to.push_back(bytes.value_or(""));
    to.push_back(bytesOf(end - begin));
    for (int64_t dim : dims.drop_front())
      to.push_back(bytesOf(dim));
    return bytes.has_value();
  }
};
} // namespace

OpFoldResult SerializeRaggedOp::fold(FoldAdaptor adaptor) {
  ConstantRagged ragged;
  ragged.values = dyn_cast_or_null<ElementsAttr>(adaptor.getValues());
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!ragged.values || !type || adaptor.getNestedSplits().empty())
    return {};
  for (Attribute splits : adaptor.getNestedSplits()) {
    auto numbers = dyn_cast_or_null<DenseIntElementsAttr>(splits);
    if (!numbers)
      return {};
    std::vector<int64_t> &level = ragged.splits.emplace_back();
    for (const APInt &number : numbers.getValues<APInt>())
      level.push_back(number.getSExtValue());
  }
  if (!ragged.isValid())
    return {};
  std::vector<std::string> texts;
  int64_t rows = static_cast<int64_t>(ragged.splits[0].size()) - 1;
  if (!getBatched() && !ragged.write(0, 0, rows, texts))
    return {};
  for (int64_t row = 0; getBatched() && row < rows; ++row)
    if (!ragged.write(1, ragged.splits[0][row], ragged.splits[0][row + 1],
                      texts))
      return {};
  if (!type.hasStaticShape() ||
      type.getNumElements() != static_cast<int64_t>(texts.size()))
    return {};
  return DenseStringElementsAttr::get(
      type, SmallVector<StringRef>(texts.begin(), texts.end()));
}
