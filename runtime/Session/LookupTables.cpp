//===- LookupTables.cpp - A program's lookup tables -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/LookupTables.h"

#include "runtime/Session/RankGroup.h"

#include <algorithm>

using namespace ingot;

void LookupTable::set(Entry entry) {
  auto [it, isNew] = values.try_emplace(std::move(entry.first));
  if (isNew)
    it->second.turn = nextTurn++;
  it->second.bytes = std::move(entry.second);
}

void LookupTable::insert(std::vector<Entry> added) {
  std::unique_lock lock(mutex);
  for (Entry &entry : added)
    set(std::move(entry));
}

void LookupTable::assign(std::vector<Entry> added) {
  std::unique_lock lock(mutex);
  values.clear();
  nextTurn = 0;
  for (Entry &entry : added)
    set(std::move(entry));
}

void LookupTable::remove(const std::vector<std::string> &keys) {
  std::unique_lock lock(mutex);
  for (const std::string &key : keys)
    values.erase(key);
}

Status LookupTable::initialize(std::vector<Entry> added) {
  std::unique_lock lock(mutex);
  size_t known = 0;
  for (Entry &entry : added) {
    auto it = values.find(entry.first);
    if (it == values.end()) {
      if (initialized)
        return Status(StatusCode::FailedPrecondition,
                      "Table already initialized.");
      set(std::move(entry));
    } else if (it->second.bytes != entry.second) {
      return Status(StatusCode::FailedPrecondition,
                    "HashTable has different value for same key.");
    } else {
      ++known;
    }
  }
  if (initialized && known < values.size())
    return Status(StatusCode::FailedPrecondition, "Table already initialized.");
  initialized = true;
  return Status::ok();
}

bool LookupTable::isInitialized() const {
  std::shared_lock lock(mutex);
  return initialized;
}

size_t LookupTable::size() const {
  std::shared_lock lock(mutex);
  return values.size();
}

std::vector<LookupTable::Entry> LookupTable::list() const {
  std::vector<std::pair<uint64_t, const std::string *>> order;
  std::shared_lock lock(mutex);
  order.reserve(values.size());
  for (const auto &[key, value] : values)
    order.emplace_back(value.turn, &key);
  std::sort(order.begin(), order.end());
  std::vector<Entry> entries;
  entries.reserve(order.size());
  for (const auto &[turn, key] : order)
    entries.emplace_back(*key, values.find(*key)->second.bytes);
  return entries;
}

std::string LookupTable::state() const {
  std::vector<std::string> parts = {isInitialized() ? "1" : ""};
  for (Entry &entry : list()) {
    parts.push_back(std::move(entry.first));
    parts.push_back(std::move(entry.second));
  }
  return packTexts(parts);
}

Status LookupTable::setState(std::string_view state) {
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> parts, unpackTexts(state));
  if (parts.size() % 2 == 0)
    return Status(StatusCode::Internal, "the state of table '" +
                                            std::string(description.name) +
                                            "' has a key without a value");
  std::vector<Entry> entries;
  for (size_t i = 1; i < parts.size(); i += 2)
    entries.emplace_back(std::move(parts[i]), std::move(parts[i + 1]));
  assign(std::move(entries));
  std::unique_lock lock(mutex);
  initialized = !parts[0].empty();
  return Status::ok();
}

void LookupTables::create(const ingot_program &program) {
  for (uint32_t i = 0; i < program.num_lookup_tables; ++i)
    tables.emplace_back(program.lookup_tables[i]);
}

size_t ingot::valueElements(const ingot_lookup_table &table) {
  size_t count = 1;
  for (uint32_t i = 0; i < table.value.rank; ++i)
    count *= static_cast<size_t>(table.value.dims[i]);
  return count;
}
