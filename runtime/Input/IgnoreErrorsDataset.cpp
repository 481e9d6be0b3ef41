//===- IgnoreErrorsDataset.cpp - Skips failing elements ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// IgnoreErrorsDataset: skips elements that the input fails to produce.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/SingleInputIterator.h"

#include <cstdio>

namespace ingot::input {

namespace {

class IgnoreErrorsIterator final : public SingleInputIterator {
public:
  IgnoreErrorsIterator(std::unique_ptr<DatasetIterator> input, bool logs,
                       std::string name)
      : SingleInputIterator(std::move(input)), logs(logs),
        name(std::move(name)) {}

  Status next(Element &element, bool &end) override {
    for (Status status; !(status = input->next(element, end)).isOk();) {
      // Cancelled means that training has to stop. Do not skip this failure:
      // the input would return it again and again, and this loop would never
      // end.
      if (status.code() == StatusCode::Cancelled)
        return status;
      if (logs)
        std::fprintf(stderr, "%s: skipping an element: %s\n", name.c_str(),
                     status.message().c_str());
    }
    return Status::ok();
  }

private:
  bool logs;
  std::string name;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeIgnoreErrorsDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<IgnoreErrorsIterator>(
      std::move(input), context.attribute("log_warning", 0) != 0,
      context.name())};
}

INGOT_DATASET(ignore_errors_dataset) = {.make = makeIgnoreErrorsDataset,
                                        .traits = ReadsElementsOnce};

} // namespace ingot::input
