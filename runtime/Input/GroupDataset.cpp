//===- GroupDataset.cpp - Groups elements by key ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// GroupByWindowDataset is imported as several datasets. This one makes windows
// of elements with equal keys. A window is returned as soon as it has as many
// elements as its key's window size; at the end of the input, the incomplete
// windows are returned in the order of their keys.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"

#include "runtime/ABI/Program.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <deque>
#include <map>

namespace ingot::input {

namespace {

class GroupIterator final : public DatasetIterator {
public:
  GroupIterator(TensorMemoryPool &pool, std::unique_ptr<DatasetIterator> input,
                size_t numOperands, std::string name)
      : pool(pool), input(std::move(input)), numOperands(numOperands),
        name(std::move(name)) {}

  Status start() override {
    clear();
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    end = false;
    while (!ended) {
      IncompleteWindowElement kept;
      // If no window is incomplete, restore() reads no element again, so it
      // needs none of the input's states in `origins`.
      if (groups.empty())
        origins.clear();
      INGOT_RETURN_IF_ERROR(readOne(kept));
      if (ended)
        break;
      int64_t key = kept.key;
      std::vector<IncompleteWindowElement> &group = groups[key];
      auto size = static_cast<size_t>(kept.size);
      group.push_back(std::move(kept));
      if (group.size() >= size)
        return handOut(key, element);
    }
    end = groups.empty();
    return end ? Status::ok() : handOut(groups.begin()->first, element);
  }

  // The state does not contain the elements of incomplete windows. It contains
  // an origin: a state of the input before the oldest of these elements. From
  // this state a restore reads the elements again.
  void save(NodeState &state) const override {
    state.set_ended(ended);
    uint64_t oldest = numRead;
    for (const auto &[key, group] : groups)
      oldest = std::min(oldest, group.front().number);
    const InputIteratorSnapshot *origin = nullptr;
    for (const InputIteratorSnapshot &candidate : origins)
      if (candidate.number <= oldest)
        origin = &candidate;
    if (groups.empty() || !origin)
      return input->save(*state.add_inputs());
    *state.mutable_origin() = origin->state;
    state.set_read(numRead - origin->number);
    for (const auto &[key, group] : groups)
      for (const IncompleteWindowElement &kept : group)
        state.add_kept(kept.number - origin->number);
  }

  Status restore(const NodeState &state) override {
    clear();
    if (!state.has_origin()) {
      ended = state.ended();
      return restoreInput(*input, state);
    }
    INGOT_RETURN_IF_ERROR(input->restore(state.origin()));
    origins.push_back({0, state.origin()});
    std::vector<uint64_t> wanted(state.kept().begin(), state.kept().end());
    std::sort(wanted.begin(), wanted.end());
    size_t found = 0;
    for (IncompleteWindowElement kept; numRead < state.read() && !ended;) {
      INGOT_RETURN_IF_ERROR(readOne(kept));
      if (!ended && found < wanted.size() && kept.number == wanted[found]) {
        ++found;
        groups[kept.key].push_back(std::move(kept));
      }
    }
    if (state.ended() && !ended) {
      IncompleteWindowElement none;
      INGOT_RETURN_IF_ERROR(readOne(none));
    }
    if (ended != state.ended() || found != wanted.size())
      return Status(StatusCode::DataLoss,
                    name +
                        ": the input's number of elements has changed since "
                        "the iterator was saved (" +
                        std::to_string(state.read()) + " were read then, " +
                        std::to_string(numRead) +
                        " now): restore the input's files, or start the input "
                        "anew (ingot-ckpt strip --iterators)");
    return Status::ok();
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  /// An element of the input whose window is not yet complete.
  struct IncompleteWindowElement {
    uint64_t number = 0; // index in the input
    int64_t key = 0, size = 0;
    Element element;
  };
  /// The input's state before it returned element `number`.
  struct InputIteratorSnapshot {
    uint64_t number;
    NodeState state;
  };
  static constexpr uint64_t originEvery = 64;

  void clear() {
    groups.clear();
    origins.clear();
    numRead = 0;
    ended = false;
  }

  Status readOne(IncompleteWindowElement &kept) {
    if (origins.empty() || numRead - origins.back().number >= originEvery) {
      forgetOrigins();
      origins.push_back({numRead, {}});
      input->save(origins.back().state);
    }
    Element element;
    INGOT_RETURN_IF_ERROR(input->next(element, ended));
    if (ended)
      return Status::ok();
    kept.number = numRead++;
    kept.key = *static_cast<const int64_t *>(element[0].data());
    kept.size = *static_cast<const int64_t *>(element[1].data());
    if (kept.size <= 0)
      return Status(StatusCode::InvalidArgument,
                    name + ": window size must be greater than zero, but is " +
                        std::to_string(kept.size) + " for key " +
                        std::to_string(kept.key));
    kept.element.assign(element.begin() + 2, element.end());
    return Status::ok();
  }

  /// Drops the states in `origins` that save() no longer needs. save() stores
  /// the latest state from which restore() can read all elements of incomplete
  /// windows again, so earlier states are dropped.
  void forgetOrigins() {
    uint64_t oldest = numRead;
    for (const auto &[key, group] : groups)
      oldest = std::min(oldest, group.front().number);
    while (origins.size() > 1 && origins[1].number <= oldest)
      origins.pop_front();
  }

  Status handOut(int64_t key, Element &element) {
    std::vector<IncompleteWindowElement> group = std::move(groups[key]);
    groups.erase(key);
    const Element &first = group.front().element;
    size_t numComponents = first.size() - numOperands;
    element.clear();
    std::vector<Tensor> column;
    for (size_t i = 0; i < numComponents; ++i) {
      column.clear();
      for (const IncompleteWindowElement &kept : group)
        column.push_back(kept.element[i]);
      element.push_back(Tensor::list(pool, column));
    }
    element.insert(element.end(),
                   first.begin() + static_cast<ptrdiff_t>(numComponents),
                   first.end());
    return Status::ok();
  }

  TensorMemoryPool &pool;
  std::unique_ptr<DatasetIterator> input;
  size_t numOperands; // an element's last `numOperands` tensors are operands
  std::string name;
  // Incomplete windows by key; none is empty.
  std::map<int64_t, std::vector<IncompleteWindowElement>> groups;
  std::deque<InputIteratorSnapshot> origins; // in ascending order of `number`
  uint64_t numRead = 0; // elements since start() or the restored origin
  bool ended = false;   // the input has ended
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeGroupDataset(const DatasetContext &context) {
  const ingot_dataset &from =
      context.env().program.datasets[context.dataset().inputs[0]];
  int64_t numOperands = context.attribute("num_tensors", 0);
  for (uint32_t i = 0; i < 2; ++i)
    if (i >= from.num_components || from.components[i].dtype != INGOT_INT64 ||
        from.components[i].rank != 0)
      return Status(StatusCode::InvalidArgument,
                    context.name() + ": component " + std::to_string(i) +
                        " of the input, the " +
                        (i == 0 ? "key" : "window size") + ", is " +
                        (i < from.num_components
                             ? dtypeName(from.components[i].dtype) +
                                   " of rank " +
                                   std::to_string(from.components[i].rank)
                             : std::string("missing")) +
                        ", expected an int64 scalar");
  if (numOperands < 0 || numOperands > int64_t(from.num_components) - 2)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": num_tensors is " +
                      std::to_string(numOperands) +
                      ", but the input has only " +
                      std::to_string(from.num_components - 2) +
                      " components besides the key and the window size");
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<GroupIterator>(context.env().pool, std::move(input),
                                          static_cast<size_t>(numOperands),
                                          context.name())};
}

INGOT_DATASET(group_dataset) = {.make = makeGroupDataset};

} // namespace ingot::input
