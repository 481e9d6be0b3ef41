//===- Constants.cpp - Constant tensors of graphs -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/Constants.h"

#include "compiler/Import/Graph/ConvertTypes.h"
#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

#include <complex>

using namespace mlir;

namespace ingot::importer {

// The maximum size, in bytes, of a constant whose TensorProto states fewer
// values than the constant has elements. Without this limit, a few bytes of a
// file could expand to gigabytes of memory. The TensorProto of a larger
// constant must state all values, or a single value (a splat).
static constexpr int64_t maxExpandedBytes = int64_t(1) << 28;

// Expands the values of a TensorProto to `count` elements by repeating the last
// value, or zero if there are no values. If there is at most one value, returns
// only one element, that of a splat. Returns std::nullopt if there are more
// than `count` values, or if the result exceeds `maxExpandedBytes`.
template <typename T, typename Values>
static std::optional<std::vector<T>> expand(const Values &values,
                                            int64_t count) {
  if (static_cast<int64_t>(values.size()) > count)
    return std::nullopt;
  // Store one element for a splat, whatever the tensor's size.
  if (values.size() <= 1)
    return std::vector<T>(1, values.size() ? static_cast<T>(*values.begin())
                                           : T());
  if (static_cast<int64_t>(values.size()) < count &&
      count > maxExpandedBytes / static_cast<int64_t>(sizeof(T)))
    return std::nullopt;
  std::vector<T> result(values.begin(), values.end());
  result.resize(count, result.back());
  return result;
}

template <typename T>
static ElementsAttr makeElements(RankedTensorType type,
                                 const std::optional<std::vector<T>> &values) {
  if (!values)
    return {};
  size_t size = type.getNumElements() ? values->size() * sizeof(T) : 0;
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(values->data()), size));
}

static ElementsAttr makeBools(RankedTensorType type, ArrayRef<char> values) {
  SmallVector<bool> bools;
  for (char value : values)
    bools.push_back(value != 0);
  return DenseElementsAttr::get(type, ArrayRef<bool>(bools));
}

ElementsAttr convertBytes(RankedTensorType type, llvm::StringRef content,
                          std::string &error) {
  Type element = mlir::ingot::storedElementType(type.getElementType());
  if (isa<mlir::ingot::StringType>(type.getElementType())) {
    error = "strings, expected numbers";
    return {};
  }
  int64_t width =
      element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
  if (static_cast<int64_t>(content.size()) != type.getNumElements() * width) {
    error = std::to_string(content.size()) +
            " bytes of data, but its type and shape need " +
            std::to_string(type.getNumElements() * width);
    return {};
  }
  ArrayRef<char> bytes(content.data(), content.size());
  if (element.isInteger(1))
    return makeBools(type, bytes);
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// Returns the complex numbers in `values`, which lists the real and the
/// imaginary part of each number.
template <typename T>
static std::optional<std::vector<std::complex<T>>>
expandPairs(llvm::ArrayRef<T> values, int64_t count) {
  std::vector<std::complex<T>> pairs;
  if (values.size() % 2 != 0)
    return std::nullopt;
  for (size_t i = 0; i < values.size(); i += 2)
    pairs.emplace_back(values[i], values[i + 1]);
  return expand<std::complex<T>>(pairs, count);
}

static ElementsAttr fromValues(RankedTensorType type,
                               const proto::TensorProto &tensor) {
  int64_t count = type.getNumElements();
  switch (tensor.dtype()) {
  case proto::DT_FLOAT:
    return makeElements(type, expand<float>(tensor.float_val(), count));
  case proto::DT_DOUBLE:
    return makeElements(type, expand<double>(tensor.double_val(), count));
  case proto::DT_HALF:
  case proto::DT_BFLOAT16:
    return makeElements(type, expand<uint16_t>(tensor.half_val(), count));
  case proto::DT_INT8:
    return makeElements(type, expand<int8_t>(tensor.int_val(), count));
  case proto::DT_UINT8:
    return makeElements(type, expand<uint8_t>(tensor.int_val(), count));
  case proto::DT_INT16:
    return makeElements(type, expand<int16_t>(tensor.int_val(), count));
  case proto::DT_UINT16:
    return makeElements(type, expand<uint16_t>(tensor.int_val(), count));
  case proto::DT_INT32:
    return makeElements(type, expand<int32_t>(tensor.int_val(), count));
  case proto::DT_UINT32:
    return makeElements(type, expand<uint32_t>(tensor.uint32_val(), count));
  case proto::DT_INT64:
    return makeElements(type, expand<int64_t>(tensor.int64_val(), count));
  case proto::DT_UINT64:
    return makeElements(type, expand<uint64_t>(tensor.uint64_val(), count));
  case proto::DT_COMPLEX64:
    return makeElements(
        type,
        expandPairs<float>({tensor.scomplex_val().data(),
                            static_cast<size_t>(tensor.scomplex_val_size())},
                           count));
  case proto::DT_COMPLEX128:
    return makeElements(
        type,
        expandPairs<double>({tensor.dcomplex_val().data(),
                             static_cast<size_t>(tensor.dcomplex_val_size())},
                            count));
  case proto::DT_BOOL: {
    std::optional<std::vector<char>> values =
        expand<char>(tensor.bool_val(), count);
    if (!values)
      return {};
    return makeBools(type, ArrayRef<char>(*values).take_front(count));
  }
  case proto::DT_STRING: {
    std::optional<std::vector<std::string>> values = getStrings(tensor);
    if (!values)
      return {};
    SmallVector<llvm::StringRef> strings(values->begin(), values->end());
    return DenseStringElementsAttr::get(type, strings);
  }
  default:
    return {};
  }
}

ElementsAttr convertTensor(const proto::TensorProto &tensor,
                           MLIRContext *context, std::string &error) {
  TensorType type =
      convertTensorType(tensor.dtype(), &tensor.tensor_shape(), context, error);
  if (!type)
    return {};
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || !ranked.hasStaticShape()) {
    error = "its shape must be static, but it is " + describeType(type);
    return {};
  }
  if (!tensor.tensor_content().empty() && tensor.dtype() != proto::DT_STRING)
    return convertBytes(ranked, tensor.tensor_content(), error);
  ElementsAttr value = fromValues(ranked, tensor);
  if (!value)
    error = "expected a value for each of the " +
            std::to_string(ranked.getNumElements()) +
            " elements of its shape, or fewer, of which the last is repeated "
            "(up to 256 MiB)";
  return value;
}

// Splits the raw content of a string tensor: the sizes of all strings as
// varints, then their bytes. Returns std::nullopt if `content` is not
// well-formed.
static std::optional<std::vector<std::string>> splitStrings(StringRef content,
                                                            int64_t count) {
  std::vector<uint64_t> sizes;
  uint64_t total = 0;
  while (static_cast<int64_t>(sizes.size()) < count) {
    unsigned length = 0;
    const char *error = nullptr;
    sizes.push_back(llvm::decodeULEB128(content.bytes_begin(), &length,
                                        content.bytes_end(), &error));
    if (error || sizes.back() > content.size())
      return std::nullopt;
    total += sizes.back();
    content = content.drop_front(length);
  }
  if (total != content.size())
    return std::nullopt;
  std::vector<std::string> strings;
  for (uint64_t size : sizes) {
    strings.push_back(content.take_front(size).str());
    content = content.drop_front(size);
  }
  return strings;
}

std::optional<std::vector<std::string>>
getStrings(const proto::TensorProto &tensor) {
  if (tensor.dtype() != proto::DT_STRING ||
      tensor.tensor_shape().unknown_rank())
    return std::nullopt;
  int64_t count = 1;
  for (const proto::TensorShapeProto::Dim &dim : tensor.tensor_shape().dim()) {
    if (dim.size() < 0 || (dim.size() > 0 && count > (1 << 22) / dim.size()))
      return std::nullopt;
    count *= dim.size();
  }
  if (!tensor.tensor_content().empty())
    return splitStrings(tensor.tensor_content(), count);
  if (tensor.string_val_size() > count)
    return std::nullopt;
  std::vector<std::string> strings(tensor.string_val().begin(),
                                   tensor.string_val().end());
  strings.resize(count, strings.empty() ? "" : strings.back());
  return strings;
}

} // namespace ingot::importer
