//===- LookupTables.cpp - A program's lookup tables -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/LookupTables.h"

using namespace ingot;

void LookupTable::set(Entry entry) {
  auto [it, isNew] = places.try_emplace(entry.first, entries.size());
  if (isNew)
    entries.push_back(std::move(entry));
  else
    entries[it->second].second = std::move(entry.second);
}

void LookupTable::insert(std::vector<Entry> added) {
  std::unique_lock lock(mutex);
  for (Entry &entry : added)
    set(std::move(entry));
}

void LookupTable::assign(std::vector<Entry> added) {
  std::unique_lock lock(mutex);
  entries.clear();
  places.clear();
  for (Entry &entry : added)
    set(std::move(entry));
}

Status LookupTable::initialize(std::vector<Entry> added) {
  std::unique_lock lock(mutex);
  size_t known = 0;
  for (Entry &entry : added) {
    auto it = places.find(entry.first);
    if (it == places.end()) {
      if (initialized)
        return Status(StatusCode::FailedPrecondition,
                      "Table already initialized.");
      set(std::move(entry));
    } else if (entries[it->second].second != entry.second) {
      return Status(StatusCode::FailedPrecondition,
                    "HashTable has different value for same key.");
    } else {
      ++known;
    }
  }
  if (initialized && known < entries.size())
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
  return entries.size();
}

std::vector<LookupTable::Entry> LookupTable::list() const {
  std::shared_lock lock(mutex);
  return entries;
}

LookupTable &LookupTables::get(const std::string &name) {
  std::lock_guard lock(mutex);
  std::unique_ptr<LookupTable> &table = tables[name];
  if (!table)
    table = std::make_unique<LookupTable>();
  return *table;
}
