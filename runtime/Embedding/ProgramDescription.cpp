//===- ProgramDescription.cpp - Describes a library's program -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Embedding/ProgramDescription.h"

#include "runtime/Embedding/Tensors.h"
#include "runtime/Session/Program.h"

#include <deque>
#include <map>
#include <mutex>

using namespace ingot;
using namespace ingot::embedding;

namespace {

/// Owns the description of one program for ingot/trainer.h, and the arrays to
/// which the description points.
class ProgramDescription {
public:
  explicit ProgramDescription(const ingot_program &program) {
    if (!checkProgram(program).isOk()) {
      shown.source = shown.compiler = "";
      return;
    }
    shown.source = program.source;
    shown.compiler = program.compiler;
    for (const ingot_entry &entry :
         std::span(program.entries, program.num_entries))
      addEntry(entry);
    for (const ingot_variable &variable :
         std::span(program.variables, program.num_variables))
      variables.push_back(showTensor(variable.spec, nullptr));
    shown.num_entries = entries.size();
    shown.entries = entries.data();
    shown.num_variables = variables.size();
    shown.variables = variables.data();
  }

  const ingot_trainer_program &get() const { return shown; }

private:
  const ingot_trainer_tensor *show(std::span<const ingot_tensor_spec> specs) {
    std::vector<ingot_trainer_tensor> &all = tensors.emplace_back();
    for (const ingot_tensor_spec &spec : specs)
      all.push_back(showTensor(spec, nullptr));
    return all.data();
  }

  void addEntry(const ingot_entry &entry) {
    entries.push_back({entry.name, roleName(entry.role), entry.num_feeds,
                       show(feedsOf(entry)), entry.num_fetches,
                       show(fetchesOf(entry))});
  }

  ingot_trainer_program shown = {};
  std::deque<std::vector<ingot_trainer_tensor>> tensors;
  std::vector<ingot_trainer_entry> entries;
  std::vector<ingot_trainer_tensor> variables;
};

} // namespace

const ingot_trainer_program &
embedding::describeProgram(const ingot_program &program) {
  static std::mutex mutex;
  static std::map<const ingot_program *, ProgramDescription> known;
  std::lock_guard<std::mutex> guard(mutex);
  return known.try_emplace(&program, program).first->second.get();
}
