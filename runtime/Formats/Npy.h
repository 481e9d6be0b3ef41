//===- Npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes .npy files (versions 1 to 3 of numpy.lib.format), which
// contain one array each. NumPy has no bfloat16: bfloat16 tensors are written
// as float32 arrays and read from float32 arrays.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_FORMATS_NPY_H
#define INGOT_RUNTIME_FORMATS_NPY_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/FileSystem.h"

#include <string>
#include <vector>

namespace ingot {

class FeedValue;
namespace input {
class ByteStream;
} // namespace input

/// Returns the header of a .npy file, or "" for types that NumPy lacks. In the
/// file, the elements follow the header with the same bytes as in memory
/// (bfloat16 converted to float32).
std::string npyHeader(int32_t dtype, const std::vector<int64_t> &shape);

/// Returns the header for NumPy's type `descr`, such as "|S12".
std::string npyHeader(const std::string &descr,
                      const std::vector<int64_t> &shape);

/// The contents of the header of a .npy file. `descr` is NumPy's name of the
/// type; `dtype` is -1 for types without an ingot_dtype, such as text.
struct NpyTypeAndShape {
  int32_t dtype = -1;
  std::string descr;
  std::vector<int64_t> shape;
};
Expected<NpyTypeAndShape> readNpyInfo(FileSystem &fileSystem,
                                      const std::string &path);

/// Returns the shape of the array in `file`, which error messages call `path`.
Expected<std::vector<int64_t>> readNpyShape(const RandomAccessFile &file,
                                            const std::string &path);

/// Reads an array into `data`, in row-major order whatever the order in the
/// file. Its type and shape must be those of `spec`, whose shape is static. The
/// error message names the file, and the type and shape found and expected.
Status readNpy(FileSystem &fileSystem, const std::string &path,
               const ingot_tensor_spec &spec, void *data);
Status readNpy(const RandomAccessFile &file, const std::string &path,
               const ingot_tensor_spec &spec, void *data);

/// Reads an array of text: bytes ("|S5"), or UTF-32 characters ("<U5"), which
/// become UTF-8. The strings are in row-major order, without the zeros that pad
/// shorter ones.
Expected<std::vector<std::string>>
readNpyStrings(const RandomAccessFile &file, const std::string &path,
               const ingot_tensor_spec &spec);

/// Reads the next array of a stream to which np.save() wrote several, into
/// `value`. The array's type must be that of `spec`, and its shape must match
/// the shape of `spec`, which may have dynamic dimensions. Returns false if the
/// stream ends before the array.
Expected<bool> readNpyFrame(input::ByteStream &stream,
                            const ingot_tensor_spec &spec, FeedValue &value);

/// Writes a tensor of a numeric type as a .npy file. Returns InvalidArgument if
/// NumPy lacks the type.
Status writeNpy(FileSystem &fileSystem, const std::string &path,
                const ingot_tensor_spec &spec, const void *data);

} // namespace ingot

#endif // INGOT_RUNTIME_FORMATS_NPY_H
