//===- Iterator.h - One of a program's iterators, live ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The interface of the input library: the pipeline that a program describes as
// a tree of datasets, as an iterator that yields elements and can state its
// exact position.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_ITERATOR_H
#define INGOT_RUNTIME_INPUT_ITERATOR_H

#include "runtime/ABI/Dataset.h"
#include "runtime/Support/DataPaths.h"
#include "runtime/Support/Expected.h"
#include "runtime/Support/FileSystem.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ingot_program;

namespace ingot {

/// The parts of a session that its pipelines use. All pointees outlive the
/// iterator.
struct InputOptions {
  FileSystem *fileSystem = &FileSystem::posix();
  /// Relative file names start here; "" is the current directory.
  std::string dataDirectory;
  /// Prefixes of file names to replace first.
  DataMap dataMap;
  /// Handed to the dataset functions as they are called.
  ingot_context *context = nullptr;
  /// The address of a variable's value, which stays as it is while a function
  /// is called; fails where the variable has none. Only on the thread that
  /// asks an iterator for elements. Null: functions read no variables.
  Expected<const void *> (*readVariable)(ingot_context *context,
                                         uint32_t variable) = nullptr;
  /// Whether to give up waiting for a file, with Cancelled; null: never.
  StopPredicate stopped = nullptr;
};

/// An iterator over one of the program's pipelines. It is before the first
/// element after make(), or where restore() put it; before either, next()
/// fails. One thread at a time may call it.
class Iterator {
public:
  /// The program's iterator number `iterator`. Opens no file and starts no
  /// thread. Fails as validate() does.
  static Expected<std::unique_ptr<Iterator>>
  create(const ingot_program &program, uint32_t iterator,
         const InputOptions &options);
  virtual ~Iterator() = default;

  /// (Re)starts at the first element. Shuffles with fixed seeds start again in
  /// the same order. `pipeline`: 0, or one more than the place of an
  /// alternative among the program's for this iterator.
  virtual Status make(uint32_t pipeline = 0) = 0;
  virtual bool isMade() const = 0;

  /// Advances, and stores the address of each component of the element: dense,
  /// row-major, aligned to INGOT_ALIGNMENT, strings as ingot_string[]. They
  /// stay valid until the next call of next(), make() or restore(), and as long
  /// as the entry runs that this call is part of. OutOfRange at the end, again
  /// at every further call. Any other failure names node, file and record, and
  /// repeats until make() or restore().
  virtual Status next(const void **components) = 0;
  /// The dimensions of a component of the element that next() gave last; valid
  /// as long as that.
  virtual std::span<const int64_t> shape(uint32_t component) const = 0;

  /// The iterator's position, at the element that the next call of next() would
  /// yield, however far ahead a prefetch has read: a serialized
  /// proto::IteratorState (docs/iterator-state.md). Fails before make(), and
  /// after a failure other than OutOfRange.
  virtual Expected<std::string> save() = 0;
  /// Goes back to where it stood before the run of an entry that is under way
  /// took its first element, or that run has failed with Cancelled: only for
  /// save(). Nothing where the run has taken none.
  virtual void rewind() = 0;
  /// Continues at the position that `state` describes. A damaged state, or one
  /// of another pipeline, is rejected with the difference, and the iterator is
  /// unchanged.
  virtual Status restore(std::string_view state) = 0;

  /// Checks the program's ops, operands and attributes against this runtime's;
  /// names the node and the op. All errors are in one message.
  virtual Status validate() = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_INPUT_ITERATOR_H
