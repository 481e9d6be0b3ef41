//===- Tables.h - A program's lookup tables ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Tables live as long as the session; entries and functions of datasets, which
// run on threads of their own, use the same ones.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_TABLES_H
#define INGOT_RUNTIME_SESSION_TABLES_H

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

/// Keys and values, each the bytes of one element (of a string: its own).
/// Any thread may use it.
class Table {
public:
  using Entry = std::pair<std::string, std::string>;

  /// Adds or replaces all of the entries.
  void insert(std::vector<Entry> entries);
  /// Makes the table hold the entries alone.
  void assign(std::vector<Entry> entries);
  /// Fills a table that never changes afterwards: filled again, it must have
  /// the same entries. A key must not have two values.
  Status initialize(std::vector<Entry> entries);

  bool isInitialized() const;
  size_t size() const;
  /// Calls function(value or null) for each key, under one lock.
  template <typename KeysT, typename FunctionT>
  void find(const KeysT &keys, FunctionT function) const {
    std::shared_lock lock(mutex);
    for (const std::string &key : keys) {
      auto it = places.find(key);
      function(it == places.end() ? nullptr : &entries[it->second].second);
    }
  }
  /// All entries in the order in which their keys came.
  std::vector<Entry> list() const;

private:
  void set(Entry entry);

  mutable std::shared_mutex mutex;
  bool initialized = false;
  std::vector<Entry> entries;
  std::unordered_map<std::string, size_t> places;
};

/// The tables by name, made at their first use.
class Tables {
public:
  Table &get(const std::string &name);

private:
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Table>> tables;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_TABLES_H
