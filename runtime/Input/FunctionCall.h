//===- FunctionCall.h - Runs a compiled dataset function --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Everything a call needs, set up once: arena, addresses of feeds and fetches.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_FUNCTIONCALL_H
#define INGOT_RUNTIME_INPUT_FUNCTIONCALL_H

#include "runtime/Input/Dataset.h"
#include "runtime/Support/RunMemory.h"

namespace ingot::input {

/// A function of the program with scratch memory of its own; for one thread at
/// a time.
class FunctionCall {
public:
  /// The function of a dataset; `captured` are the arguments after the
  /// element's components.
  static Expected<FunctionCall> create(const DatasetContext &context,
                                       Element captured);

  /// Replaces `element` by the function's results on it.
  Status run(Element &element);

  /// Writes the function's results on `element`, whose shapes are static, to
  /// `rows`. The bytes of strings are in the tensors appended to `owners`.
  Status write(const Element &element, std::span<void *const> rows,
               Element &owners);
  /// Whether the results depend on how often it ran.
  bool draws() const { return !random->words.empty(); }
  /// Saves its random ops' states in a dataset's state.
  void save(NodeState &state) const;
  Status restore(const NodeState &state);

private:
  FunctionCall(Environment &environment, const ingot_function &function,
               Element captured, std::shared_ptr<RandomState> random);

  /// Without variables, which are the last ones.
  size_t numArguments(const Element &element) const {
    return element.size() + captured.size() + states.size();
  }
  const Tensor &argument(const Element &element, size_t index) const;
  Status checkInputs(const Element &element) const;
  /// Feeds the program's variables with their current values.
  Status feedVariables(size_t first);
  Status call(const Element &element);
  /// A result for whose memory the function has cared, as a tensor.
  Tensor keep(const ingot_tensor &result);

  Environment *environment;
  const ingot_function *function;
  Element captured;
  std::shared_ptr<RandomState> random;
  Element states; // the argument from `random`
  Tensor arena;
  RunMemory memory;
  Element results;
  std::vector<ingot_tensor> feeds, fetches;
  std::vector<std::vector<int64_t>> fetchDims;
};

/// Whether a map whose function reports the end of a sequence has failed.
bool preservesCardinality(const DatasetContext &map);

/// A failure of the function of map `name` on the latest element of `input`,
/// described; or the end of the dataset, where it means that.
Status describeMapFailure(Status status, bool preserveCardinality,
                          const std::string &name, const DatasetIterator &input,
                          bool &end);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_FUNCTIONCALL_H
