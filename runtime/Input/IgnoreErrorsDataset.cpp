//===- IgnoreErrorsDataset.cpp - Elements without an error ------*- C++ -*-===//
//
// IgnoreErrorsDataset: an element that the input fails to give is passed over.
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/Registry.h"

#include <cstdio>

namespace ingot::input {

namespace {

class IgnoreErrorsIterator final : public DatasetIterator {
public:
  IgnoreErrorsIterator(std::unique_ptr<DatasetIterator> input, bool logs,
                       std::string name)
      : input(std::move(input)), logs(logs), name(std::move(name)) {}

  Status start() override { return input->start(); }

  Status next(Element &element, bool &end) override {
    for (Status status; !(status = input->next(element, end)).isOk();) {
      // Told to stop: the input would say so for ever.
      if (status.code() == StatusCode::Cancelled)
        return status;
      if (logs)
        std::fprintf(stderr, "%s: passes over an element: %s\n", name.c_str(),
                     status.message().c_str());
    }
    return Status::ok();
  }

  void save(NodeState &state) const override {
    input->save(*state.add_inputs());
  }
  Status restore(const NodeState &state) override {
    return restoreInput(*input, state);
  }
  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  std::unique_ptr<DatasetIterator> input;
  bool logs;
  std::string name;
};

} // namespace

Expected<std::unique_ptr<DatasetIterator>>
makeIgnoreErrorsDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<IgnoreErrorsIterator>(
      std::move(input), context.attribute("log_warning", 0) != 0,
      context.name())};
}

} // namespace ingot::input

extern "C" void ingot_dataset_ignore_errors_dataset() {}
