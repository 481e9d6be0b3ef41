//===- Tables.cpp - A program's lookup tables -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Tables.h"

using namespace ingot;

void Table::set(Entry entry) {
  auto [it, isNew] = places.try_emplace(entry.first, entries.size());
  if (isNew)
    entries.push_back(std::move(entry));
  else
    entries[it->second].second = std::move(entry.second);
}

void Table::insert(std::vector<Entry> added) {
  std::unique_lock lock(mutex);
  for (Entry &entry : added)
    set(std::move(entry));
}

void Table::assign(std::vector<Entry> added) {
  std::unique_lock lock(mutex);
  entries.clear();
  places.clear();
  for (Entry &entry : added)
    set(std::move(entry));
}

Status Table::initialize(std::vector<Entry> added) {
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

bool Table::isInitialized() const {
  std::shared_lock lock(mutex);
  return initialized;
}

size_t Table::size() const {
  std::shared_lock lock(mutex);
  return entries.size();
}

std::vector<Table::Entry> Table::list() const {
  std::shared_lock lock(mutex);
  return entries;
}

Table &Tables::get(const std::string &name) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Table> &table = tables[name];
  if (!table)
    table = std::make_unique<Table>();
  return *table;
}
