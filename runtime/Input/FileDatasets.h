//===- FileDatasets.h - The records of files, one by one --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The common part of datasets over files: the files, one after the other, and
// the offset of the next record.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_FILEDATASETS_H
#define INGOT_RUNTIME_INPUT_FILEDATASETS_H

#include "runtime/Input/Dataset.h"
#include "runtime/Input/FileReader.h"

#include <functional>

namespace ingot::input {

/// How the records of a file are found: one reader a file.
using MakeReader = std::function<std::unique_ptr<FileReader>(
    std::unique_ptr<ByteStream> stream, const std::string &path)>;

/// Makes the element of a record; null: the record as a string.
using MakeElement =
    std::function<Status(std::string_view record, Element &element)>;

/// Which files, and how to read bytes.
struct Files {
  std::vector<std::string> paths;
  /// The offset of each file's first record; empty: 0.
  std::vector<uint64_t> offsets;
  Compression compression = Compression::None;
  size_t bufferSize = 0;
};

/// The files that operands of a dataset name: names, compression, size of the
/// buffer.
Expected<Files> filesOf(const DatasetContext &context, uint32_t filenames,
                        uint32_t compression, uint32_t buffer);

std::unique_ptr<DatasetIterator> makeFiles(const DatasetContext &context,
                                           Files files, MakeReader reader,
                                           MakeElement element = {});

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_FILEDATASETS_H
