//===- OutputFile.h - Files that appear whole or not at all -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The files that ingot-ckpt and `trainer export` write beside checkpoints:
// .npy, .npz, safetensors and HDF5.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_OUTPUTFILE_H
#define INGOT_RUNTIME_COMMANDLINE_OUTPUTFILE_H

#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Support/ReplaceFile.h"

#include <functional>
#include <span>

namespace ingot {

/// AlreadyExists, naming the flag that helps, if there is a file `path` and it
/// isn't to be replaced.
Status checkOutput(FileSystem &fileSystem, const std::string &path, bool force);

/// Writes file `path` under a temporary name, and renames it when all of
/// `contents` is on disk. A failure leaves no file.
Status writeWhole(FileSystem &fileSystem, const std::string &path, bool force,
                  const FileContents &contents);

/// The contents of a .npy file: a header, and elements.
struct NpyArray {
  std::string header, bytes;
};

/// A tensor in NumPy's types: bfloat16 as float32, strings as 'S' of the
/// longest one's size. InvalidArgument, with the reason, where NumPy lacks the
/// type or would not return the same strings.
Expected<NpyArray> npyArray(int32_t dtype, const Shape &shape,
                            TensorData tensor);

/// Writes one tensor, as npyArray() makes it.
Status writeNpyFile(FileSystem &fileSystem, const std::string &path, bool force,
                    const std::string &name, int32_t dtype, const Shape &shape,
                    TensorData tensor);

/// True for element types that the format can hold.
bool fitsSafetensors(int32_t dtype);

/// Writes `items`, none of them a slice, as NumPy's archive of arrays, or as a
/// safetensors file. One tensor is in memory at a time. Tensors that an archive
/// can't hold are omitted and passed to `leaveOut`, with the reason; the number
/// of the others is returned.
Expected<size_t>
writeNpz(FileSystem &fileSystem, const std::string &path, bool force,
         std::span<const SaveItem> items,
         const std::function<void(const SaveItem &, const std::string &why)>
             &leaveOut);
Status writeSafetensors(FileSystem &fileSystem, const std::string &path,
                        bool force, std::span<const SaveItem> items);

/// Bytes of an item's elements, which have a size.
uint64_t sizeOf(const SaveItem &item);

/// Writes `items`, none of them a slice, as an HDF5 file: their names
/// ("layers/dense/vars/0") are paths through groups; those of `groups` exist
/// even without datasets. Unimplemented for element types that HDF5 lacks.
Status writeH5(FileSystem &fileSystem, const std::string &path,
               std::span<const std::string> groups,
               std::span<const SaveItem> items);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_OUTPUTFILE_H
