//===- NpyArray.cpp - Converts tensors to NumPy arrays --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/OutputFile.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Formats/Npy.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

/// Converts bfloat16 elements to float32, as NumPy has no bfloat16.
static std::string widened(const std::string &bytes) {
  std::string wide;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    uint16_t bits;
    std::memcpy(&bits, bytes.data() + i, sizeof(bits));
    float value = bfloat16ToFloat(bits);
    wide.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  return wide;
}

/// Returns an array of NumPy's type 'S', in which all strings have the width of
/// the longest. Shorter strings end in zero bytes, which NumPy removes when it
/// reads them.
static Expected<NpyArray> stringArray(const Shape &shape,
                                      const std::vector<std::string> &strings) {
  // The size limit of the array in bytes. One long string among many short ones
  // would make a huge array, because all elements have its width.
  constexpr uint64_t largest = 1 << 30;
  size_t width = 1;
  for (const std::string &text : strings) {
    width = std::max(width, text.size());
    if (text.ends_with('\0'))
      return Status(StatusCode::InvalidArgument,
                    "cannot be written to a .npy file: an element ends in a "
                    "zero byte, which NumPy would drop");
  }
  if (width > largest / std::max<size_t>(strings.size(), 1))
    return Status(StatusCode::InvalidArgument,
                  "would take more than 1 GiB, as NumPy gives all elements the "
                  "size of the longest, " +
                      std::to_string(width) + " bytes");
  NpyArray array;
  array.header = npyHeader("|S" + std::to_string(width), shape);
  for (const std::string &text : strings) {
    array.bytes += text;
    array.bytes.append(width - text.size(), '\0');
  }
  return array;
}

Expected<NpyArray> ingot::npyArray(int32_t dtype, const Shape &shape,
                                   TensorData tensor) {
  if (dtype == INGOT_STRING)
    return stringArray(shape, tensor.strings);
  NpyArray array;
  array.header = npyHeader(dtype, shape);
  if (array.header.empty())
    return Status(StatusCode::InvalidArgument,
                  "is " + dtypeName(dtype) + ", which NumPy lacks");
  array.bytes =
      dtype == INGOT_BFLOAT16 ? widened(tensor.bytes) : std::move(tensor.bytes);
  return array;
}

Status ingot::writeNpyFile(FileSystem &fileSystem, const std::string &path,
                           bool force, const std::string &name, int32_t dtype,
                           const Shape &shape, TensorData tensor) {
  Expected<NpyArray> array = npyArray(dtype, shape, std::move(tensor));
  if (!array)
    return array.takeStatus().withContext("'" + name + "'");
  return writeWhole(fileSystem, path, force, [&](WritableFile &file) -> Status {
    INGOT_RETURN_IF_ERROR(file.append(array->header));
    return file.append(array->bytes);
  });
}
