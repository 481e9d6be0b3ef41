//===- TableWriter.cpp - Writes the sorted table of an index --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/TableWriter.h"

#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

using namespace ingot;

namespace {

/// A WritableFile of leveldb that appends everything to a string in memory.
class StringSink final : public leveldb::WritableFile {
public:
  leveldb::Status Append(const leveldb::Slice &data) override {
    bytes.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

  std::string bytes;
};

} // namespace

Expected<std::string>
ingot::buildTable(const std::map<std::string, std::string> &records) {
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  options.block_size = 256 * 1024; // as in TensorFlow; leveldb's default: 4 KiB
  StringSink file;
  leveldb::TableBuilder builder(options, &file);
  for (const auto &[key, value] : records)
    builder.Add(key, value);
  leveldb::Status status = builder.Finish();
  if (!status.ok())
    return Status(StatusCode::Internal,
                  "cannot build a checkpoint's index: " + status.ToString());
  return std::move(file.bytes);
}
