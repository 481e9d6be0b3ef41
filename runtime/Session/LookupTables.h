//===- LookupTables.h - A program's lookup tables ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Lookup tables live as long as the session. Entries and dataset functions,
// which run on other threads, use the same tables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_LOOKUPTABLES_H
#define INGOT_RUNTIME_SESSION_LOOKUPTABLES_H

#include "runtime/Support/Status.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ingot {

/// A lookup table. A key or value is stored as the bytes of one element; for a
/// string element, these are its characters. Thread-safe.
class LookupTable {
public:
  using Entry = std::pair<std::string, std::string>;

  /// Adds the entries, and replaces the values of existing keys.
  void insert(std::vector<Entry> entries);
  /// Replaces the whole contents by the entries.
  void assign(std::vector<Entry> entries);
  /// Initializes a table that never changes afterwards. A second call must have
  /// the same entries. Returns FailedPrecondition, with TensorFlow's message,
  /// if the entries differ, or if a key has two values.
  Status initialize(std::vector<Entry> entries);

  bool isInitialized() const;
  size_t size() const;
  /// Calls `function` for each of `keys`, with a pointer to the key's value, or
  /// null if the table does not have the key. The table is locked during all
  /// calls.
  template <typename KeysT, typename FunctionT>
  void find(const KeysT &keys, FunctionT function) const {
    std::shared_lock lock(mutex);
    for (const std::string &key : keys) {
      auto it = places.find(key);
      function(it == places.end() ? nullptr : &entries[it->second].second);
    }
  }
  /// Returns all entries, in the order in which their keys were first added.
  std::vector<Entry> list() const;

private:
  void set(Entry entry);

  mutable std::shared_mutex mutex;
  bool initialized = false;
  std::vector<Entry> entries;
  std::unordered_map<std::string, size_t> places;
};

/// The tables of a session, keyed by name. A table is created when it is first
/// requested.
class LookupTables {
public:
  LookupTable &get(const std::string &name);

private:
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<LookupTable>> tables;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_LOOKUPTABLES_H
