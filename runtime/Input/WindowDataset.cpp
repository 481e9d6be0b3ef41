//===- WindowDataset.cpp - Windows of consecutive elements ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// WindowDataset: each element is a window, which has one dataset for each
// component. A window consists of `size` elements of the input that are
// `stride` apart, and the next window begins `shift` elements later. If an
// element of the input fails, every window that contains it fails. Failures of
// elements that are in no window are ignored.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"

#include <algorithm>
#include <deque>

namespace ingot::input {

namespace {

struct WindowOptions {
  uint64_t size, shift, stride;
  bool dropRemainder;
};

class WindowIterator final : public DatasetIterator {
public:
  WindowIterator(TensorMemoryPool &pool, std::unique_ptr<DatasetIterator> input,
                 const WindowOptions &options)
      : pool(pool), input(std::move(input)), options(options) {}

  Status start() override {
    clear();
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    // If the window at the start of `buffer` has failed in the previous call,
    // skip it and return the next window.
    if (hasFailed) {
      hasFailed = false;
      while (isShort())
        INGOT_RETURN_IF_ERROR(readOne());
      if (!buffer.empty())
        INGOT_RETURN_IF_ERROR(shift());
    }
    // Read a whole window first: a short window is dropped even if one of its
    // elements has failed.
    while (options.dropRemainder && isShort())
      INGOT_RETURN_IF_ERROR(readOne());
    end = options.dropRemainder && buffer.size() < reach();
    for (uint64_t at = 0; at < reach() && !end; ++at) {
      if (at == buffer.size() && !ended)
        INGOT_RETURN_IF_ERROR(readOne());
      if (at == buffer.size())
        break;
      hasFailed = at % options.stride == 0 && !buffer[at].status.isOk();
      if (hasFailed)
        return buffer[at].status;
    }
    end = end || buffer.empty();
    if (end)
      return Status::ok();
    makeWindow(element);
    return shift();
  }

  // The state does not contain elements. If the next window overlaps the
  // current window, a restore reads their common elements from the input again.
  void save(NodeState &state) const override {
    state.set_ended(ended);
    state.set_read(buffer.size());
    state.set_position(hasFailed);
    if (buffer.empty())
      input->save(*state.add_inputs());
    else
      *state.mutable_origin() = origins.front();
  }

  Status restore(const NodeState &state) override {
    clear();
    if (!state.has_origin()) {
      ended = state.ended();
      return restoreInput(*input, state);
    }
    if (state.read() > reach())
      return badState("a window has buffered " + std::to_string(state.read()) +
                      " elements, but spans only " + std::to_string(reach()));
    INGOT_RETURN_IF_ERROR(input->restore(state.origin()));
    while (buffer.size() < state.read() && !ended)
      INGOT_RETURN_IF_ERROR(readOne());
    if (state.ended() && !ended)
      INGOT_RETURN_IF_ERROR(readOne());
    if (buffer.size() != state.read() || ended != state.ended())
      return Status(
          StatusCode::DataLoss,
          "the input of a window dataset has another number of elements than "
          "when the iterator was saved (the window had " +
              std::to_string(state.read()) + " elements then, and has " +
              std::to_string(buffer.size()) +
              " now): restore the input's files, or start the input anew "
              "(ingot-ckpt strip --iterators)");
    hasFailed = state.position() != 0;
    return Status::ok();
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  struct BufferedWindowElement {
    Element element;
    Status status;
  };

  /// Returns how many of the input's elements a window spans.
  uint64_t reach() const { return (options.size - 1) * options.stride + 1; }
  bool isShort() const { return !ended && buffer.size() < reach(); }

  void makeWindow(Element &element) {
    element.resize(buffer[0].element.size());
    std::vector<Tensor> column;
    for (size_t i = 0; i < element.size(); ++i) {
      column.clear();
      for (uint64_t at = 0; at < buffer.size(); at += options.stride)
        column.push_back(buffer[at].element[i]);
      element[i] = Tensor::list(pool, column);
    }
  }

  void clear() {
    buffer.clear();
    origins.clear();
    ended = hasFailed = false;
  }

  Status readOne() {
    bool beginsWindow = buffer.size() % options.shift == 0;
    if (beginsWindow)
      input->save(origins.emplace_back());
    BufferedWindowElement item;
    item.status = input->next(item.element, ended);
    bool stops = mustStop(item.status);
    if ((stops || ended) && beginsWindow)
      origins.pop_back();
    if (stops)
      return item.status;
    if (!ended)
      buffer.push_back(std::move(item));
    return Status::ok();
  }

  /// Returns true for a failure that ends the iteration: Cancelled, which the
  /// input would return forever.
  static bool mustStop(const Status &status) {
    return status.code() == StatusCode::Cancelled;
  }

  Status shift() {
    uint64_t kept = std::min<uint64_t>(options.shift, buffer.size());
    uint64_t beyond = options.shift - kept;
    buffer.erase(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(kept));
    origins.pop_front();
    if (beyond == 0 || ended)
      return Status::ok();
    // Elements between windows are in no window, so ignore failures to read
    // them.
    for (uint64_t passed = 0; passed < beyond && !ended;) {
      uint64_t skipped = 0;
      Status status = input->skip(beyond - passed, skipped);
      if (mustStop(status))
        return status;
      ended = status.isOk() && skipped < beyond - passed;
      passed += skipped + !status.isOk();
    }
    return Status::ok();
  }

  TensorMemoryPool &pool;
  std::unique_ptr<DatasetIterator> input;
  WindowOptions options;
  // The elements that have been read, starting with the first element of the
  // next window.
  std::deque<BufferedWindowElement> buffer;
  // For each window that begins in `buffer`, the input's state before its first
  // element.
  std::deque<NodeState> origins;
  bool ended = false;     // the input has ended
  bool hasFailed = false; // the window at the start of `buffer` has failed
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeWindowDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t size, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(int64_t shift, context.integer(1));
  INGOT_ASSIGN_OR_RETURN(int64_t stride, context.integer(2));
  INGOT_ASSIGN_OR_RETURN(bool dropRemainder, context.boolean(3));
  constexpr int64_t limit = int64_t(1) << 31;
  if (size <= 0 || shift <= 0 || stride <= 0 || shift > limit || stride > limit)
    return Status(
        StatusCode::InvalidArgument,
        context.name() +
            ": size, shift and stride of windows must be "
            "greater than zero, shift and stride at most 2^31, but are " +
            std::to_string(size) + ", " + std::to_string(shift) + " and " +
            std::to_string(stride));
  // A huge size may mean "all elements". Limit it, so that products with the
  // stride do not overflow.
  WindowOptions options{static_cast<uint64_t>(std::min(size, limit)),
                        static_cast<uint64_t>(shift),
                        static_cast<uint64_t>(stride), dropRemainder};
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<WindowIterator>(context.env().pool, std::move(input),
                                           options)};
}

static constexpr DatasetOperandConstraint windowOperands[] = {

    {"size", INGOT_INT64, 0, true, 1},
    {"shift", INGOT_INT64, 0, true, 1},
    {"stride", INGOT_INT64, 0, true, 1},
    {"drop_remainder", INGOT_BOOL}};
INGOT_DATASET(window_dataset) = {.make = makeWindowDataset,
                                 .operands = windowOperands};

} // namespace ingot::input
