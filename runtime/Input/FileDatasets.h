//===- FileDatasets.h - Records of several files ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Code that the datasets over files share. Such a dataset reads its files one
// after the other; its position in a saved state is the index of the current
// file and the offset of the next record.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_FILEDATASETS_H
#define INGOT_RUNTIME_INPUT_FILEDATASETS_H

#include "runtime/Input/Dataset.h"
#include "runtime/Input/FileReader.h"

#include <functional>

namespace ingot::input {

/// A function that makes the reader that splits a file into records.
using MakeReader = std::function<std::unique_ptr<FileReader>(
    std::unique_ptr<ByteStream> stream, const std::string &path)>;

/// Converts a record to an element of the dataset. A null function means that
/// the element is the record itself, as a string.
using MakeElement =
    std::function<Status(std::string_view record, Element &element)>;

/// The files of a dataset, and how to read their bytes.
struct DatasetFiles {
  std::vector<std::string> paths;
  /// The offset of each file's first record; if empty, 0 for all.
  std::vector<uint64_t> offsets;
  Compression compression = Compression::None;
  size_t bufferSize = 0;
};

/// Returns the files that a dataset's operands describe. `filenames`,
/// `compression` and `buffer` (the buffer's size) are the indices of these
/// operands.
Expected<DatasetFiles> filesOf(const DatasetContext &context,
                               uint32_t filenames, uint32_t compression,
                               uint32_t buffer);

std::unique_ptr<DatasetIterator> makeFiles(const DatasetContext &context,
                                           DatasetFiles files,
                                           MakeReader reader,
                                           MakeElement element = {});

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_FILEDATASETS_H
