//===- MatchingFilesDataset.cpp - Files that match patterns ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// MatchingFilesDataset: the sorted names of the files that match patterns. A
// name begins with the same folders as its pattern. So it is relative if the
// pattern is relative, and does not show the folder to which --data-map
// resolves the pattern.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/MatchFiles.h"

namespace ingot::input {

namespace {

class MatchingFilesIterator final : public DatasetIterator {
public:
  MatchingFilesIterator(IteratorContext &environment,
                        std::vector<std::string> patterns, bool requiresMatch,
                        std::string name)
      : environment(environment), patterns(std::move(patterns)),
        requiresMatch(requiresMatch), name(std::move(name)) {}

  Status start() override {
    position = 0;
    return match();
  }

  Status next(Element &element, bool &end) override {
    end = position == files.size();
    if (end)
      return Status::ok();
    element.resize(1);
    element[0] = Tensor::string(environment.pool, files[position++]);
    return Status::ok();
  }

  void save(NodeState &state) const override {
    state.set_position(position);
    state.set_read(files.size());
    state.set_seed(checksum());
  }

  Status restore(const NodeState &state) override {
    position = state.position();
    if (position == 0 && state.read() == 0)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(match());
    if (files.size() != state.read() || checksum() != state.seed() ||
        position > files.size())
      return Status(StatusCode::DataLoss,
                    name +
                        ": the matching files have changed since the iterator "
                        "was saved (" +
                        std::to_string(state.read()) + " then, " +
                        std::to_string(files.size()) +
                        " now): restore the files, or start the input anew "
                        "(ingot-ckpt strip --iterators)");
    return Status::ok();
  }

private:
  Status match() {
    auto resolve = [&](const std::string &path) {
      const InputPipelineOptions &options = environment.options;
      return resolveDataPath(options.dataDirectory, options.dataMap, path);
    };
    auto found = matchFiles(*environment.options.fileSystem, patterns, resolve);
    if (!found)
      return found.takeStatus().withContext(name);
    files = std::move(*found);
    if (!files.empty() || !requiresMatch)
      return Status::ok();
    // The message has TensorFlow's wording, as users' scripts may search for
    // it.
    std::string message = name + ": No files matched pattern: ";
    for (size_t i = 0; i < patterns.size(); ++i)
      message += (i == 0 ? "" : ", ") + patterns[i];
    return Status(StatusCode::InvalidArgument, message);
  }

  uint32_t checksum() const {
    uint32_t crc = 0;
    for (const std::string &file : files)
      crc = crc32c(crc, file.c_str(), file.size() + 1);
    return crc;
  }

  IteratorContext &environment;
  std::vector<std::string> patterns;
  bool requiresMatch;
  std::string name;
  std::vector<std::string> files;
  uint64_t position = 0;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeMatchingFilesDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand operand,
                         context.operand(0, INGOT_STRING, -1));
  std::vector<std::string> patterns;
  for (int64_t i = 0; i < operand.numElements(); ++i)
    patterns.emplace_back(operand.string(i));
  return {std::make_unique<MatchingFilesIterator>(
      context.env(), std::move(patterns),
      context.attribute("requires_match", 0) != 0, context.name())};
}

static constexpr DatasetOperandConstraint patternOperands[] = {
    {"patterns", INGOT_STRING, 1}};
static constexpr const char *matchAttributes[] = {"requires_match"};
INGOT_DATASET(matching_files_dataset) = {.make = makeMatchingFilesDataset,
                                         .numInputs = 0,
                                         .operands = patternOperands,
                                         .attributes = matchAttributes};

} // namespace ingot::input
