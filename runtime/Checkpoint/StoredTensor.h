//===- StoredTensor.h - The bytes of one tensor in a data shard -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decodes and verifies the stored bytes of a tensor, to which an entry in the
// index of a V2 checkpoint refers: fixed-size elements, strings, or the
// elements of a variant tensor.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_STOREDTENSOR_H
#define INGOT_RUNTIME_CHECKPOINT_STOREDTENSOR_H

#include "runtime/Checkpoint/BundleReader.h"

#include <functional>

namespace ingot {

/// A view of one tensor's bytes in an open data shard; `entry`, from the
/// checkpoint's index, says where they are. `file` and `entry` must outlive
/// this object.
class StoredTensor {
public:
  /// `name` is the tensor's name for error messages.
  StoredTensor(std::string path, const RandomAccessFile &file, std::string name,
               const BundleEntry &entry)
      : path(std::move(path)), file(file), name(std::move(name)), entry(entry) {
  }

  /// Copies elements to `destination` and verifies the checksum of all stored
  /// bytes. `from` is the slice of the full tensor that is stored, `to` the
  /// slice that `destination` holds in row-major order. Elements that are not
  /// in both slices are skipped.
  Status read(const TensorSlice &from, const TensorSlice &to,
              void *destination) const;

  /// Verifies the checksums without storing elements.
  Status verify() const;

  /// Checks that the file is long enough for the tensor's bytes.
  Status checkPlace() const;

private:
  class Cursor;
  using TakeBytes = std::function<void(const char *bytes, size_t size)>;
  /// A function that returns the address at which to store string `index`, or
  /// null if the caller does not want this string.
  using PlaceString = std::function<std::string *(int64_t index)>;

  Status damaged(const std::string &what) const;
  Status checkChecksum(uint32_t found) const;
  Status readRaw(const TakeBytes &take) const;
  Status readInto(char *destination) const;
  Status readStrings(const PlaceString &place) const;
  /// Reads the elements and verifies their checksums. `variants` receives the
  /// bytes of each element; if it is null, the bytes are dropped.
  Status readVariants(std::string *variants) const;

  std::string path;
  const RandomAccessFile &file;
  std::string name;
  const BundleEntry &entry;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_STOREDTENSOR_H
