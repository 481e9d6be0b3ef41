//===- StoredTensor.h - The bytes of one tensor in a data shard -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decodes and verifies the bytes of an index entry: dense numbers, strings, or
// variants.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_STOREDTENSOR_H
#define INGOT_RUNTIME_CHECKPOINT_STOREDTENSOR_H

#include "runtime/Checkpoint/BundleReader.h"

#include <functional>

namespace ingot {

/// A view of one entry's bytes in its open data shard; everything it refers to
/// must outlive it.
class StoredTensor {
public:
  /// `name` is how messages call the tensor.
  StoredTensor(std::string path, const RandomAccessFile &file, std::string name,
               const BundleEntry &entry)
      : path(std::move(path)), file(file), name(std::move(name)), entry(entry) {
  }

  /// Copies the elements shared by box `from`, which the entry stores, and box
  /// `to` into `destination`, row-major in `to`, and verifies the checksum of
  /// all stored bytes.
  Status read(const TensorSlice &from, const TensorSlice &to,
              void *destination) const;

  /// Verifies the checksum without keeping anything.
  Status verify() const;

  /// Whether the file is long enough for the entry's bytes.
  Status checkPlace() const;

private:
  class Cursor;
  using TakeBytes = std::function<void(const char *bytes, size_t size)>;
  /// Says whether string number `index` is wanted, and where.
  using PlaceString = std::function<std::string *(int64_t index)>;

  Status damaged(const std::string &what) const;
  Status checkChecksum(uint32_t found) const;
  Status readRaw(const TakeBytes &take) const;
  Status readInto(char *destination) const;
  Status readStrings(const PlaceString &place) const;
  Status verifyVariants() const;

  std::string path;
  const RandomAccessFile &file;
  std::string name;
  const BundleEntry &entry;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_STOREDTENSOR_H
