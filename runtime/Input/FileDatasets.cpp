//===- FileDatasets.cpp - Records of several files ------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// TFRecordDataset, TextLineDataset and FixedLengthRecordDatasetV2: the records
// of several files, one file after the other, as scalar strings.
//===----------------------------------------------------------------------===//
#include "runtime/Input/FileDatasets.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/FixedLengthRecordReader.h"
#include "runtime/Input/LineReader.h"
#include "runtime/Input/RecordReader.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"

#include <algorithm>

namespace ingot::input {

namespace {

class FileIterator final : public DatasetIterator {
public:
  FileIterator(IteratorContext &environment, std::string name,
               DatasetFiles files, MakeReader makeReader,
               MakeElement makeElement)
      : environment(environment), name(std::move(name)),
        files(std::move(files.paths)), offsets(std::move(files.offsets)),
        compression(files.compression), bufferSize(files.bufferSize),
        makeReader(std::move(makeReader)), makeElement(std::move(makeElement)) {
  }

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
    if (makeElement) {
      Status status = makeElement(record, element);
      return status.isOk() ? status
                           : std::move(status).withContext(name + ", " +
                                                           describeLatest());
    }
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
      return badState("a dataset of files is in file " +
                      std::to_string(state.file()) +
                      ", but files are numbered from 0, and their count is " +
                      std::to_string(files.size()));
    file = state.file();
    if (state.offset() == 0)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(openAt(state.offset(), state.record()));
    return Status::ok();
  }

  std::string describeLatest() const override {
    return reader && reader->record()
               ? reader->describe(reader->record() - 1, latestOffset)
               : std::string();
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({node.type()}));
    bool isRecords = node.name.find("::TFRecord") != std::string::npos;
    std::string key = isRecords ? "offset" : "current_pos";
    INGOT_RETURN_IF_ERROR(node.exchange("current_file_index", file));
    if (!node.isReading()) {
      uint64_t offset = reader ? reader->offset() : 0;
      return reader ? node.exchange(key, offset) : Status::ok();
    }
    if (file > files.size())
      return badState("a dataset of files is in file " + std::to_string(file) +
                      ", but files are numbered from 0, and their count is " +
                      std::to_string(files.size()));
    uint64_t offset = 0;
    if (file == files.size() || !node.state.has(node.name, key))
      return Status::ok();
    INGOT_RETURN_IF_ERROR(node.exchange(key, offset));
    return passTo(offset);
  }

private:
  /// Moves to the record that begins at byte `offset` of the file. Skips the
  /// records before it one by one in order to count them, because TensorFlow's
  /// state does not contain the record's number.
  Status passTo(uint64_t offset) {
    INGOT_RETURN_IF_ERROR(open());
    bool end = false;
    while (reader->offset() < offset && !end)
      INGOT_RETURN_IF_ERROR(reader->skip(end).withContext(name));
    if (reader->offset() == offset)
      return Status::ok();
    return Status(StatusCode::DataLoss,
                  name + ": no record of '" + files[file] +
                      "' begins at byte " + std::to_string(offset) +
                      ", where TensorFlow had stopped: restore the file, or "
                      "start the input anew (ingot-ckpt strip --iterators)");
  }

  Status open() { return openAt(offsets.empty() ? 0 : offsets[file], 0); }

  Status openAt(uint64_t offset, uint64_t record) {
    const std::string &path = files[file];
    auto opened =
        ByteStream::open(*environment.options.fileSystem, path, compression,
                         bufferSize, environment.options.stopped);
    if (!opened)
      return opened.takeStatus().withContext(name);
    reader = makeReader(std::move(*opened), path);
    return reader->seek(offset, record).withContext(name);
  }

  /// Calls `step`, which reads or skips a record, on the current file. When
  /// `step` finds the end of a file, calls it on the next file, until it
  /// succeeds or no files are left. After a failure, the next call continues
  /// with the next file.
  template <typename Step> Status advance(bool &end, Step step) {
    for (end = true; file < files.size(); leaveFile()) {
      Status status = reader ? Status::ok() : open();
      if (status.isOk()) {
        latestOffset = reader->offset();
        status = step(end).withContext(name);
      }
      if (!status.isOk()) {
        leaveFile();
        return status;
      }
      if (!end)
        break;
    }
    return Status::ok();
  }

  void leaveFile() {
    ++file;
    reader.reset();
  }

  IteratorContext &environment;
  std::string name;
  std::vector<std::string> files;
  std::vector<uint64_t> offsets; // each file's first record; empty: 0
  Compression compression;
  size_t bufferSize;
  MakeReader makeReader;
  MakeElement makeElement;
  std::unique_ptr<FileReader> reader; // null: `file` is not open yet
  uint64_t file = 0;
  uint64_t latestOffset = 0;
};

} // namespace

Expected<DatasetFiles> filesOf(const DatasetContext &context, uint32_t names,
                               uint32_t compression, uint32_t buffer) {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand filenames,
                         context.operand(names, INGOT_STRING, -1));
  INGOT_ASSIGN_OR_RETURN(DatasetOperand type,
                         context.operand(compression, INGOT_STRING, 0));
  INGOT_ASSIGN_OR_RETURN(int64_t wantedBuffer, context.integer(buffer));
  auto parsed = parseCompression(type.string());
  if (!parsed)
    return parsed.takeStatus().withContext(context.name());
  DatasetFiles files;
  files.compression = *parsed;
  const InputPipelineOptions &options = context.env().options;
  for (int64_t i = 0; i < filenames.numElements(); ++i)
    files.paths.push_back(resolveDataPath(
        options.dataDirectory, options.dataMap, filenames.string(i)));
  // Limit the graph's buffer size to values that suit today's machines.
  files.bufferSize =
      static_cast<size_t>(std::clamp<int64_t>(wantedBuffer, 1 << 16, 1 << 24));
  return files;
}

static Status readOffsets(const DatasetContext &context, DatasetFiles &files) {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand offsets,
                         context.operand(3, INGOT_INT64, -1));
  if (static_cast<size_t>(offsets.numElements()) != files.paths.size())
    return Status(
        StatusCode::InvalidArgument,
        context.name() + ": has " + std::to_string(offsets.numElements()) +
            " byte_offsets for " + std::to_string(files.paths.size()) +
            " files, expected one for each file");
  for (int64_t i = 0; i < offsets.numElements(); ++i) {
    int64_t offset = static_cast<const int64_t *>(offsets.data)[i];
    if (offset < 0)
      return Status(StatusCode::InvalidArgument,
                    context.name() + ": byte offset " + std::to_string(i) +
                        " is " + std::to_string(offset) +
                        ", expected at least 0");
    files.offsets.push_back(static_cast<uint64_t>(offset));
  }
  return Status::ok();
}

std::unique_ptr<DatasetIterator> makeFiles(const DatasetContext &context,
                                           DatasetFiles files,
                                           MakeReader reader,
                                           MakeElement element) {
  return std::make_unique<FileIterator>(context.env(), context.name(),
                                        std::move(files), std::move(reader),
                                        std::move(element));
}

static Expected<std::unique_ptr<DatasetIterator>>
makeTFRecordDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(DatasetFiles files, filesOf(context, 0, 1, 2));
  if (context.dataset().num_operands > 3)
    INGOT_RETURN_IF_ERROR(readOffsets(context, files));
  Compression compression = files.compression;
  return makeFiles(context, std::move(files), [=](auto stream, auto &path) {
    return std::make_unique<RecordReader>(std::move(stream), path, compression);
  });
}

static constexpr DatasetOperandConstraint recordOperands[] = {
    {"filenames", INGOT_STRING, 1},
    {"compression_type", INGOT_STRING},
    {"buffer_size", INGOT_INT64, 0, false}};
INGOT_DATASET(tf_record_dataset) = {.make = makeTFRecordDataset,
                                    .numInputs = 0,
                                    .operands = recordOperands,
                                    .traits = Exchanges};

static constexpr DatasetOperandConstraint recordV2Operands[] = {
    {"filenames", INGOT_STRING, 1},
    {"compression_type", INGOT_STRING},
    {"buffer_size", INGOT_INT64, 0, false},
    {"byte_offsets", INGOT_INT64, 1}};
INGOT_DATASET(tf_record_dataset_v2) = {.make = makeTFRecordDataset,
                                       .numInputs = 0,
                                       .operands = recordV2Operands,
                                       .traits = Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeTextLineDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(DatasetFiles files, filesOf(context, 0, 1, 2));
  Compression compression = files.compression;
  return makeFiles(context, std::move(files), [=](auto stream, auto &path) {
    return std::make_unique<LineReader>(std::move(stream), path, compression);
  });
}

INGOT_DATASET(text_line_dataset) = {.make = makeTextLineDataset,
                                    .numInputs = 0,
                                    .operands = recordOperands,
                                    .traits = Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeFixedLengthRecordDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t header, context.integer(1));
  INGOT_ASSIGN_OR_RETURN(int64_t record, context.integer(2));
  INGOT_ASSIGN_OR_RETURN(int64_t footer, context.integer(3));
  constexpr int64_t limit = int64_t(1) << 40;
  if (header < 0 || record <= 0 || footer < 0 || header > limit ||
      record > limit || footer > limit)
    return Status(StatusCode::InvalidArgument,
                  context.name() +
                      ": record_bytes must be from 1 to 2^40, and header_bytes "
                      "and footer_bytes from 0 to 2^40, but they are " +
                      std::to_string(record) + ", " + std::to_string(header) +
                      " and " + std::to_string(footer));
  FixedLengthRecordSizes sizes{static_cast<uint64_t>(header),
                               static_cast<uint64_t>(record),
                               static_cast<uint64_t>(footer)};
  INGOT_ASSIGN_OR_RETURN(DatasetFiles files, filesOf(context, 0, 5, 4));
  Compression compression = files.compression;
  return makeFiles(context, std::move(files), [=](auto stream, auto &path) {
    return std::make_unique<FixedLengthRecordReader>(std::move(stream), path,
                                                     compression, sizes);
  });
}

static constexpr DatasetOperandConstraint blockOperands[] = {
    {"filenames", INGOT_STRING, 1},
    {"header_bytes", INGOT_INT64},
    {"record_bytes", INGOT_INT64, 0, true, 1},
    {"footer_bytes", INGOT_INT64},
    {"buffer_size", INGOT_INT64, 0, false},
    {"compression_type", INGOT_STRING}};
INGOT_DATASET(fixed_length_record_dataset) = {
    .make = makeFixedLengthRecordDataset,
    .numInputs = 0,
    .operands = blockOperands,
    .traits = Exchanges};

} // namespace ingot::input
