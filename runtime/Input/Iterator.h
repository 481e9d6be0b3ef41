//===- Iterator.h - Iterators over pipelines --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The interface of the input library: an Iterator over a pipeline, which a
// program describes as a tree of datasets. It yields elements, and can save and
// restore its exact position.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_ITERATOR_H
#define INGOT_RUNTIME_INPUT_ITERATOR_H

#include "runtime/ABI/Dataset.h"
#include "runtime/Support/DataPaths.h"
#include "runtime/Support/Expected.h"
#include "runtime/Support/FileSystem.h"

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct ingot_program;

namespace ingot {

namespace input {
class QueuePipeline;
} // namespace input

/// The options that a session passes to its input pipelines. All objects that
/// the pointers refer to must outlive the iterator.
struct InputPipelineOptions {
  FileSystem *fileSystem = &FileSystem::posix();
  /// The directory against which relative file names are resolved; "": the
  /// current one.
  std::string dataDirectory;
  /// Replacements of prefixes of the graph's file names; they are applied
  /// before relative names are resolved against `dataDirectory`.
  DataMap dataMap;
  /// The state of the session, which compiled functions of datasets get as an
  /// argument.
  ingot_context *context = nullptr;
  /// Returns the address of a variable's value, which does not change while a
  /// function is called; fails if the variable has no value. Called only on the
  /// thread that requests an element. Null: functions read no variables.
  Expected<const void *> (*readVariable)(ingot_context *context,
                                         uint32_t variable) = nullptr;
  /// How many threads may call the function of a parallel map; 0: one for each
  /// core. Each makes `parallelCallGroup` successive calls at a time; 0: as
  /// many as take `minParallelCallTime`. If too many would, one thread makes
  /// all.
  unsigned parallelCalls = 0, parallelCallGroup = 0;
  std::chrono::nanoseconds minParallelCallTime = std::chrono::microseconds(200);
  /// Is called while the iterator waits for a file. If it returns true, next()
  /// fails with Cancelled. Null: waits without limit.
  StopPredicate stopped = nullptr;
};

/// An iterator over one of the program's pipelines. make() moves it before the
/// first element, restore() to a saved position; before either, next() fails.
/// Not thread-safe.
class Iterator {
public:
  /// Creates the program's iterator with index `iterator`, without opening a
  /// file or starting a thread. Fails as validate() does.
  static Expected<std::unique_ptr<Iterator>>
  create(const ingot_program &program, uint32_t iterator,
         const InputPipelineOptions &options);
  virtual ~Iterator() = default;

  /// (Re)starts at the first element. Shuffles with fixed seeds start again in
  /// the same order. `pipeline` chooses the dataset: 0 is the iterator's own
  /// one, n the n-th alternative in the program's table (a reinitializable
  /// iterator has several datasets).
  virtual Status make(uint32_t pipeline = 0) = 0;
  virtual bool isMade() const = 0;

  /// Advances to the next element and stores the address of each of its
  /// components: dense, row-major, aligned to INGOT_ALIGNMENT, strings as
  /// ingot_string[]. The addresses are valid until the next call of next(),
  /// make() or restore(). Elements that one run of an entry (a compiled
  /// function) has requested all stay valid until that run ends.
  ///
  /// Returns OutOfRange at the end, and at every further call. Any other
  /// failure names the node, the file and the record, and is returned again
  /// until make() or restore() is called.
  virtual Status next(const void **components) = 0;
  /// Returns the dimensions of a component of the latest element, valid as long
  /// as the element.
  virtual std::span<const int64_t> shape(uint32_t component) const = 0;

  /// For an iterator over a pipeline of TensorFlow 1 queues: calls `use` with
  /// the pipeline, and returns its result. A failure other than OutOfRange is
  /// returned again by every later call, as next() does.
  virtual Status
  useQueues(const std::function<Status(input::QueuePipeline &)> &use) = 0;

  /// Returns the iterator's position as a serialized proto::IteratorState
  /// (docs/iterator-state.md). It is the position before the element that the
  /// next call of next() yields, even if a prefetch has read further. Fails
  /// before make(), and after a failure other than OutOfRange.
  virtual Expected<std::string> save() = 0;
  /// Returns the position in the form in which TensorFlow saves an iterator, as
  /// the elements of a variant (docs/iterator-state.md). Fails like save().
  /// Also fails with Unimplemented if the positions of some datasets have no
  /// such form; the message names these datasets. Reads the input again, as
  /// restore() does.
  virtual Expected<std::vector<std::string>> saveForTensorFlow() = 0;
  /// Undoes the reads of the latest run of an entry (a compiled function, such
  /// as the training step), which may have failed with Cancelled: makes save()
  /// return the position before the first element that this run read. Has no
  /// effect if it read none.
  virtual void rewind() = 0;
  /// Moves to the position that `state` describes, a result of save() or a
  /// state of TensorFlow's (packVariants()). Fails, without changing the
  /// iterator, if the state is damaged or belongs to another pipeline; the
  /// message then says how the two pipelines differ.
  virtual Status restore(std::string_view state) = 0;

  /// Checks that this runtime supports the program's dataset ops, with their
  /// operands and attributes. A failure names the nodes and ops of all errors
  /// in one message.
  virtual Status validate() = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_INPUT_ITERATOR_H
