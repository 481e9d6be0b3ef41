//===- TableReader.h - Reads sorted tables, trusting nothing ----*- C++ -*-===//
//
// The index of a V2 checkpoint is a table in leveldb's format. leveldb's own
// reader allocates what an unchecked footer asks for and never looks at the
// padding, so files are read here instead: block by block, every byte accounted
// for. Writing goes through leveldb (TableWriter.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H
#define INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H

#include "runtime/Support/FileSystem.h"

#include <functional>
#include <string>
#include <string_view>

namespace ingot {

/// Called for each record of a table; the views live until it returns. A
/// failure ends the reading and is handed on.
using RecordVisitor =
    std::function<Status(std::string_view key, std::string_view value)>;

/// Reads table `path` from the first record to the last, keys strictly rising.
/// One block is in memory at a time. Every checksum is verified, blocks must
/// fill the file without gaps, and compressed blocks (snappy) are expanded.
/// NotFound if there is no such file; DataLoss, naming file and offset, for
/// anything that is not as a table writer leaves it.
Status readTable(FileSystem &fileSystem, const std::string &path,
                 const RecordVisitor &visit);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H
