//===- FeatureRangeLoggingHook.cpp - Value ranges of features -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/FeatureRangeLoggingHook.h"

#include "runtime/Session/Context.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace ingot;
using namespace ingot::adanet;

std::string FeatureRangeLoggingHook::describe(const ingot_tensor_spec &spec,
                                              const void *data) {
  if (!isNumeric(spec.dtype))
    return "";
  size_t count = 1, finite = 0;
  for (uint32_t i = 0; i < spec.rank; ++i)
    count *= static_cast<size_t>(std::max<int64_t>(spec.dims[i], 0));
  double low = 0, high = 0;
  for (size_t i = 0; i < count; ++i) {
    double value = elementAsDouble(spec.dtype, static_cast<const char *>(data) +
                                                   i * dtypeSize(spec.dtype));
    if (!std::isfinite(value))
      continue;
    low = finite ? std::min(low, value) : value;
    high = finite ? std::max(high, value) : value;
    ++finite;
  }
  if (count == 0)
    return "";
  if (finite == 0)
    return "none of the " + std::to_string(count) + " values is finite";
  char text[80];
  std::snprintf(text, sizeof(text), "from %.6g to %.6g", low, high);
  return text + (finite < count ? ", and " + std::to_string(count - finite) +
                                      " that are not finite"
                                : std::string());
}

/// Replaces the iterators of `entry`, which has read the first batch, by new
/// ones, so that the replaced iterators release their open files and prefetched
/// elements. No other entry reads these iterators.
static Status closeInput(ingot_context &context, const ingot_entry &entry) {
  for (uint32_t i = 0; i < entry.num_iterators; ++i)
    INGOT_RETURN_IF_ERROR(makeIterator(context, entry.iterators[i]));
  return Status::ok();
}

Status FeatureRangeLoggingHook::afterCreateSession(SessionRunContext &context) {
  if (context.globalStep != 0)
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(BoundEntryPoint bound, context.session.bind(entry));
  // If reading the first batch fails, ignore the error: the first training step
  // reads the same data and will report it.
  if (context.session.run(bound).isOk())
    for (size_t i = 0; i < bound.fetches().size(); ++i) {
      std::string name = bound.fetches()[i].name;
      size_t kind = name.find('/');
      std::string range = describe(bound.fetchSpec(i), bound.fetch(i));
      if (!range.empty() && kind != std::string::npos)
        reporter.log(name.substr(0, kind) + " '" + name.substr(kind + 1) +
                     "' in the first batch: " + range);
    }
  return closeInput(context.session.context(), entry);
}
