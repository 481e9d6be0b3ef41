//===- Npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// One array a file, versions 1 to 3 of the format (numpy.lib.format). NumPy
// has no bfloat16: such tensors are written as float32 and read from it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_NPY_H
#define INGOT_RUNTIME_COMMANDLINE_NPY_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/FileSystem.h"

#include <string>
#include <vector>

namespace ingot {

class FeedValue;
namespace input {
class ByteStream;
} // namespace input

/// The bytes of a .npy file before its elements, which are written as they
/// are in memory (bfloat16: as float32). "" for types that NumPy doesn't have.
std::string npyHeader(int32_t dtype, const std::vector<int64_t> &shape);

/// The same for a type as NumPy writes it: "|S12".
std::string npyHeader(const std::string &descr,
                      const std::vector<int64_t> &shape);

/// The header of a file. `dtype` is -1 for types that tensors here do not have,
/// such as text; `descr` is NumPy's name.
struct NpyInfo {
  int32_t dtype = -1;
  std::string descr;
  std::vector<int64_t> shape;
};
Expected<NpyInfo> readNpyInfo(FileSystem &fileSystem, const std::string &path);

/// The shape of the array in a file, which messages call `path`.
Expected<std::vector<int64_t>> readNpyShape(const RandomAccessFile &file,
                                            const std::string &path);

/// Reads an array of the type and (static) shape of `spec` into `data`,
/// row-major, whatever the order in the file. The message names the file, the
/// type and shape found and those expected.
Status readNpy(FileSystem &fileSystem, const std::string &path,
               const ingot_tensor_spec &spec, void *data);
Status readNpy(const RandomAccessFile &file, const std::string &path,
               const ingot_tensor_spec &spec, void *data);

/// Reads text, as NumPy keeps it at one width: bytes ("|S5"), or characters
/// ("<U5"), which become UTF-8. Row-major, without the zeros after shorter
/// ones.
Expected<std::vector<std::string>>
readNpyStrings(const RandomAccessFile &file, const std::string &path,
               const ingot_tensor_spec &spec);

/// Reads the array that comes next on a stream, as np.save() writes it, into
/// `value`: of the type of `spec` and a shape that it allows. False where the
/// stream ends before it.
Expected<bool> readNpyFrame(input::ByteStream &stream,
                            const ingot_tensor_spec &spec, FeedValue &value);

/// Writes a tensor of a numeric type.
Status writeNpy(FileSystem &fileSystem, const std::string &path,
                const ingot_tensor_spec &spec, const void *data);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_NPY_H
