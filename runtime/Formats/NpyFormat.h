//===- NpyFormat.h - Parses .npy files --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_FORMATS_NPYFORMAT_H
#define INGOT_RUNTIME_FORMATS_NPYFORMAT_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Expected.h"
#include "runtime/Support/FileSystem.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot::npy {

/// The parsed header of a .npy file.
struct NpyHeader {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  uint64_t dataOffset = 0;
};

Status badFile(const std::string &path, const std::string &what);

/// Parses `fixed`, the file's first 12 bytes (fewer only if the file is
/// shorter). Returns the size of the prefix (magic number, version, header
/// length), and the size of the header's text, which follows the prefix.
Expected<std::pair<uint64_t, uint64_t>> headerExtent(std::string_view fixed,
                                                     const std::string &path);

Expected<NpyHeader> parseHeader(std::string_view text, const std::string &path);

Expected<NpyHeader> readHeader(const RandomAccessFile &file,
                               const std::string &path);

/// Reads the elements, the last `size` bytes of the file.
Expected<std::vector<char>> readElements(const RandomAccessFile &file,
                                         const std::string &path,
                                         const NpyHeader &header,
                                         uint64_t size);

/// Reorders elements of `elementSize` bytes each from column-major to row-major
/// order, if the header says that they are column-major.
void makeRowMajor(const NpyHeader &header, size_t elementSize,
                  std::vector<char> &elements);

/// Returns the error which says that the array in file `path` has another type
/// or shape than `spec`. `descr` is NumPy's name for the type of `spec`.
Status otherArray(const NpyHeader &header, const std::string &path,
                  const ingot_tensor_spec &spec, const std::string &descr);

/// Checks that the array's type and shape are those of `spec`.
Status checkArray(const NpyHeader &header, const std::string &path,
                  const ingot_tensor_spec &spec);

/// Writes the elements in `contents`, which the file stores in the order and
/// type of `header`, to `data`, in row-major order and with the type of `spec`.
void decode(const NpyHeader &header, const ingot_tensor_spec &spec,
            std::span<const char> contents, void *data);

} // namespace ingot::npy

#endif // INGOT_RUNTIME_FORMATS_NPYFORMAT_H
