//===- UniqueDataset.cpp - Drops repeated elements --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// UniqueDataset over one component of int32, int64 or string. A state does not
// contain the elements seen so far; a restore finds them by reading the current
// pass from its beginning.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"

#include <unordered_set>

namespace ingot::input {

namespace {

class UniqueIterator final : public DatasetIterator {
public:
  explicit UniqueIterator(std::unique_ptr<DatasetIterator> input)
      : input(std::move(input)) {}

  Status start() override {
    seen.clear();
    numRead = 0;
    INGOT_RETURN_IF_ERROR(input->start());
    origin.Clear();
    input->save(origin);
    begun = true;
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    for (bool isNew = false; !isNew;) {
      INGOT_RETURN_IF_ERROR(input->next(element, end));
      if (end)
        return Status::ok();
      ++numRead;
      isNew = seen.insert(keyOf(element[0])).second;
    }
    return Status::ok();
  }

  void save(NodeState &state) const override {
    if (!begun || numRead == 0)
      return input->save(*state.add_inputs());
    state.set_read(numRead);
    *state.mutable_origin() = origin;
  }

  Status restore(const NodeState &state) override {
    seen.clear();
    numRead = 0;
    begun = true;
    if (!state.has_origin()) {
      origin = state.inputs_size() == 1 ? state.inputs(0) : NodeState();
      return restoreInput(*input, state);
    }
    origin = state.origin();
    INGOT_RETURN_IF_ERROR(input->restore(origin));
    Element element;
    bool end = false;
    for (; numRead < state.read() && !end; ++numRead) {
      INGOT_RETURN_IF_ERROR(input->next(element, end));
      if (!end)
        seen.insert(keyOf(element[0]));
    }
    return end ? Status(StatusCode::DataLoss,
                        "the input of a unique dataset has fewer elements than "
                        "the " +
                            std::to_string(state.read()) +
                            " it had when the iterator was saved: restore the "
                            "input's files, or start the input anew "
                            "(ingot-ckpt strip --iterators)")
               : Status::ok();
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  /// Returns the tensor's shape and elements as bytes, which differ for
  /// different tensors. Used as the key in `seen`.
  static std::string keyOf(const Tensor &tensor) {
    std::string key;
    for (int64_t size : tensor.shape())
      key.append(reinterpret_cast<const char *>(&size), sizeof(size));
    if (tensor.dtype() != INGOT_STRING)
      return key.append(static_cast<const char *>(tensor.data()),
                        tensor.byteSize());
    const auto *strings = static_cast<const ingot_string *>(tensor.data());
    for (int64_t i = 0; i < tensor.numElements(); ++i) {
      key.append(reinterpret_cast<const char *>(&strings[i].size),
                 sizeof(strings[i].size));
      key.append(strings[i].data, strings[i].size);
    }
    return key;
  }

  std::unique_ptr<DatasetIterator> input;
  std::unordered_set<std::string> seen; // keys of this pass's elements
  NodeState origin;     // input's state at the beginning of the pass
  uint64_t numRead = 0; // elements read in this pass
  bool begun = false;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeUniqueDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<UniqueIterator>(std::move(input))};
}

INGOT_DATASET(unique_dataset) = {.make = makeUniqueDataset};

} // namespace ingot::input
