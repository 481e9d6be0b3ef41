//===- AssertCardinalityDataset.cpp - Checks the number of elements -------===//
// SPDX-License-Identifier: Apache-2.0
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/SingleInputIterator.h"

namespace ingot::input {

namespace {

constexpr int64_t infinite = -1;

std::string elementsText(int64_t count) {
  if (count == infinite)
    return "an infinite number of elements";
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

/// Passes the input's elements through, and fails if their number is not the
/// asserted cardinality.
class AssertCardinalityIterator final : public SingleInputIterator {
public:
  AssertCardinalityIterator(std::unique_ptr<DatasetIterator> input,
                            int64_t expected, std::string name)
      : SingleInputIterator(std::move(input)), expected(expected),
        name(std::move(name)) {}

  Status start() override {
    count = 0;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    count += !end;
    return check(end);
  }

  Status skip(uint64_t wanted, uint64_t &skipped) override {
    INGOT_RETURN_IF_ERROR(input->skip(wanted, skipped));
    count += static_cast<int64_t>(skipped);
    return check(skipped < wanted);
  }

private:
  void savePosition(NodeState &state) const override {
    state.set_position(static_cast<uint64_t>(count));
  }
  Status restorePosition(const NodeState &state) override {
    count = static_cast<int64_t>(state.position());
    return Status::ok();
  }

  Status check(bool end) const {
    bool isLess = end && count != expected;
    if (!isLess && (expected == infinite || count <= expected))
      return Status::ok();
    return Status(StatusCode::FailedPrecondition,
                  name + ": Input dataset was expected to contain " +
                      elementsText(expected) + " but contained " +
                      (isLess ? "only " : "at least ") + elementsText(count) +
                      ".");
  }

  int64_t expected;
  std::string name;
  int64_t count = 0; // elements in this pass
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeAssertCardinalityDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t expected, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<AssertCardinalityIterator>(
      std::move(input), expected, context.name())};
}

static constexpr DatasetOperandConstraint cardinalityOperands[] = {
    {"cardinality", INGOT_INT64, 0, false}};
INGOT_DATASET(assert_cardinality_dataset) = {
    .make = makeAssertCardinalityDataset,
    .operands = cardinalityOperands,
    .traits = PassesThrough | ReadsElementsOnce};

} // namespace ingot::input
