//===- CapturedFunction.h - Runs a compiled dataset function ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Calls compiled functions of datasets. A CapturedFunction sets up once what
// all calls of its function need: the arena (the memory of the function's
// buffers), and the addresses of its arguments and results.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_CAPTUREDFUNCTION_H
#define INGOT_RUNTIME_INPUT_CAPTUREDFUNCTION_H

#include "runtime/Input/Dataset.h"
#include "runtime/Support/RunArena.h"

namespace ingot::input {

/// A function of the program, with its own scratch memory. Not thread-safe.
class CapturedFunction {
public:
  /// Creates an object that calls the function of a dataset. `captured` are the
  /// arguments that follow the element's components.
  static Expected<CapturedFunction> create(const DatasetContext &context,
                                           Element captured);

  /// Creates an object that another thread can use to call the same function.
  /// It has scratch memory and a random state of its own.
  CapturedFunction clone() const {
    return CapturedFunction(*environment, *function, captured,
                            std::make_shared<RandomState>(*random));
  }

  /// Calls the function on `element`, and replaces `element` with the
  /// function's results.
  Status run(Element &element);

  /// Calls the function on `element`, and writes its results, which have static
  /// shapes, to `rows`. Appends to `owners` the tensors whose memory contains
  /// the bytes of the results' strings.
  Status write(const Element &element, std::span<void *const> rows,
               Element &owners);
  /// Returns true if the function draws random numbers, so that its results
  /// depend on earlier calls.
  bool draws() const { return !random->words.empty(); }
  /// The state of the function's random ops (RandomState).
  const std::vector<uint64_t> &randomWords() const { return random->words; }
  void setRandomWords(const std::vector<uint64_t> &words) {
    random->words = words;
  }
  /// Saves the states of the function's random ops in the state of a dataset.
  void save(NodeState &state) const;
  Status restore(const NodeState &state);

private:
  CapturedFunction(IteratorContext &environment, const ingot_function &function,
                   Element captured, std::shared_ptr<RandomState> random);

  /// Returns the number of arguments before the values of variables, which are
  /// the last arguments.
  size_t numArguments(const Element &element) const {
    return element.size() + captured.size() + states.size();
  }
  const Tensor &argument(const Element &element, size_t index) const;
  Status checkInputs(const Element &element) const;
  /// Sets the feeds from index `first` on to the current values of the
  /// program's variables.
  Status feedVariables(size_t first);
  Status call(const Element &element);
  /// Makes a tensor of `result`, a result of dynamic shape. The function has
  /// provided the memory of the result.
  Tensor keep(const ingot_tensor &result);

  IteratorContext *environment;
  const ingot_function *function;
  Element captured;
  std::shared_ptr<RandomState> random;
  Element states; // arguments that refer to `random->words`
  Tensor arena;
  RunArena memory;
  Element results;
  std::vector<ingot_tensor> feeds, fetches;
  std::vector<std::vector<int64_t>> fetchDims;
};

/// Returns true if OutOfRange from the function of a map is a failure rather
/// than the end of the dataset.
bool preservesCardinality(const DatasetContext &map);

/// Returns the failure of the function of map `name`, with `origin`, the
/// description of the element (DatasetIterator::describeLatest()). If the
/// failure means the end of the dataset, sets `end` and returns success.
Status describeMapFailure(Status status, bool preserveCardinality,
                          const std::string &name, const std::string &origin,
                          bool &end);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_CAPTUREDFUNCTION_H
