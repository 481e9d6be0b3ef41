//===- OutputFile.h - Writes weights and arrays to files --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The array files that ingot-ckpt and `trainer export` write besides
// checkpoints: .npy, .npz, safetensors and HDF5.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_FORMATS_OUTPUTFILE_H
#define INGOT_RUNTIME_FORMATS_OUTPUTFILE_H

#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Support/ReplaceFile.h"

#include <functional>
#include <span>

namespace ingot {

/// Returns AlreadyExists, naming the flag --force, if file `path` exists and
/// `force` is false.
Status checkOutput(FileSystem &fileSystem, const std::string &path, bool force);

/// Writes file `path` under a temporary name, and renames it when all of
/// `contents` is on disk. On failure, no file is left. Returns AlreadyExists if
/// `path` exists and `force` is false.
Status writeWhole(FileSystem &fileSystem, const std::string &path, bool force,
                  const FileContents &contents);

/// The contents of a .npy file: the header and the elements' bytes.
struct NpyArray {
  std::string header, bytes;
};

/// Converts a tensor to a NumPy array: bfloat16 to float32, strings to NumPy's
/// type 'S' with the length of the longest string. Returns InvalidArgument if
/// NumPy lacks the type, or if a string ends in a zero byte, which NumPy would
/// drop.
Expected<NpyArray> npyArray(int32_t dtype, const Shape &shape,
                            TensorData tensor);

/// Writes one tensor, converted by npyArray(), as a .npy file.
Status writeNpyFile(FileSystem &fileSystem, const std::string &path, bool force,
                    const std::string &name, int32_t dtype, const Shape &shape,
                    TensorData tensor);

/// Returns true for element types that safetensors files can store.
bool fitsSafetensors(int32_t dtype);

/// writeNpz() writes `items` as an archive like those of numpy.savez,
/// writeSafetensors() as a safetensors file. No item may be a slice of a
/// partitioned variable. Both functions have only one tensor in memory at a
/// time. writeNpz() returns the number of tensors in the archive; it leaves out
/// tensors that NumPy cannot represent, and calls `leaveOut` with each of them
/// and the reason.
Expected<size_t>
writeNpz(FileSystem &fileSystem, const std::string &path, bool force,
         std::span<const TensorToSave> items,
         const std::function<void(const TensorToSave &, const std::string &why)>
             &leaveOut);
Status writeSafetensors(FileSystem &fileSystem, const std::string &path,
                        bool force, std::span<const TensorToSave> items);

/// Returns the size of an item's elements in bytes. The item's type must not be
/// string.
uint64_t sizeOf(const TensorToSave &item);

/// Writes `items`, none of which may be a slice of a partitioned variable, as
/// the datasets of an HDF5 file. An item's name, such as "layers/dense/vars/0",
/// is the dataset's path: the groups "layers", "layers/dense" and
/// "layers/dense/vars" are created too. The groups in `groups` are created even
/// if they have no datasets. Returns Unimplemented for element types other than
/// IEEE floats and integers.
Status writeH5(FileSystem &fileSystem, const std::string &path,
               std::span<const std::string> groups,
               std::span<const TensorToSave> items);

} // namespace ingot

#endif // INGOT_RUNTIME_FORMATS_OUTPUTFILE_H
