//===- TFRecordDataset.cpp - The records of files, one by one ---*- C++ -*-===//
//
// TFRecordDataset(filenames, compression_type, buffer_size): scalar strings.
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/RecordReader.h"
#include "runtime/Input/Registry.h"

#include <algorithm>

namespace ingot::input {

namespace {

class TFRecordIterator final : public DatasetIterator {
public:
  TFRecordIterator(Environment &environment, std::string name,
                   std::vector<std::string> files, Compression compression,
                   size_t bufferSize)
      : environment(environment), name(std::move(name)),
        files(std::move(files)), compression(compression),
        bufferSize(bufferSize) {}

  Status start() override {
    reader.reset();
    file = 0;
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    std::string_view record;
    INGOT_RETURN_IF_ERROR(advance(
        end, [&](bool &fileEnd) { return reader->next(record, fileEnd); }));
    if (end)
      return Status::ok();
    element.resize(1);
    element[0] = Tensor::string(environment.pool, record);
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    bool end = false;
    for (skipped = 0; skipped < count; ++skipped) {
      INGOT_RETURN_IF_ERROR(
          advance(end, [&](bool &fileEnd) { return reader->skip(fileEnd); }));
      if (end)
        break;
    }
    return Status::ok();
  }

  void save(NodeState &state) const override {
    state.set_file(file);
    if (reader) {
      state.set_offset(reader->offset());
      state.set_record(reader->record());
    }
  }

  Status restore(const NodeState &state) override {
    reader.reset();
    if (state.file() > files.size() ||
        (state.file() == files.size() && state.offset()))
      return badState("stands in file " + std::to_string(state.file()) +
                      " of " + std::to_string(files.size()));
    file = state.file();
    if (state.offset() == 0)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(open());
    return reader->seek(state.offset(), state.record()).withContext(name);
  }

  std::string describeLatest() const override {
    return reader && reader->record()
               ? reader->describe(reader->record() - 1, latestOffset)
               : std::string();
  }

private:
  Status open() {
    const std::string &path = files[file];
    auto opened = RecordReader::open(*environment.options.fileSystem, path,
                                     compression, bufferSize);
    if (!opened)
      return opened.takeStatus().withContext(name);
    reader = std::move(*opened);
    return Status::ok();
  }

  /// Calls `step` until it finds no end of a file, or there are no more files.
  template <typename Step> Status advance(bool &end, Step step) {
    for (end = true; file < files.size(); ++file, reader.reset()) {
      if (!reader)
        INGOT_RETURN_IF_ERROR(open());
      latestOffset = reader->offset();
      if (Status status = step(end); !status.isOk())
        return std::move(status).withContext(name);
      if (!end)
        break;
    }
    return Status::ok();
  }

  Environment &environment;
  std::string name;
  std::vector<std::string> files;
  Compression compression;
  size_t bufferSize;
  std::unique_ptr<RecordReader> reader; // null: at the beginning of `file`
  uint64_t file = 0;
  uint64_t latestOffset = 0;
};

/// Where a file of the graph lies on this machine.
std::string resolve(const std::string &directory, std::string_view file) {
  if (directory.empty() || file.starts_with('/'))
    return std::string(file);
  std::string path = directory;
  if (!path.ends_with('/'))
    path += '/';
  return path.append(file);
}

} // namespace

Expected<std::unique_ptr<DatasetIterator>>
makeTFRecordDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(Operand filenames,
                         context.operand(0, INGOT_STRING, -1));
  INGOT_ASSIGN_OR_RETURN(Operand type, context.operand(1, INGOT_STRING, 0));
  INGOT_ASSIGN_OR_RETURN(int64_t wantedBuffer, context.integer(2));
  auto compression = parseCompression(type.string());
  if (!compression)
    return compression.takeStatus().withContext(context.name());
  std::vector<std::string> files;
  for (int64_t i = 0; i < filenames.numElements(); ++i)
    files.push_back(
        resolve(context.env().options.dataDirectory, filenames.string(i)));
  // What the graph asks for, where it makes sense on a machine of today.
  auto bufferSize =
      static_cast<size_t>(std::clamp<int64_t>(wantedBuffer, 1 << 16, 1 << 24));
  return {std::make_unique<TFRecordIterator>(context.env(), context.name(),
                                             std::move(files), *compression,
                                             bufferSize)};
}

} // namespace ingot::input
