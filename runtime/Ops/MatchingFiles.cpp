//===- MatchingFiles.cpp - Files that match patterns ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/DataFile.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/MatchFiles.h"

using namespace ingot;
using namespace ingot::ops;

/// Removes slashes at the end of a name, so that the name "name/" also finds a
/// file called "name".
static std::string withoutSlashes(std::string name) {
  while (name.size() > 1 && name.ends_with('/'))
    name.pop_back();
  return name;
}

INGOT_RUNTIME_OP(matching_files) {
  OpInput patterns = op.input(0);
  if (patterns.rank() > 1)
    return op.invalid(
        "Input patterns tensor must be scalar or vector, but had shape: " +
        dimsText(patterns.dims()));
  auto resolve = [&](const std::string &name) {
    return pathOfDataFile(op, name);
  };
  // Unlike MatchingFilesDataset, the op returns a pattern without special
  // characters unchanged, if a file of this name exists.
  FileSystem &fileSystem = *op.context().fileSystem;
  std::vector<std::string> wildcards, exact;
  for (const ingot_string &pattern : patterns.as<ingot_string>()) {
    std::string text(view(pattern));
    if (isWildcard(text))
      wildcards.push_back(std::move(text));
    else if (!text.empty() && fileSystem.exists(resolve(withoutSlashes(text))))
      exact.push_back(std::move(text));
  }
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> files,
                         matchFiles(fileSystem, wildcards, resolve));
  files.insert(files.end(), exact.begin(), exact.end());
  std::ranges::sort(files);
  INGOT_ASSIGN_OR_RETURN(
      auto names,
      op.output<ingot_string>(0, {static_cast<int64_t>(files.size())}));
  for (size_t i = 0; i < files.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(names[i], op.string(files[i]));
  }
  return Status::ok();
}
