//===- ArrayFiles.cpp - Reads examples from .npy files --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/ArrayFiles.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Formats/Npy.h"
#include "runtime/Support/DType.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace ingot::graph;

namespace ingot::ensemble {

/// The maximum size, in bytes, of the example data from .npy files that a
/// trainer embeds (64 MiB).
static constexpr int64_t maxBytes = int64_t(64) << 20;

static std::string pathOf(const std::string &file, llvm::StringRef directory) {
  llvm::SmallString<128> path(file);
  if (llvm::sys::path::is_relative(path) && !directory.empty()) {
    path = directory;
    llvm::sys::path::append(path, file);
  }
  return path.str().str();
}

/// Returns the number of elements of an array of shape `shape`, or std::nullopt
/// if there are more than a trainer can embed.
static std::optional<int64_t> countOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count) || count > maxBytes)
      return std::nullopt;
  return count;
}

/// Reads the header of a .npy file. Returns an error, which names the file, if
/// the array cannot hold examples or is too large to embed.
static Expected<NpyTypeAndShape> inspect(const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(NpyTypeAndShape info,
                         readNpyInfo(FileSystem::posix(), path));
  auto wrong = [&](const std::string &what) {
    return Status(StatusCode::InvalidArgument, "'" + path + "' " + what);
  };
  if (info.dtype < 0)
    return wrong("has dtype '" + info.descr +
                 "'; expected little-endian numbers");
  if (info.shape.empty())
    return wrong("is a scalar; expected examples along the first dimension");
  std::optional<int64_t> count = countOf(info.shape);
  if (!count || *count * 8 > maxBytes)
    return wrong("has more than the 8388608 numbers that a trainer can embed; "
                 "use CSV or TFRecord files");
  return info;
}

std::vector<std::pair<int, std::string>>
checkArrays(const proto::ArraysSource &arrays, llvm::StringRef directory) {
  std::vector<std::pair<int, std::string>> problems;
  std::optional<int64_t> rows;
  for (int i = 0; i < arrays.column_size(); ++i) {
    auto info = inspect(pathOf(arrays.column(i).file(), directory));
    if (!info) {
      problems.emplace_back(i, info.status().message());
      continue;
    }
    if (!rows)
      rows = info->shape[0];
    if (info->shape[0] != *rows)
      problems.emplace_back(
          i, "column '" + arrays.column(i).name() + "' has " +
                 std::to_string(info->shape[0]) + " examples, but '" +
                 arrays.column(0).name() + "' has " + std::to_string(*rows));
  }
  return problems;
}

template <typename From, typename To>
static std::string converted(const std::string &bytes) {
  std::string result(bytes.size() / sizeof(From) * sizeof(To), 0);
  for (size_t i = 0; i < bytes.size() / sizeof(From); ++i) {
    From from;
    std::memcpy(&from, bytes.data() + i * sizeof(From), sizeof(From));
    To to = static_cast<To>(from);
    std::memcpy(result.data() + i * sizeof(To), &to, sizeof(To));
  }
  return result;
}

template <typename To>
static std::optional<std::string> convert(int32_t dtype,
                                          const std::string &bytes) {
  switch (dtype) {
  case INGOT_BOOL:
  case INGOT_UINT8:
    return converted<uint8_t, To>(bytes);
  case INGOT_INT8:
    return converted<int8_t, To>(bytes);
  case INGOT_INT16:
    return converted<int16_t, To>(bytes);
  case INGOT_UINT16:
    return converted<uint16_t, To>(bytes);
  case INGOT_INT32:
    return converted<int32_t, To>(bytes);
  case INGOT_UINT32:
    return converted<uint32_t, To>(bytes);
  case INGOT_INT64:
    return converted<int64_t, To>(bytes);
  case INGOT_FLOAT:
    if (std::is_floating_point_v<To>)
      return converted<float, To>(bytes);
    return std::nullopt;
  case INGOT_DOUBLE:
    if (std::is_floating_point_v<To>)
      return converted<double, To>(bytes);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Reads a .npy file as the values of `column`, converted to the column's type.
/// The error names file and column.
static Expected<Array> read(const std::string &path,
                            const DataFileColumn &column) {
  INGOT_ASSIGN_OR_RETURN(NpyTypeAndShape info, inspect(path));
  Shape shape(info.shape.begin() + 1, info.shape.end());
  auto wrong = [&](const std::string &what) {
    return Status(StatusCode::InvalidArgument,
                  "'" + path + "', column '" + column.name + "': " + what);
  };
  // The shape of the examples in the file may differ from the column's shape in
  // one case: an array of shape [n, 1] can be used for a column of scalars, and
  // an array of shape [n] for a column of shape [1].
  if (shape != column.shape && (countOf(shape).value_or(0) != 1 ||
                                countOf(column.shape).value_or(0) != 1)) {
    auto text = [](const Shape &dims) {
      std::string all;
      for (int64_t dim : dims)
        all += (all.empty() ? "" : ", ") + std::to_string(dim);
      return "(" + all + ")";
    };
    return wrong("examples have shape " + text(shape) + ", expected " +
                 text(column.shape));
  }
  ingot_tensor_spec spec = {};
  spec.name = column.name.c_str();
  spec.dtype = info.dtype;
  spec.rank = static_cast<uint32_t>(info.shape.size());
  spec.dims = info.shape.data();
  std::string bytes(*countOf(info.shape) * dtypeSize(info.dtype), 0);
  INGOT_RETURN_IF_ERROR(readNpy(FileSystem::posix(), path, spec, bytes.data()));
  std::optional<std::string> values =
      column.dtype == DType::Float32 ? convert<float>(info.dtype, bytes)
      : column.dtype == DType::Int64 ? convert<int64_t>(info.dtype, bytes)
                                     : std::nullopt;
  if (!values)
    return wrong("has dtype '" + info.descr + "'; expected " +
                 (column.dtype == DType::Float32
                      ? "float32, float64 or integers"
                  : column.dtype == DType::Int64 ? "integers"
                                                 : "strings"));
  Shape all = column.shape;
  all.insert(all.begin(), info.shape[0]);
  return Array::fromBytes(column.dtype, std::move(all), std::move(*values));
}

std::optional<std::vector<Column>>
readArrays(const proto::ArraysSource &arrays,
           const std::vector<DataFileColumn> &columns,
           llvm::StringRef directory, std::string &error) {
  std::vector<Column> found;
  for (const DataFileColumn &column : columns) {
    auto it = llvm::find_if(arrays.column(), [&](const auto &one) {
      return one.name() == column.name;
    });
    if (it == arrays.column().end()) {
      error = "arrays have no column '" + column.name +
              "', which a feature or the head reads: add it with its file";
      return std::nullopt;
    }
    auto values = read(pathOf(it->file(), directory), column);
    if (!values) {
      error = values.status().message();
      return std::nullopt;
    }
    found.push_back({column.name, std::move(*values)});
  }
  return found;
}

} // namespace ingot::ensemble
