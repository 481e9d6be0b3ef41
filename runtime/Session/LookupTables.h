//===- LookupTables.h - A program's lookup tables ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Lookup tables live as long as the session. Entries and dataset functions,
// which run on other threads, use the same tables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_LOOKUPTABLES_H
#define INGOT_RUNTIME_SESSION_LOOKUPTABLES_H

#include "runtime/ABI/Program.h"
#include "runtime/Support/Status.h"

#include <deque>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ingot {

/// A lookup table. Keys and values are stored as bytes: numeric ones as the
/// bytes of their elements, a string as its characters, and a vector of strings
/// packed (packTexts()). Thread-safe.
class LookupTable {
public:
  using Entry = std::pair<std::string, std::string>;

  /// `description` is one of ingot_program.lookup_tables, and must outlive this
  /// object.
  explicit LookupTable(const ingot_lookup_table &description)
      : description(description) {}

  /// The table's name, the types of keys and values, and the values' shape.
  const ingot_lookup_table &description;

  /// Adds the entries, and replaces the values of existing keys, which keep
  /// their places in list().
  void insert(std::vector<Entry> entries);
  /// Replaces the whole contents by the entries.
  void assign(std::vector<Entry> entries);
  /// Removes those of `keys` that the table has, with their values.
  void remove(const std::vector<std::string> &keys);
  /// Initializes a table that never changes afterwards. A second call must have
  /// the same entries. Returns FailedPrecondition, with TensorFlow's message,
  /// if the entries differ, or if a key has two values.
  Status initialize(std::vector<Entry> entries);

  bool isInitialized() const;
  size_t size() const;
  /// Calls `function` for each i below `count`, with i and a pointer to the
  /// value of the key `keyAt(i)`, a std::string_view, or null if the table does
  /// not have the key. The table is locked during all calls.
  template <typename KeyAtT, typename FunctionT>
  void find(size_t count, KeyAtT keyAt, FunctionT function) const {
    std::shared_lock lock(mutex);
    for (size_t i = 0; i < count; ++i) {
      auto it = values.find(keyAt(i));
      function(i, it == values.end() ? nullptr : &it->second.bytes);
    }
  }
  /// Returns all entries, in the order in which their keys were added. Passing
  /// the entries to assign() restores this order.
  std::vector<Entry> list() const;

  /// Returns the contents, and whether the table is initialized, packed into
  /// one string.
  std::string state() const;
  /// Replaces the contents by those that state() has returned.
  Status setState(std::string_view state);

private:
  struct LookupTableValue {
    uint64_t turn; // grows with each key that is added
    std::string bytes;
  };

  /// Hashes strings and views of them alike: keys are looked up without a copy.
  struct KeyHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void set(Entry entry);

  mutable std::shared_mutex mutex;
  bool initialized = false;
  uint64_t nextTurn = 0;
  std::unordered_map<std::string, LookupTableValue, KeyHash, std::equal_to<>>
      values;
};

/// The lookup tables of a session, in the order of ingot_program.lookup_tables.
class LookupTables {
public:
  /// Creates the program's tables, all empty.
  void create(const ingot_program &program);

  LookupTable &operator[](size_t index) { return tables[index]; }
  const LookupTable &operator[](size_t index) const { return tables[index]; }
  size_t size() const { return tables.size(); }

private:
  std::deque<LookupTable> tables;
};

/// Returns the number of elements in one value of the table.
size_t valueElements(const ingot_lookup_table &table);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_LOOKUPTABLES_H
