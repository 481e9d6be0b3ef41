//===- TableOps.cpp - Lookup tables ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/DataFile.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/RankGroup.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ParseNumber.h"

#include <algorithm>
#include <cstring>

using namespace ingot;
using namespace ingot::ops;

static LookupTable &tableOf(OpKernelContext &op) {
  return op.context().tables[static_cast<size_t>(op.integer("table", 0))];
}

/// Returns the bytes of element `i` of the input, valid while it is.
static std::string_view keyAt(const OpInput &input, size_t i) {
  if (input.dtype() == INGOT_STRING)
    return input.text(i);
  size_t size = elementSize(input.dtype());
  return {static_cast<const char *>(input.data()) + i * size, size};
}

/// Returns elements [i * count, (i + 1) * count) of the input, as the bytes
/// that a LookupTable stores.
static std::string bytesOf(const OpInput &input, size_t i, size_t count = 1) {
  if (count == 1)
    return std::string(keyAt(input, i));
  if (input.dtype() == INGOT_STRING) {
    std::vector<std::string> texts;
    for (size_t j = 0; j < count; ++j)
      texts.emplace_back(input.text(i * count + j));
    return packTexts(texts);
  }
  size_t size = elementSize(input.dtype()) * count;
  return std::string(static_cast<const char *>(input.data()) + i * size, size);
}

/// Writes elements [i * count, (i + 1) * count) of `data` from the bytes that a
/// LookupTable stores. The inverse of bytesOf().
static Status writeElements(OpKernelContext &op, int32_t dtype,
                            const std::string &bytes, void *data, size_t i,
                            size_t count = 1) {
  if (dtype != INGOT_STRING) {
    size_t size = elementSize(dtype) * count;
    std::memcpy(static_cast<char *>(data) + i * size, bytes.data(), size);
    return Status::ok();
  }
  auto *texts = static_cast<ingot_string *>(data) + i * count;
  if (count == 1) {
    INGOT_ASSIGN_OR_RETURN(*texts, op.string(bytes));
    return Status::ok();
  }
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> packed, unpackTexts(bytes));
  for (const std::string &text : packed) {
    INGOT_ASSIGN_OR_RETURN(*texts++, op.string(text));
  }
  return Status::ok();
}

static std::vector<std::string> elementsOf(const OpInput &input) {
  std::vector<std::string> elements(static_cast<size_t>(input.numElements()));
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = bytesOf(input, i);
  return elements;
}

/// Returns `dims` followed by the dimensions of one value of the table.
static std::vector<int64_t> valuesShape(std::span<const int64_t> dims,
                                        const LookupTable &table) {
  std::vector<int64_t> shape(dims.begin(), dims.end());
  const ingot_tensor_spec &value = table.description.value;
  shape.insert(shape.end(), value.dims, value.dims + value.rank);
  return shape;
}

// Looks up keys in a table. Inputs: the keys, and the value for keys that are
// not in the table: one for all keys, or one for each.
INGOT_RUNTIME_OP(table_find) {
  LookupTable &table = tableOf(op);
  if (op.flag("initialized_once") && !table.isInitialized())
    return Status(StatusCode::FailedPrecondition, "Table not initialized.");
  OpInput keys = op.input(0), byDefault = op.input(1);
  size_t count = valueElements(table.description);
  bool isForAll = std::ranges::equal(byDefault.dims(), valuesShape({}, table));
  std::vector<int64_t> shape = valuesShape(keys.dims(), table);
  if (!isForAll && !std::ranges::equal(byDefault.dims(), shape))
    return op.invalid("the default value must have shape " +
                      dimsText(valuesShape({}, table)) +
                      " (one for all keys) or " + dimsText(shape) +
                      " (one per key), but has shape " +
                      dimsText(byDefault.dims()));
  INGOT_ASSIGN_OR_RETURN(void *values, op.allocate(0, shape));
  Status status;
  auto write = [&](size_t i, const std::string *value) {
    int32_t dtype = byDefault.dtype();
    Status written =
        value ? writeElements(op, dtype, *value, values, i, count)
              : writeElements(op, dtype,
                              bytesOf(byDefault, isForAll ? 0 : i, count),
                              values, i, count);
    if (!written.isOk())
      status = std::move(written);
  };
  table.find(
      static_cast<size_t>(keys.numElements()),
      [&](size_t i) { return keyAt(keys, i); }, write);
  return status;
}

static std::vector<LookupTable::Entry>
entriesOf(const OpInput &keys, const OpInput &values, size_t count) {
  std::vector<LookupTable::Entry> entries;
  for (size_t i = 0; i < static_cast<size_t>(keys.numElements()); ++i)
    entries.emplace_back(bytesOf(keys, i), bytesOf(values, i, count));
  return entries;
}

// Writes entries to a table. Inputs: their keys and values. Attribute `mode`
// says whether the entries are added, replace all earlier ones, or initialize
// the table.
INGOT_RUNTIME_OP(table_insert) {
  LookupTable &table = tableOf(op);
  OpInput keys = op.input(0), values = op.input(1);
  if (!std::ranges::equal(values.dims(), valuesShape(keys.dims(), table)))
    return op.invalid("values have shape " + dimsText(values.dims()) +
                      ", but keys of shape " + dimsText(keys.dims()) +
                      " need values of shape " +
                      dimsText(valuesShape(keys.dims(), table)));
  auto entries = entriesOf(keys, values, valueElements(table.description));
  std::string_view mode = op.text("mode", "insert");
  if (mode == "initialize")
    return table.initialize(std::move(entries));
  if (mode == "assign")
    table.assign(std::move(entries));
  else
    table.insert(std::move(entries));
  return Status::ok();
}

// Removes keys from a table. Input: the keys.
INGOT_RUNTIME_OP(table_remove) {
  tableOf(op).remove(elementsOf(op.input(0)));
  return Status::ok();
}

// Returns the number of entries of a table.
INGOT_RUNTIME_OP(table_size) {
  INGOT_ASSIGN_OR_RETURN(auto size, op.output<int64_t>(0, {}));
  size[0] = static_cast<int64_t>(tableOf(op).size());
  return Status::ok();
}

// Returns the contents of a table. Outputs: all keys, and their values.
INGOT_RUNTIME_OP(table_export) {
  LookupTable &table = tableOf(op);
  std::vector<LookupTable::Entry> entries = table.list();
  int64_t size[] = {static_cast<int64_t>(entries.size())};
  INGOT_ASSIGN_OR_RETURN(void *keys, op.allocate(0, size));
  INGOT_ASSIGN_OR_RETURN(void *values,
                         op.allocate(1, valuesShape(size, table)));
  for (size_t i = 0; i < entries.size(); ++i) {
    INGOT_RETURN_IF_ERROR(
        writeElements(op, op.outputType(0), entries[i].first, keys, i));
    INGOT_RETURN_IF_ERROR(writeElements(op, op.outputType(1), entries[i].second,
                                        values, i,
                                        valueElements(table.description)));
  }
  return Status::ok();
}

static std::vector<std::string_view> split(std::string_view text,
                                           char delimiter) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t end = std::min(text.find(delimiter), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size())
      return parts;
    text.remove_prefix(end + 1);
  }
}

/// Returns the key or value that a line of a vocabulary file provides, as bytes
/// of type `dtype`: the whole line if `index` is -2, the line's number if it is
/// -1, otherwise the column `index`.
static Expected<std::string> elementOf(OpKernelContext &op,
                                       const std::string &path, int64_t index,
                                       int32_t dtype, std::string_view line,
                                       int64_t number, char delimiter) {
  if (index == -1)
    return std::string(reinterpret_cast<const char *>(&number), sizeof(number));
  std::string_view text = line;
  auto fail = [&](const std::string &what) {
    int64_t fromOne = number - op.integer("offset", 0) + 1;
    return op.invalid("'" + path + "', line " + std::to_string(fromOne) + ": " +
                      what);
  };
  if (index >= 0) {
    std::vector<std::string_view> columns = split(line, delimiter);
    if (static_cast<size_t>(index) >= columns.size())
      return fail("expected at least " + std::to_string(index + 1) +
                  " columns, found " + std::to_string(columns.size()));
    text = columns[static_cast<size_t>(index)];
  }
  if (dtype == INGOT_STRING)
    return std::string(text);
  std::string bytes(elementSize(dtype), '\0');
  if (!parseNumber(text, dtype, bytes.data()))
    return fail("'" + std::string(text) + "' is not a valid " +
                dtypeName(dtype));
  return bytes;
}

// Inserts the lines of a vocabulary file into a table. A relative path is
// resolved against the data directory.
INGOT_RUNTIME_OP(table_insert_file) {
  std::string path = pathOfDataFile(op, op.input(0).text(0));
  INGOT_ASSIGN_OR_RETURN(std::string content, readDataFile(op, path));
  if (content.ends_with('\n'))
    content.pop_back();
  std::string_view delimiter = op.text("delimiter", "\t");
  // `offset` is added to line numbers: it is the number of the first line.
  int64_t offset = op.integer("offset", 0),
          limit = op.integer("vocab_size", -1);
  std::vector<LookupTable::Entry> entries;
  if (!content.empty())
    for (std::string_view line : split(content, '\n')) {
      auto count = static_cast<int64_t>(entries.size());
      if (limit >= 0 && count >= limit)
        break;
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      char by = delimiter.empty() ? '\t' : delimiter.front();
      INGOT_ASSIGN_OR_RETURN(
          std::string key,
          elementOf(op, path, op.integer("key_index", -2),
                    static_cast<int32_t>(op.integer("key_type", 0)), line,
                    count + offset, by));
      INGOT_ASSIGN_OR_RETURN(
          std::string value,
          elementOf(op, path, op.integer("value_index", -1),
                    static_cast<int32_t>(op.integer("value_type", 0)), line,
                    count + offset, by));
      entries.emplace_back(std::move(key), std::move(value));
    }
  if (limit >= 0 && static_cast<int64_t>(entries.size()) < limit)
    return op.invalid("'" + path + "' has " + std::to_string(entries.size()) +
                      " entries, expected " + std::to_string(limit));
  return tableOf(op).initialize(std::move(entries));
}
