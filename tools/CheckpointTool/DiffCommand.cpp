//===- DiffCommand.cpp - ingot-ckpt diff ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/ElementText.h"
#include "tools/CheckpointTool/Tool.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Json.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace ingot;
using namespace ingot::ckpt;

static const FlagSpec diffFlags[] = {
    {"--rtol", "X",
     "accept relative differences of floats up to X (default: 0)"},
    {"--atol", "X",
     "accept absolute differences of floats up to X (default: 0)"},
    {"--json", nullptr, "print one JSON list"},
    {"--help", nullptr, "print this"},
};

namespace {

/// The differences between two tensors of the same type and shape.
struct TensorDifference {
  uint64_t count = 0; // number of elements that differ
  double largest = 0; // largest absolute difference
  int64_t first = -1; // index of the first element that differs
  bool isNumeric = false;
};

/// The values of --rtol and --atol: elements differ if |a - b| > absolute +
/// relative * |b|, as in numpy.allclose.
struct ComparisonTolerance {
  double relative = 0, absolute = 0;
};

} // namespace

/// Compares two tensors of the same type and shape, element by element. The
/// tolerance applies to floating-point types only.
static TensorDifference compare(int32_t dtype, const TensorData &a,
                                const TensorData &b,
                                const ComparisonTolerance &tolerance) {
  TensorDifference difference;
  auto differs = [&](size_t i) {
    if (difference.count++ == 0)
      difference.first = static_cast<int64_t>(i);
  };
  if (dtype == INGOT_STRING) {
    for (size_t i = 0; i < a.strings.size(); ++i)
      if (a.strings[i] != b.strings[i])
        differs(i);
    return difference;
  }
  size_t size = dtypeSize(dtype);
  ElementScalarCountAndType components = componentsOf(dtype);
  difference.isNumeric = components.count > 0;
  if (a.bytes == b.bytes)
    return difference;
  bool isFloat = isAveraged(dtype);
  for (size_t i = 0; i * size < a.bytes.size(); ++i) {
    const char *x = a.bytes.data() + i * size, *y = b.bytes.data() + i * size;
    if (std::memcmp(x, y, size) == 0)
      continue;
    bool within = isFloat;
    for (size_t c = 0; c < components.count; ++c) {
      size_t at = c * size / components.count;
      double left = elementAsDouble(components.dtype, x + at);
      double right = elementAsDouble(components.dtype, y + at);
      if (std::isnan(left) && std::isnan(right))
        continue;
      double distance = std::fabs(left - right);
      if (left != right &&
          !(distance <=
            tolerance.absolute + tolerance.relative * std::fabs(right)))
        within = false;
      // A difference that involves infinities or NaN may be NaN, which must not
      // become the largest one.
      if (!std::isnan(distance) && distance > difference.largest)
        difference.largest = distance;
    }
    // Without tolerances elements are equal only if their bits are, so 0 and -0
    // differ.
    if (within && (tolerance.relative > 0 || tolerance.absolute > 0))
      continue;
    differs(i);
  }
  return difference;
}

/// Returns the coordinates, such as "[1,0]", of the element with the row-major
/// index `index`.
static std::string indexText(const Shape &shape, int64_t index) {
  Shape at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = index % shape[d];
    index /= shape[d];
  }
  return shapeText(at);
}

namespace {

/// Collects differences and prints them as lines or as JSON.
class DiffReport {
public:
  explicit DiffReport(bool asJson) : asJson(asJson) {}

  void add(const std::string &name, const char *kind, const std::string &line,
           const std::string &moreJson = "") {
    if (asJson) {
      text += count == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ";
      appendJsonString(text, name);
      text += ", \"kind\": \"" + std::string(kind) + "\"" + moreJson + "}";
    } else {
      text += "'" + name + "': " + line + "\n";
    }
    ++count;
  }

  std::string finish(size_t compared) const {
    if (asJson)
      return "[" + text + (count > 0 ? "\n]\n" : "]\n");
    if (count == 0)
      return counted(compared, "tensor") + ", no differences\n";
    return text + std::to_string(count) + " of " + counted(compared, "tensor") +
           " differ\n";
  }

  size_t count = 0;

private:
  bool asJson;
  std::string text;
};

} // namespace

/// Compares one tensor of two checkpoints and adds the differences to `report`.
static Status compareTensor(const CheckpointReader &a,
                            const CheckpointReader &b, const std::string &key,
                            const ComparisonTolerance &tolerance,
                            DiffReport &report) {
  const CheckpointEntry *left = a.find(key), *right = b.find(key);
  if (!left || !right) {
    const char *where = left ? "first" : "second";
    report.add(key, left ? "only_in_first" : "only_in_second",
               "only in the " + std::string(where) + ", " +
                   typeText(left ? *left : *right));
    return Status::ok();
  }
  if (left->dtype != right->dtype || left->shape != right->shape) {
    report.add(key, "type", typeText(*left) + " and " + typeText(*right),
               ", \"types\": [\"" + typeText(*left) + "\", \"" +
                   typeText(*right) + "\"]");
    return Status::ok();
  }
  // Variants are not compared, since only the program that wrote them can read
  // them.
  if (dtypeSize(left->dtype) == 0 && left->dtype != INGOT_STRING)
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(TensorData x, readTensor(a, key));
  INGOT_ASSIGN_OR_RETURN(TensorData y, readTensor(b, key));
  TensorDifference difference = compare(left->dtype, x, y, tolerance);
  if (difference.count == 0)
    return Status::ok();
  auto total = static_cast<uint64_t>(*elementCount(left->shape));
  std::string largest = numberText(difference.largest);
  std::string line = std::to_string(difference.count) + " of " +
                     counted(total, "element") + " differ, the first at " +
                     indexText(left->shape, difference.first) + ": ";
  auto at = static_cast<size_t>(difference.first);
  appendJsonElement(line, left->dtype, x, at);
  line += " and ";
  appendJsonElement(line, left->dtype, y, at);
  if (difference.isNumeric)
    line += "; largest difference " + largest;
  std::string json = ", \"elements\": " + std::to_string(difference.count) +
                     ", \"of\": " + std::to_string(total) +
                     ", \"first\": " + indexText(left->shape, difference.first);
  if (difference.isNumeric && std::isfinite(difference.largest))
    json += ", \"largest\": " + largest;
  report.add(key, "values", line, json);
  return Status::ok();
}

/// Parses --rtol or --atol: a finite number, 0 or more. Sets `error` otherwise.
static double tolerance(const ToolContext &tool, const char *flag,
                        std::optional<UsageError> &error) {
  std::string text = tool.flags.get(flag, "0");
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value < 0)
    error =
        UsageError{std::string(flag) +
                       ": expected a number, 0 or more, found '" + text + "'",
                   ""};
  return value;
}

static int runDiff(ToolContext &tool) {
  std::optional<UsageError> error;
  ComparisonTolerance allowed{tolerance(tool, "--rtol", error),
                              tolerance(tool, "--atol", error)};
  if (error)
    return tool.usage(*error);
  auto a = CheckpointReader::open(tool.fileSystem, tool.arguments()[0]);
  if (!a)
    return tool.fail(a.status());
  auto b = CheckpointReader::open(tool.fileSystem, tool.arguments()[1]);
  if (!b)
    return tool.fail(b.status());
  std::vector<std::string> all = (*a)->keys();
  all.insert(all.end(), (*b)->keys().begin(), (*b)->keys().end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  DiffReport report(tool.flags.has("--json"));
  for (const std::string &key : all) {
    if (StopSignals::caught())
      return tool.fail(Status(StatusCode::Cancelled, "stopped by a signal"));
    Status status = compareTensor(**a, **b, key, allowed, report);
    if (!status.isOk())
      return tool.fail(status);
  }
  if (int code = tool.print(report.finish(all.size())))
    return code;
  return report.count > 0 ? Failed : Done;
}

const ToolSubcommand ckpt::diffVerb = {
    "diff",
    "PREFIX PREFIX [--rtol X] [--atol X] [--json]",
    "compare two checkpoints; exit code 1 if they differ",
    "run/model.ckpt-40 run/model.ckpt-60",
    2,
    2,
    diffFlags,
    runDiff,
};
