//===- SingleInputIterator.h - Datasets with one input ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_SINGLEINPUTITERATOR_H
#define INGOT_RUNTIME_INPUT_SINGLEINPUTITERATOR_H

#include "runtime/Input/Dataset.h"

namespace ingot::input {

/// The base class of datasets with one input. By default, start() starts the
/// input. A position consists of the input's position and of the fields that
/// savePosition() writes and restorePosition() reads. savePosition() must
/// always write all of these fields, since update() lets it overwrite an
/// earlier position.
class SingleInputIterator : public DatasetIterator {
public:
  explicit SingleInputIterator(std::unique_ptr<DatasetIterator> input)
      : input(std::move(input)) {}

  Status start() override { return input->start(); }
  void save(NodeState &state) const override {
    savePosition(state);
    input->save(*state.add_inputs());
  }
  void update(NodeState &state) const override {
    savePosition(state);
    updateInput(*input, state);
  }
  Status restore(const NodeState &state) override {
    INGOT_RETURN_IF_ERROR(restorePosition(state));
    return restoreInput(*input, state);
  }
  std::string describeLatest() const override {
    return input->describeLatest();
  }

protected:
  std::unique_ptr<DatasetIterator> input;

private:
  virtual void savePosition(NodeState &state) const {}
  virtual Status restorePosition(const NodeState &state) {
    return Status::ok();
  }
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_SINGLEINPUTITERATOR_H
