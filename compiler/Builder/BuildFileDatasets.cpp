//===- BuildFileDatasets.cpp - Datasets of CSV and TFRecord files ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/Datasets.h"
#include "compiler/Builder/Examples.h"

#include "dialects/Ingot/IR/IngotDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

//===----------------------------------------------------------------------===//
// Datasets of CSV files
//===----------------------------------------------------------------------===//

// Returns the fields of a file's first line; each field may be quoted. If the
// file cannot be read, returns std::nullopt and the reason as `error`.
static std::optional<std::vector<std::string>>
readFirstLine(const std::string &file, const CsvOptions &options,
              std::string &error) {
  // Look for the end of the line only in this number of bytes, because a file
  // that is not text may have no line end.
  constexpr size_t limit = 1 << 20;
  llvm::SmallString<128> path(file);
  if (!options.directory.empty() && llvm::sys::path::is_relative(path)) {
    path = options.directory;
    llvm::sys::path::append(path, file);
  }
  if (!options.compression.empty()) {
    error = (path + ": cannot read the names of columns from a file with " +
             options.compression + " compression; state the names")
                .str();
    return std::nullopt;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = (path + ": " + buffer.getError().message()).str();
    return std::nullopt;
  }
  StringRef line = (*buffer)->getBuffer().take_front(limit).take_until(
      [](char c) { return c == '\n' || c == '\r'; });
  std::vector<std::string> fields(1);
  bool isQuoted = false;
  for (char c : line) {
    if (options.quotes && c == '"')
      isQuoted = !isQuoted;
    else if (c == options.delimiter && !isQuoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

std::optional<std::vector<std::string>> csvHeader(const std::string &file,
                                                  const CsvOptions &options,
                                                  std::string &error) {
  if (!options.header && !options.names.empty())
    return options.names;
  auto fields = readFirstLine(file, options, error);
  if (fields && !options.header)
    for (auto [number, field] : llvm::enumerate(*fields))
      field = std::to_string(number);
  return fields;
}

// Returns the position of each of `columns` in a line, counted from 0. Reports
// an error and returns std::nullopt if a file lacks a column, or if the
// positions in two files differ.
static std::optional<std::vector<int64_t>>
findColumns(GraphImpl &data, const std::vector<std::string> &files,
            const std::vector<CsvColumn> &columns, const CsvOptions &options) {
  std::optional<std::vector<int64_t>> places;
  for (const std::string &file : files) {
    std::string error;
    auto header = csvHeader(file, options, error);
    if (!header) {
      data.error("", error);
      return std::nullopt;
    }
    std::vector<int64_t> found;
    for (const CsvColumn &column : columns) {
      auto it = llvm::find(*header, column.name);
      if (it == header->end()) {
        data.error(file, "has no column '" + column.name + "'; it has '" +
                             llvm::join(*header, "', '") + "'");
        return std::nullopt;
      }
      found.push_back(it - header->begin());
    }
    if (places && *places != found) {
      size_t at =
          std::mismatch(found.begin(), found.end(), places->begin()).first -
          found.begin();
      data.error(file, "columns must be in the same order as in '" +
                           files.front() + "', but column '" +
                           columns[at].name + "' is at position " +
                           llvm::Twine(found[at]) + " instead of " +
                           llvm::Twine((*places)[at]));
      return std::nullopt;
    }
    places = found;
  }
  return places;
}

// Returns the value that empty fields of `column` get, in the form of
// TensorFlow's record_defaults: a constant vector of one element. The vector is
// empty if the column has no default; an empty field is then an error.
static Value defaultOf(GraphImpl &data, const CsvColumn &column) {
  bool isText = column.dtype == DType::String;
  bool hasDefault =
      isText ? column.text.has_value() : column.number.has_value();
  if (isText) {
    std::vector<std::string> texts;
    if (hasDefault)
      texts.push_back(*column.text);
    return data.strings(texts);
  }
  auto type = data.tensorType(column.dtype, {hasDefault ? 1 : 0}, column.name);
  if (!hasDefault)
    return data.constant(
        DenseElementsAttr::get(type, ArrayRef<mlir::Attribute>()));
  return data.constant(splat(type, *column.number));
}

static DatasetWithComponentNames buildCsv(GraphImpl &data,
                                          const std::vector<std::string> &files,
                                          const std::vector<CsvColumn> &columns,
                                          const CsvOptions &options) {
  if (files.empty() || columns.empty()) {
    data.error("csv", files.empty() ? "no files given; give at least one"
                                    : "no columns given; give at least one");
    return {};
  }
  bool byName = options.header || !options.names.empty();
  std::vector<int64_t> places;
  if (byName) {
    auto found = findColumns(data, files, columns, options);
    if (!found)
      return {};
    places = *found;
  }
  // Maps the position of each column in a line to the column's index in
  // `columns`. The map is sorted by position, because csv_dataset returns the
  // columns in the order of the line. That is also why a column can be selected
  // only once.
  std::map<int64_t, size_t> order;
  for (size_t index = 0; index < columns.size(); ++index)
    if (!order.emplace(byName ? places[index] : index, index).second) {
      data.error(columns[index].name,
                 "this column is selected twice; select each column once");
      return {};
    }
  DatasetWithComponentNames built;
  SmallVector<Value> operands;
  SmallVector<Type> components;
  std::vector<int64_t> selected;
  for (auto [place, index] : order) {
    const CsvColumn &column = columns[index];
    operands.push_back(defaultOf(data, column));
    components.push_back(data.tensorType(column.dtype, {}, column.name));
    built.names.push_back(column.name);
    if (byName)
      selected.push_back(place);
  }
  operands.push_back(data.strings(files));
  operands.push_back(data.string(options.compression));
  operands.push_back(data.ints(256 << 10, true, true));
  operands.push_back(data.boolean(options.header));
  operands.push_back(data.string(std::string(1, options.delimiter)));
  operands.push_back(data.boolean(options.quotes));
  operands.push_back(data.string(options.missing));
  operands.push_back(data.ints(selected, false, true));
  operands.push_back(data.ints({}, false, true));
  built.value = addDataset(data, "csv_dataset", operands, components);
  return built;
}

Dataset Dataset::csv(std::vector<std::string> files,
                     std::vector<CsvColumn> columns, CsvOptions options) {
  return makeDataset([files = std::move(files), columns = std::move(columns),
                      options = std::move(options)](GraphImpl &data) {
    return buildCsv(data, files, columns, options);
  });
}

//===----------------------------------------------------------------------===//
// Datasets of TFRecord files, and of the tf.Examples in them
//===----------------------------------------------------------------------===//

Dataset Dataset::records(std::vector<std::string> files,
                         std::string compression, int64_t cycle) {
  return makeDataset([=, files = std::move(files)](GraphImpl &data) {
    if (files.empty()) {
      data.error("records", "no files given; give at least one");
      return DatasetWithComponentNames();
    }
    Type text = data.tensorType(DType::String, {}, "");
    auto recordsOf = [&](Value names) {
      return addDataset(
          data, "tf_record_dataset",
          {names, data.string(compression), data.ints(256 << 10, true, true)},
          text);
    };
    Value names = data.strings(files);
    if (cycle <= 1)
      return DatasetWithComponentNames{recordsOf(names), {"record"}};
    Value input = addDataset(data, "tensor_slice_dataset", names, text);
    SmallVector<Value> operands{input, data.ints(cycle, true, true),
                                data.ints(1, true, true)};
    OperationState state(data.newLocation("interleave"),
                         "ingot.interleave_dataset");
    state.addOperands(operands);
    state.addTypes(input.getType());
    Region *region = state.addRegion();
    Block &block = region->emplaceBlock();
    Value file = block.addArgument(text, state.location);
    Operation *op = data.builder.create(state);
    data.within(&op->getRegion(0).front(), [&] {
      OperationState yield(op->getLoc(), "ingot.yield");
      yield.addOperands(recordsOf(file));
      data.builder.create(yield);
    });
    return DatasetWithComponentNames{op->getResult(0), {"record"}};
  });
}

Operation *parseRecords(GraphImpl &data, Value records,
                        llvm::ArrayRef<ExampleFeature> features,
                        llvm::ArrayRef<int64_t> batch) {
  SmallVector<Value> operands{records};
  SmallVector<StringRef> keys;
  SmallVector<mlir::Attribute> shapes;
  SmallVector<Type> results;
  for (const ExampleFeature &feature : features) {
    ElementsAttr absent = data.elements(
        feature.whereAbsent ? *feature.whereAbsent
                            : Array::fromBytes(feature.dtype, {0}, ""),
        feature.name);
    Shape shape(batch.begin(), batch.end());
    shape.insert(shape.end(), feature.shape.begin(), feature.shape.end());
    Type type = data.tensorType(feature.dtype, shape, feature.name);
    if (!absent || !type)
      return nullptr;
    operands.push_back(data.constant(absent));
    keys.push_back(feature.name);
    shapes.push_back(data.builder.getDenseI64ArrayAttr(feature.shape));
    results.push_back(type);
  }
  return data.create(
      "parse_example", operands,
      {data.builder.getNamedAttr("keys", data.builder.getStrArrayAttr(keys)),
       data.builder.getNamedAttr("dense_shapes",
                                 data.builder.getArrayAttr(shapes))},
      results);
}

Dataset Dataset::parseExamples(std::vector<ExampleFeature> features) const {
  return makeDataset(
      [input = node, features = std::move(features)](GraphImpl &data) {
        DatasetWithComponentNames built = input->build(data);
        if (!built.value)
          return built;
        auto it = llvm::find(built.names, "record");
        if (it == built.names.end()) {
          data.error("parse_example",
                     "the input needs a component 'record': give the "
                     "dataset that records() returns");
          return DatasetWithComponentNames();
        }
        size_t place = it - built.names.begin();
        SmallVector<Type> types;
        std::vector<std::string> names;
        bool ok = true;
        FlatSymbolRefAttr symbol = addFunction(
            data, "parse", built,
            [&](const Element &element) {
              Operation *op =
                  parseRecords(data, unwrap(element[place]), features, {});
              ok = op != nullptr;
              if (!ok)
                return SmallVector<Value>();
              for (const ExampleFeature &feature : features)
                names.push_back(feature.name);
              return SmallVector<Value>(op->getResults());
            },
            types);
        if (!ok || types.empty()) {
          if (ok)
            data.error("parse_example", "no features given; give at least one");
          return DatasetWithComponentNames();
        }
        Value value = addDataset(data, "map_dataset", built.value, types,
                                 data.builder.getNamedAttr("function", symbol));
        return DatasetWithComponentNames{value, names};
      });
}

} // namespace ingot::graph
