//===- MemberWeights.cpp - How much an ensemble weighs its members --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/MemberWeights.h"

#include "runtime/ABI/AdaNetNames.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/Session.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace ingot;
using namespace ingot::adanet;

/// Returns the index of the member whose mixture weights a variable of an
/// ensemble holds, or std::nullopt for other variables. `rest` is the
/// variable's name below the scope of the ensemble. The variables of mixture
/// weights are called "weighted_subnetwork_<k>/logits[_<head>]/mixture_weight"
/// (AN-077, 079).
static std::optional<size_t> memberOf(std::string_view rest) {
  constexpr std::string_view start = "weighted_subnetwork_",
                             end = "/mixture_weight", logits = "/logits";
  if (!rest.starts_with(start) || !rest.ends_with(end))
    return std::nullopt;
  rest.remove_prefix(start.size());
  size_t member = 0;
  auto [after, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), member);
  rest.remove_prefix(static_cast<size_t>(after - rest.data()));
  return error == std::errc() && rest.starts_with(logits)
             ? std::optional(member)
             : std::nullopt;
}

std::vector<double> adanet::memberWeights(const ingot_context &context,
                                          std::string_view ensemble,
                                          size_t numMembers) {
  std::vector<double> norms(numMembers);
  std::vector<bool> isFound(numMembers);
  const ingot_program &program = *context.program;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_tensor_spec &spec = program.variables[i].spec;
    auto name = parseName(spec.name);
    if (!name || name->kind != AdaNetVariableName::Ensemble ||
        name->owner != ensemble || spec.dtype != INGOT_FLOAT)
      continue;
    std::optional<size_t> member = memberOf(name->rest);
    if (!member)
      continue;
    if (*member >= numMembers)
      return {};
    isFound[*member] = true;
    auto *weights = static_cast<const float *>(readVariable(context, i));
    for (int64_t k = 0, count = elementCountOf(spec); k < count; ++k)
      norms[*member] += std::fabs(static_cast<double>(weights[k]));
  }
  bool isWhole =
      std::find(isFound.begin(), isFound.end(), false) == isFound.end() &&
      std::all_of(norms.begin(), norms.end(),
                  [](double norm) { return std::isfinite(norm); });
  return isWhole ? norms : std::vector<double>();
}
