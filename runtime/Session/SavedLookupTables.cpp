//===- SavedLookupTables.cpp - The lookup tables of a checkpoint ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/SavedLookupTables.h"

#include "runtime/Session/Program.h"
#include "runtime/Session/RankGroup.h"
#include "runtime/Support/DType.h"

#include <algorithm>

using namespace ingot;

std::vector<SavedLookupTableItem>
ingot::tableItems(const ingot_program &program, int32_t saver) {
  std::vector<SavedLookupTableItem> items;
  std::vector<int32_t> places(program.num_lookup_tables, -1);
  for (uint32_t i = 0; saver >= 0 && i < program.savers[saver].num_items; ++i) {
    const ingot_saved_item &item = program.savers[saver].items[i];
    if (item.lookup_table < 0)
      continue;
    auto table = static_cast<uint32_t>(item.lookup_table);
    if (places[table] < 0) {
      places[table] = static_cast<int32_t>(items.size());
      items.push_back(
          {.table = table, .keys = {}, .values = {}, .shard = item.shard});
    }
    SavedLookupTableItem &saved = items[static_cast<size_t>(places[table])];
    (item.table_values ? saved.values : saved.keys) = item.key;
  }
  if (saver != sessionSaver(program))
    return items;
  for (uint32_t i = 0; i < program.num_lookup_tables; ++i) {
    const ingot_lookup_table &table = program.lookup_tables[i];
    std::string key = "ingot/table/" + std::string(table.name);
    if (places[i] < 0 && (table.flags & INGOT_LOOKUP_TABLE_PERSISTENT))
      items.push_back({.table = i,
                       .keys = key + "/keys",
                       .values = key + "/values",
                       .isUnlisted = true});
  }
  return items;
}

/// Adds a tensor with the keys or values of a table. `elements` are the keys or
/// values as the table stores them; each consists of `count` elements of the
/// tensor.
static Status addTensor(std::string key, int32_t dtype, Shape shape,
                        uint32_t shard, size_t count,
                        const std::vector<const std::string *> &elements,
                        StateToSave &state) {
  TensorToSave item;
  item.key = std::move(key);
  item.dtype = dtype;
  item.shape = std::move(shape);
  item.shard = shard;
  if (dtype != INGOT_STRING) {
    std::string &bytes = state.texts.emplace_back();
    for (const std::string *element : elements)
      bytes += *element;
    item.data = bytes.data();
  } else {
    std::vector<std::string> &texts = state.strings.emplace_back();
    for (const std::string *element : elements) {
      if (count == 1) {
        texts.push_back(*element);
        continue;
      }
      INGOT_ASSIGN_OR_RETURN(std::vector<std::string> parts,
                             unpackTexts(*element));
      texts.insert(texts.end(), parts.begin(), parts.end());
    }
    item.data = texts.data();
  }
  state.items.push_back(std::move(item));
  return Status::ok();
}

/// Returns the shape of a tensor that holds `count` values of a table.
static Shape valuesShape(int64_t count, const ingot_lookup_table &table) {
  Shape shape = {count};
  shape.insert(shape.end(), table.value.dims,
               table.value.dims + table.value.rank);
  return shape;
}

Status ingot::addTables(const ingot_context &context, int32_t saver,
                        VariablesToSave variables, StateToSave &state) {
  for (SavedLookupTableItem &saved : tableItems(*context.program, saver)) {
    if (saved.isUnlisted && variables == VariablesToSave::Listed)
      continue;
    const LookupTable &table = context.tables[saved.table];
    const ingot_lookup_table &description = table.description;
    std::vector<LookupTable::Entry> entries = table.list();
    std::vector<const std::string *> keys, values;
    for (const LookupTable::Entry &entry : entries) {
      keys.push_back(&entry.first);
      values.push_back(&entry.second);
    }
    auto count = static_cast<int64_t>(entries.size());
    INGOT_RETURN_IF_ERROR(addTensor(std::move(saved.keys),
                                    description.key_dtype, {count}, saved.shard,
                                    1, keys, state));
    INGOT_RETURN_IF_ERROR(
        addTensor(std::move(saved.values), description.value.dtype,
                  valuesShape(count, description), saved.shard,
                  valueElements(description), values, state));
  }
  return Status::ok();
}

LookupTableRestorer::LookupTableRestorer(ingot_context &context, int32_t saver)
    : context(context), items(tableItems(*context.program, saver)),
      contents(items.size()) {}

void LookupTableRestorer::addItems(std::vector<TensorToRestore> &restored) {
  firstItem = restored.size();
  for (size_t i = 0; i < items.size(); ++i) {
    const ingot_lookup_table &table =
        context.tables[items[i].table].description;
    TensorToRestore item;
    item.optional = items[i].isUnlisted;
    item.keepsName = items[i].isUnlisted;
    item.key = items[i].keys;
    item.dtype = table.key_dtype;
    item.shape = {-1};
    item.whole = &contents[i].keys;
    restored.push_back(item);
    item.key = items[i].values;
    item.dtype = table.value.dtype;
    item.shape = valuesShape(-1, table);
    item.whole = &contents[i].values;
    restored.push_back(std::move(item));
  }
}

std::string LookupTableRestorer::unlistedName(size_t item) const {
  if (item < firstItem || item >= firstItem + 2 * items.size())
    return "";
  const SavedLookupTableItem &saved = items[(item - firstItem) / 2];
  return saved.isUnlisted ? context.tables[saved.table].description.name : "";
}

bool LookupTableRestorer::isMissing(size_t i,
                                    std::span<const size_t> missing) const {
  return std::ranges::binary_search(missing, firstItem + 2 * i) ||
         std::ranges::binary_search(missing, firstItem + 2 * i + 1);
}

/// The number of elements of a tensor of type `dtype` that was read whole.
static size_t countElements(const TensorData &tensor, int32_t dtype) {
  return dtype == INGOT_STRING ? tensor.strings.size()
                               : tensor.bytes.size() / dtypeSize(dtype);
}

size_t LookupTableRestorer::countKeys(size_t i) const {
  return countElements(contents[i].keys,
                       context.tables[items[i].table].description.key_dtype);
}

size_t LookupTableRestorer::countValues(size_t i) const {
  const ingot_lookup_table &table = context.tables[items[i].table].description;
  size_t elements = valueElements(table);
  // If values have no elements, the size of the tensor of values does not show
  // how many values there are. Assumes one value for each key.
  return elements == 0
             ? countKeys(i)
             : countElements(contents[i].values, table.value.dtype) / elements;
}

Status LookupTableRestorer::check(std::span<const size_t> missing) const {
  for (size_t i = 0; i < items.size(); ++i)
    if (!isMissing(i, missing) && countKeys(i) != countValues(i))
      return Status(
          StatusCode::DataLoss,
          "'" + items[i].keys + "' has " + std::to_string(countKeys(i)) +
              " keys for the " + std::to_string(countValues(i)) +
              " values in '" + items[i].values +
              "', expected one key for each value: the checkpoint is damaged");
  return Status::ok();
}

/// Takes elements [i * count, (i + 1) * count) out of a tensor, as the bytes
/// that a LookupTable stores.
static std::string takeElements(TensorData &tensor, int32_t dtype, size_t i,
                                size_t count) {
  if (dtype != INGOT_STRING) {
    size_t size = dtypeSize(dtype) * count;
    return tensor.bytes.substr(i * size, size);
  }
  if (count == 1)
    return std::move(tensor.strings[i]);
  auto first = tensor.strings.begin() + static_cast<ptrdiff_t>(i * count);
  return packTexts({first, first + static_cast<ptrdiff_t>(count)});
}

void LookupTableRestorer::finish(std::span<const size_t> missing) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (isMissing(i, missing))
      continue;
    LookupTable &table = context.tables[items[i].table];
    std::vector<LookupTable::Entry> entries(countKeys(i));
    for (size_t at = 0; at < entries.size(); ++at)
      entries[at] = {
          takeElements(contents[i].keys, table.description.key_dtype, at, 1),
          takeElements(contents[i].values, table.description.value.dtype, at,
                       valueElements(table.description))};
    table.assign(std::move(entries));
  }
}
