//===- NpyFormat.h - The format of .npy files, part by part -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_NPYFORMAT_H
#define INGOT_RUNTIME_COMMANDLINE_NPYFORMAT_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Expected.h"
#include "runtime/Support/FileSystem.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot::npy {

/// The header of a file.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  uint64_t dataOffset = 0;
};

Status badFile(const std::string &path, const std::string &what);

/// The sizes in a file's first bytes: of the prefix with the header's length,
/// and that length. `fixed` has 12 bytes, or fewer at the end.
Expected<std::pair<uint64_t, uint64_t>> headerExtent(std::string_view fixed,
                                                     const std::string &path);

Expected<Header> parseHeader(std::string_view text, const std::string &path);

Expected<Header> readHeader(const RandomAccessFile &file,
                            const std::string &path);

/// The elements after the header, which are `size` bytes.
Expected<std::vector<char>> readElements(const RandomAccessFile &file,
                                         const std::string &path,
                                         const Header &header, uint64_t size);

/// Brings elements of `elementSize` bytes into row-major order, if they are in
/// another one.
void makeRowMajor(const Header &header, size_t elementSize,
                  std::vector<char> &elements);

/// The error for an array that does not match `spec`, of NumPy's type `descr`.
Status otherArray(const Header &header, const std::string &path,
                  const ingot_tensor_spec &spec, const std::string &descr);

/// Checks that an array matches `spec`.
Status checkArray(const Header &header, const std::string &path,
                  const ingot_tensor_spec &spec);

/// The elements of an array, as they are in its file, in the order and the type
/// of `spec`.
void decode(const Header &header, const ingot_tensor_spec &spec,
            std::span<const char> contents, void *data);

} // namespace ingot::npy

#endif // INGOT_RUNTIME_COMMANDLINE_NPYFORMAT_H
