//===- RecordFileSource.cpp - Readers of files that a queue names ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// TFRecordReader, TextLineReader, FixedLengthRecordReader, WholeFileReader and
// IdentityReader. When a reader has no open file, it takes the name of the next
// file from a queue. Runners that share a reader take turns with its records.
//===----------------------------------------------------------------------===//
#include "runtime/Input/LineReader.h"
#include "runtime/Input/QueueNode.h"
#include "runtime/Input/RecordReader.h"
#include "runtime/Input/TensorState.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <utility>

namespace ingot::input {

namespace {

/// The largest size in bytes of a fixed-length record, of the file's header and
/// footer, and of hop_bytes, the distance between successive records.
constexpr uint64_t maxSize = uint64_t(1) << 40;

enum class ReaderKind { Records, Lines, FixedLength, Whole, Identity };

struct FixedLengthReaderSizes {
  uint64_t header = 0, record = 0, footer = 0, hop = 0;
};

/// Reads records of a fixed length. Each record begins `hop` bytes after the
/// beginning of the previous one. Like TensorFlow's reader, skips an incomplete
/// record at the end of the file.
class FixedStrideRecordReader final : public FileReader {
public:
  FixedStrideRecordReader(std::unique_ptr<ByteStream> stream, std::string path,
                          Compression compression, FixedLengthReaderSizes sizes)
      : FileReader(std::move(stream), std::move(path), compression),
        sizes(sizes) {}

  Status next(std::string_view &record, bool &end) override {
    // Skip to this record only now: until this call, the caller could use the
    // bytes of the previous record.
    uint64_t skipped = 0;
    INGOT_RETURN_IF_ERROR(stream->skip(std::exchange(passed, 0), skipped));
    if (stream->offset() == 0)
      INGOT_RETURN_IF_ERROR(stream->skip(sizes.header, skipped));
    INGOT_RETURN_IF_ERROR(stream->peek(sizes.record + sizes.footer, record));
    end = record.size() < sizes.record + sizes.footer;
    if (end)
      return Status::ok();
    record = record.substr(0, sizes.record);
    passed = sizes.hop ? sizes.hop : sizes.record;
    ++numRead;
    return Status::ok();
  }
  Status skip(bool &end) override {
    std::string_view record;
    return next(record, end);
  }

  /// The distance in bytes from the current record to the next record. next()
  /// skips this distance only when it is called again: until then the current
  /// record's bytes must stay valid.
  uint64_t passed = 0;

private:
  FixedLengthReaderSizes sizes;
};

class QueuedFileSource final : public RecordFileSource {
public:
  QueuedFileSource(const DatasetContext &context, QueuePipelineSource &names,
                   ReaderKind kind, Compression compression,
                   FixedLengthReaderSizes sizes, uint64_t headerLines)
      : environment(context.env()), name(context.name()), names(names),
        kind(kind), compression(compression), sizes(sizes),
        headerLines(headerLines) {}

  Status start() override {
    reader.reset();
    isOpen = false;
    pending.clear();
    return Status::ok();
  }

  Status take(Element &element, Outcome &outcome) override {
    if (pending.empty())
      return takeNext(element, outcome);
    element = std::move(pending.front());
    pending.erase(pending.begin());
    outcome = Outcome::Done;
    return Status::ok();
  }

  Status takeUpTo(int64_t count, std::vector<Element> &records,
                  Outcome &outcome) override {
    // A failure, such as an interrupted wait for a pipe, must not lose the
    // records that were read before it: they stay in `pending`.
    auto wanted = static_cast<size_t>(count);
    while (pending.size() < wanted) {
      Element record;
      if (pending.empty()) {
        INGOT_RETURN_IF_ERROR(takeNext(record, outcome));
        if (outcome != Outcome::Done)
          return Status::ok();
      } else {
        bool end = !isOpen;
        if (!end)
          INGOT_RETURN_IF_ERROR(read(record, end).withContext(name));
        if (end)
          break;
      }
      pending.push_back(std::move(record));
    }
    auto last = pending.begin() +
                static_cast<ptrdiff_t>(std::min(wanted, pending.size()));
    records.insert(records.end(), std::make_move_iterator(pending.begin()),
                   std::make_move_iterator(last));
    pending.erase(pending.begin(), last);
    outcome = Outcome::Done;
    return Status::ok();
  }

  void save(NodeState &state) const override {
    for (const Element &record : pending)
      saveTensors(record, *state.add_contents()->mutable_components());
    if (!isOpen)
      return;
    saveTensor(work, *state.add_tensors());
    if (!reader)
      return;
    state.set_offset(place.offset);
    state.set_record(place.record);
    state.set_position(place.passed);
  }

  Status restore(const NodeState &state) override {
    INGOT_RETURN_IF_ERROR(start());
    for (const proto::ElementState &saved : state.contents()) {
      INGOT_ASSIGN_OR_RETURN(
          Element record, restoreTensors(environment.pool, saved.components()));
      auto isText = [](const Tensor &tensor) {
        return tensor.dtype() == INGOT_STRING && tensor.shape().empty();
      };
      if (record.size() != 2 || !std::ranges::all_of(record, isText))
        return badState(name + ": a record has " +
                        std::to_string(record.size()) +
                        " components, expected a key and a value, two scalar "
                        "strings");
      pending.push_back(std::move(record));
    }
    if (state.tensors_size() == 0)
      return Status::ok();
    INGOT_ASSIGN_OR_RETURN(work,
                           restoreTensor(environment.pool, state.tensors(0)));
    if (state.tensors_size() != 1 || work.dtype() != INGOT_STRING ||
        work.numElements() != 1)
      return badState(name + ": the open file is " + dtypeName(work.dtype()) +
                      shapeText(work.shape()) + ", expected one string");
    isOpen = true;
    if (state.offset() == 0 && state.record() == 0)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(open());
    if (kind == ReaderKind::FixedLength)
      hopping().passed = std::min(state.position(), maxSize);
    INGOT_RETURN_IF_ERROR(
        reader->seek(state.offset(), state.record()).withContext(name));
    notePlace();
    return Status::ok();
  }

  std::string describeLatest() const override {
    return reader && reader->record()
               ? reader->describe(reader->record() - 1, latestOffset)
               : std::string();
  }

private:
  std::string workName() const {
    const auto &text = *static_cast<const ingot_string *>(work.data());
    return std::string(text.data, text.size);
  }

  FixedStrideRecordReader &hopping() const {
    return static_cast<FixedStrideRecordReader &>(*reader);
  }

  /// Records the position of the next record. The reader's own position is not
  /// enough: if training is stopped while the reader waits for the rest of a
  /// record, its position is in the middle of that record.
  void notePlace() {
    place = {reader->offset(), reader->record(),
             kind == ReaderKind::FixedLength ? hopping().passed : 0};
  }

  /// Takes the next record of the open file or, at the file's end, the first
  /// record of the next file.
  Status takeNext(Element &element, Outcome &outcome) {
    for (;;) {
      if (!isOpen) {
        INGOT_RETURN_IF_ERROR(takeName(outcome));
        if (outcome != Outcome::Done)
          return Status::ok();
      }
      bool end = false;
      INGOT_RETURN_IF_ERROR(read(element, end).withContext(name));
      if (!end)
        break;
    }
    outcome = Outcome::Done;
    return Status::ok();
  }

  Status takeName(Outcome &outcome) {
    Element element;
    INGOT_RETURN_IF_ERROR(names.take(element, outcome));
    if (outcome != Outcome::Done)
      return Status::ok();
    if (element.size() != 1 || element[0].dtype() != INGOT_STRING ||
        element[0].numElements() != 1)
      return Status(StatusCode::InvalidArgument,
                    name +
                        ": expected to dequeue a one-element string tensor, "
                        "the name of a file, but got " +
                        (element.size() == 1
                             ? dtypeName(element[0].dtype()) +
                                   shapeText(element[0].shape())
                             : std::to_string(element.size()) + " components"));
    work = std::move(element[0]);
    isOpen = true;
    return Status::ok();
  }

  Status open() {
    place = {};
    const InputPipelineOptions &options = environment.options;
    std::string path =
        resolveDataPath(options.dataDirectory, options.dataMap, workName());
    INGOT_ASSIGN_OR_RETURN(
        auto stream, ByteStream::open(*options.fileSystem, path, compression,
                                      1 << 18, options.stopped));
    if (kind == ReaderKind::Records)
      reader =
          std::make_unique<RecordReader>(std::move(stream), path, compression);
    else if (kind == ReaderKind::FixedLength)
      reader = std::make_unique<FixedStrideRecordReader>(
          std::move(stream), path, compression, sizes);
    else
      reader =
          std::make_unique<LineReader>(std::move(stream), path, compression);
    return Status::ok();
  }

  void close() {
    reader.reset();
    isOpen = false;
  }

  void set(Element &element, std::string_view key, std::string_view value) {
    element.resize(2);
    element[0] = Tensor::string(environment.pool, key);
    element[1] = Tensor::string(environment.pool, value);
  }

  /// Reads the next record of the open file; at the file's end, closes the
  /// file.
  Status read(Element &element, bool &end) {
    if (kind == ReaderKind::Whole || kind == ReaderKind::Identity)
      return readFile(element);
    if (!reader) {
      INGOT_RETURN_IF_ERROR(open());
      for (uint64_t i = 0; i < headerLines && !end; ++i)
        INGOT_RETURN_IF_ERROR(reader->skip(end));
      end = false;
      notePlace();
    }
    uint64_t offset = latestOffset = reader->offset();
    std::string_view record;
    INGOT_RETURN_IF_ERROR(reader->next(record, end));
    if (end) {
      close();
      return Status::ok();
    }
    notePlace();
    // The number in the record's key, "FILE:NUMBER". As in TensorFlow it is a
    // TFRecord's offset, a line counted from 1, or a fixed-length record
    // counted from 0.
    uint64_t number = kind == ReaderKind::Records ? offset
                      : kind == ReaderKind::Lines ? reader->record()
                                                  : reader->record() - 1;
    set(element, workName() + ":" + std::to_string(number), record);
    return Status::ok();
  }

  Status readFile(Element &element) {
    std::string text = workName();
    std::string_view value = text;
    std::unique_ptr<ByteStream> stream;
    if (kind == ReaderKind::Whole) {
      const InputPipelineOptions &options = environment.options;
      INGOT_ASSIGN_OR_RETURN(
          stream,
          ByteStream::open(
              *options.fileSystem,
              resolveDataPath(options.dataDirectory, options.dataMap, text),
              Compression::None, 1 << 20, options.stopped));
      INGOT_RETURN_IF_ERROR(stream->read(UINT64_MAX >> 1, value));
    }
    set(element, text, value);
    close();
    return Status::ok();
  }

  IteratorContext &environment;
  std::string name;
  QueuePipelineSource &names;
  ReaderKind kind;
  Compression compression;
  FixedLengthReaderSizes sizes;
  uint64_t headerLines;
  Tensor work; // the name of the open file
  bool isOpen = false;
  std::unique_ptr<FileReader> reader; // null: not opened yet
  uint64_t latestOffset = 0;
  struct ReaderPosition {
    uint64_t offset = 0, record = 0, passed = 0;
  };
  ReaderPosition place; // position of the next record in the open file
  /// Records that takeUpTo() had read when it failed. The next call returns
  /// them first.
  std::vector<Element> pending;
};

} // namespace

static constexpr std::pair<std::string_view, ReaderKind> kinds[] = {
    {"TFRecordReader", ReaderKind::Records},
    {"TextLineReader", ReaderKind::Lines},
    {"FixedLengthRecordReader", ReaderKind::FixedLength},
    {"WholeFileReader", ReaderKind::Whole},
    {"IdentityReader", ReaderKind::Identity}};

Status RecordBatchSource::take(Element &element, Outcome &outcome) {
  std::vector<Element> records;
  INGOT_RETURN_IF_ERROR(reader.takeUpTo(count, records, outcome));
  if (outcome != Outcome::Done)
    return Status::ok();
  int64_t dims[] = {static_cast<int64_t>(records.size())};
  element.clear();
  for (size_t component = 0; component < 2; ++component) {
    std::vector<ingot_string> texts;
    for (const Element &record : records)
      texts.push_back(
          *static_cast<const ingot_string *>(record[component].data()));
    element.push_back(Tensor::copy(pool, INGOT_STRING, dims, texts.data()));
  }
  return Status::ok();
}

Expected<std::unique_ptr<RecordFileSource>>
makeRecordFileSource(const DatasetContext &context,
                     QueuePipelineSource &names) {
  std::string_view kind = context.text("kind");
  auto known = std::ranges::find_if(
      kinds, [&](const auto &row) { return row.first == kind; });
  if (known == std::end(kinds))
    return Status(
        StatusCode::Unimplemented,
        context.name() + ": there is no reader of kind '" + std::string(kind) +
            "', expected TFRecordReader, TextLineReader, "
            "FixedLengthRecordReader, WholeFileReader or IdentityReader");
  auto compression = parseCompression(context.text("compression"));
  if (!compression)
    return compression.takeStatus().withContext(context.name());
  FixedLengthReaderSizes sizes;
  uint64_t headerLines = 0;
  std::pair<const char *, uint64_t *> fields[] = {
      {"header_bytes", &sizes.header},
      {"record_bytes", &sizes.record},
      {"footer_bytes", &sizes.footer},
      {"hop_bytes", &sizes.hop},
      {"skip_header_lines", &headerLines}};
  for (auto [field, to] : fields) {
    int64_t value = context.attribute(field, 0);
    if (value < 0 || static_cast<uint64_t>(value) > maxSize)
      return Status(StatusCode::InvalidArgument,
                    context.name() + ": " + field + " is " +
                        std::to_string(value) + ", expected 0 to 2^40");
    *to = static_cast<uint64_t>(value);
  }
  if (known->second == ReaderKind::FixedLength && sizes.record == 0)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": record_bytes is 0, expected at least 1");
  return {std::make_unique<QueuedFileSource>(context, names, known->second,
                                             *compression, sizes, headerLines)};
}

} // namespace ingot::input
