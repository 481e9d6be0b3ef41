//===- CsvDataset.cpp - Elements from CSV files ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// CSVDataset and CSVDatasetV2: an element has a scalar for each selected
// column. Empty fields, and fields that equal na_value, have the column's
// default value.
//===----------------------------------------------------------------------===//
#include "runtime/Input/CsvReader.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/FileDatasets.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ParseNumber.h"

#include <algorithm>

namespace ingot::input {

namespace {

/// The columns that the dataset selects. Converts the fields of a row in these
/// columns to the tensors of an element.
class SelectedCsvColumns {
public:
  SelectedCsvColumns(TensorMemoryPool &pool, CsvFormat format,
                     std::string missing, std::vector<int64_t> selected,
                     std::vector<int64_t> excluded, Element defaults)
      : pool(pool), format(format), missing(std::move(missing)),
        selected(std::move(selected)), excluded(std::move(excluded)),
        defaults(std::move(defaults)) {}

  Status operator()(std::string_view record, Element &element) const {
    element.clear();
    CsvRowParser row(record, format);
    for (int64_t column = 0; !row.isDone(); ++column) {
      std::string_view field;
      if (const char *error = row.next(field))
        return invalid("column " + std::to_string(column) + ": " + error);
      if (!isWanted(column))
        continue;
      if (element.size() == defaults.size())
        return invalid("expected " + std::to_string(defaults.size()) +
                       " fields, found more");
      INGOT_RETURN_IF_ERROR(add(field, column, element));
    }
    if (element.size() != defaults.size())
      return invalid("expected " + std::to_string(defaults.size()) +
                     " fields, found " + std::to_string(element.size()));
    return Status::ok();
  }

private:
  static Status invalid(std::string message) {
    return Status(StatusCode::InvalidArgument, std::move(message));
  }

  bool isWanted(int64_t column) const {
    return selected.empty() ? !std::ranges::binary_search(excluded, column)
                            : std::ranges::binary_search(selected, column);
  }

  Status add(std::string_view field, int64_t column, Element &element) const {
    const Tensor &byDefault = defaults[element.size()];
    int32_t dtype = byDefault.dtype();
    if (field.empty() || field == missing) {
      if (byDefault.numElements() != 1)
        return invalid("column " + std::to_string(column) +
                       " is required, but missing");
      element.push_back(Tensor::copy(pool, dtype, {}, byDefault.data()));
      return Status::ok();
    }
    if (dtype == INGOT_STRING) {
      element.push_back(Tensor::string(pool, field));
      return Status::ok();
    }
    Tensor value = Tensor::allocate(pool, dtype, {});
    if (!parseNumber(field, dtype, value.mutableData()))
      return invalid("column " + std::to_string(column) + " is not a valid " +
                     dtypeName(dtype) + ": " + std::string(field));
    element.push_back(std::move(value));
    return Status::ok();
  }

  TensorMemoryPool &pool;
  CsvFormat format;
  std::string missing;
  std::vector<int64_t> selected, excluded;
  Element defaults;
};

/// Returns the column indices in operand `number`, which messages call `what`,
/// in ascending order.
Expected<std::vector<int64_t>> columnsOf(const DatasetContext &context,
                                         uint32_t number, const char *what) {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand operand,
                         context.operand(number, INGOT_INT64, 1));
  const auto *data = static_cast<const int64_t *>(operand.data);
  std::vector<int64_t> columns(data, data + operand.numElements());
  if (std::ranges::adjacent_find(columns, std::greater_equal<>()) !=
          columns.end() ||
      (!columns.empty() && columns.front() < 0))
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": " + what +
                      " must be column indices, from 0 and in ascending order "
                      "without repetition, such as [0, 2, 5]");
  return columns;
}

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeCSVDataset(const DatasetContext &context) {
  // The last nine operands are filenames, compression_type, buffer_size,
  // header, field_delim, use_quote_delim, na_value, select_cols and
  // exclude_cols; the columns' defaults come before them.
  uint32_t first = context.dataset().num_operands - 9;
  INGOT_ASSIGN_OR_RETURN(Element defaults, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(DatasetFiles files,
                         filesOf(context, first, first + 1, first + 2));
  CsvFormat format;
  INGOT_ASSIGN_OR_RETURN(format.hasHeader, context.boolean(first + 3));
  INGOT_ASSIGN_OR_RETURN(DatasetOperand delimiter,
                         context.operand(first + 4, INGOT_STRING, 0));
  INGOT_ASSIGN_OR_RETURN(format.usesQuotes, context.boolean(first + 5));
  INGOT_ASSIGN_OR_RETURN(DatasetOperand missing,
                         context.operand(first + 6, INGOT_STRING, 0));
  INGOT_ASSIGN_OR_RETURN(auto selected,
                         columnsOf(context, first + 7, "select_cols"));
  INGOT_ASSIGN_OR_RETURN(auto excluded,
                         columnsOf(context, first + 8, "exclude_cols"));
  auto invalid = [&](const std::string &what) {
    return Status(StatusCode::InvalidArgument, context.name() + ": " + what);
  };
  if (delimiter.string().size() != 1)
    return invalid("field_delim must be one character, but is '" +
                   std::string(delimiter.string()) + "'");
  format.delimiter = delimiter.string().front();
  if (!selected.empty() && !excluded.empty())
    return invalid("select_cols and exclude_cols are both given: one of them "
                   "must be empty");
  if (!selected.empty() && selected.size() != defaults.size())
    return invalid("select_cols lists " + std::to_string(selected.size()) +
                   " columns, but record_defaults has " +
                   std::to_string(defaults.size()) + " values");
  for (size_t i = 0; i < defaults.size(); ++i)
    if (defaults[i].shape().size() > 1 || defaults[i].numElements() > 1)
      return invalid("the default of component " + std::to_string(i) +
                     " has shape " + shapeText(defaults[i].shape()) +
                     ", expected at most one element");
  Compression compression = files.compression;
  return makeFiles(
      context, std::move(files),
      [=](auto stream, auto &path) {
        return std::make_unique<CsvReader>(std::move(stream), path, compression,
                                           format);
      },
      SelectedCsvColumns(context.env().pool, format,
                         std::string(missing.string()), std::move(selected),
                         std::move(excluded), std::move(defaults)));
}

static constexpr DatasetOperandConstraint csvOperands[] = {

    {"filenames", INGOT_STRING, 1},
    {"compression_type", INGOT_STRING},
    {"buffer_size", INGOT_INT64, 0, false},
    {"header", INGOT_BOOL},
    {"field_delim", INGOT_STRING},
    {"use_quote_delim", INGOT_BOOL},
    {"na_value", INGOT_STRING},
    {"select_cols", INGOT_INT64, 1},
    {"exclude_cols", INGOT_INT64, 1}};
INGOT_DATASET(csv_dataset) = {.make = makeCSVDataset,
                              .numInputs = 0,
                              .variadic = true,
                              .operands = csvOperands};

} // namespace ingot::input
