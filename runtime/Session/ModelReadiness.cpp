//===- ModelReadiness.cpp - Whether the model is ready to run -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/ModelReadiness.h"

#include "runtime/Support/Json.h"

#include <algorithm>
#include <vector>

using namespace ingot;

static void add(std::string &list, std::string_view name) {
  list += (list.empty() ? "" : ", ") + std::string(name);
}

/// Returns the names of uninitialized variables, separated by commas: the
/// elements of the ready entry's string fetches. An int32 fetch means that the
/// model is ready. A fetch of another type is listed with its value.
static std::string namesOf(const BoundEntryPoint &bound) {
  std::string names;
  for (uint32_t i = 0; i < bound.entry().num_fetches; ++i) {
    ingot_tensor_spec spec = bound.fetchSpec(i);
    int64_t count = elementCountOf(spec);
    if (spec.dtype == INGOT_INT32 || count == 0)
      continue;
    if (spec.dtype != INGOT_STRING) {
      std::string value;
      appendJsonTensor(value, spec, bound.fetch(i));
      add(names, std::string(spec.name) + " = " + value);
      continue;
    }
    auto *strings = static_cast<const ingot_string *>(bound.fetch(i));
    for (int64_t j = 0; j < count; ++j)
      add(names, {strings[j].data, strings[j].size});
  }
  return names;
}

Expected<std::string> ingot::whyNotReady(Session &session, ingot_role role,
                                         SessionLogger &reporter) {
  ingot_context &context = session.context();
  const ingot_program &program = session.program();
  context.uninitialized.clear();
  std::string names;
  if (const ingot_entry *entry = findEntry(program, role)) {
    INGOT_ASSIGN_OR_RETURN(BoundEntryPoint bound, session.bind(*entry));
    Status status = session.run(bound);
    if (status.code() == StatusCode::FailedPrecondition &&
        status.message().find("uninitialized") != std::string::npos)
      return status.message();
    if (!status.isOk()) {
      status = std::move(status).withContext("entry '" +
                                             std::string(entry->name) + "'");
      reporter.warning(std::string(role == INGOT_ROLE_READY
                                       ? "Model not ready"
                                       : "Model not ready for local init") +
                       " : error [" + status.message() + "]");
      return status;
    }
    names = namesOf(bound);
  } else if (role == INGOT_ROLE_READY) {
    for (uint32_t i = 0; i < program.num_variables; ++i)
      if (!context.initialized[i])
        context.uninitialized.push_back(i);
  }
  for (uint32_t variable : context.uninitialized)
    add(names, program.variables[variable].spec.name);
  return names.empty() ? names : "Variables not initialized: " + names;
}

std::string ingot::listUninitialized(Session &session) {
  const ingot_program &program = session.program();
  // Groups the variables by device. The devices come in the order in which the
  // program's variables first mention them.
  std::vector<std::pair<std::string, std::string>> byDevice;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    if (session.context().initialized[i] ||
        (variable.flags & INGOT_VARIABLE_LOCAL))
      continue;
    auto place =
        std::find_if(byDevice.begin(), byDevice.end(), [&](const auto &known) {
          return known.first == variable.device;
        });
    if (place == byDevice.end())
      place = byDevice.insert(place, {variable.device, ""});
    add(place->second, variable.spec.name);
  }
  std::string text;
  for (const auto &[device, names] : byDevice)
    text += (text.empty() ? "" : "; ") + names +
            (device.empty() ? "" : " on " + device);
  return text;
}
