//===- ParseExampleFunction.cpp - Only parses Examples ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/ParseExampleFunction.h"
#include "runtime/ABI/Program.h"
#include "runtime/Support/DType.h"

#include <algorithm>

namespace ingot::input {

bool onlyParses(const ingot_function &function) {
  return function.parse &&
         std::none_of(function.parsed, function.parsed + function.num_outputs,
                      [](uint32_t f) { return f == INGOT_COMPUTED; });
}

/// Checks that the type and shape of `element` are those of the function's
/// argument, as CapturedFunction does before it calls compiled code, and
/// returns the element's strings.
static Expected<std::span<const ingot_string>>
stringsOf(const ingot_function &function, const Element &element) {
  if (element.size() != 1)
    return Status(StatusCode::InvalidArgument,
                  "the dataset passes " + std::to_string(element.size()) +
                      " arguments to its function, which expects 1");
  const ingot_tensor_spec &spec = function.inputs[0];
  Shape expected(spec.dims, spec.rank);
  if (element[0].dtype() != INGOT_STRING || spec.dtype != INGOT_STRING ||
      !fits(element[0].shape(), expected))
    return Status(StatusCode::InvalidArgument,
                  "argument 0 of the dataset's function is " +
                      std::string(dtypeName(element[0].dtype())) +
                      shapeText(element[0].shape()) +
                      ", but the function expects " + dtypeName(spec.dtype) +
                      shapeText(expected));
  return std::span(static_cast<const ingot_string *>(element[0].data()),
                   static_cast<size_t>(element[0].numElements()));
}

static std::string_view viewOf(const ingot_string &string) {
  return {string.data, static_cast<size_t>(string.size)};
}

/// Returns the features to parse: those of `function.parse`, followed by
/// copies. If several results share a feature, every result but the first gets
/// a copy, so that each result has a feature of its own. Appends the index of
/// each result's feature to `featureOf`.
static std::vector<FeatureToParse>
featuresOfResults(const ingot_function &function,
                  std::vector<uint32_t> &featureOf) {
  std::vector<FeatureToParse> features = featuresOf(*function.parse);
  std::vector<bool> isResult(features.size());
  for (uint32_t i = 0; i < function.num_outputs; ++i) {
    uint32_t feature = function.parsed[i];
    if (isResult[feature]) {
      features.push_back(FeatureToParse(features[feature]));
      feature = static_cast<uint32_t>(features.size() - 1);
    } else {
      isResult[feature] = true;
    }
    featureOf.push_back(feature);
  }
  return features;
}

ParseExampleFunction::ParseExampleFunction(IteratorContext &environment,
                                           uint32_t index)
    : pool(environment.pool), function(environment.program.functions[index]),
      parser(function.parse->node, featuresOfResults(function, featureOf)) {
  for (uint32_t i = 0; i < function.num_outputs; ++i)
    hasStrings |= function.outputs[i].dtype == INGOT_STRING;
}

Status ParseExampleFunction::run(Element &element) {
  INGOT_ASSIGN_OR_RETURN(auto strings, stringsOf(function, element));
  results.resize(function.num_outputs);
  for (uint32_t i = 0; i < function.num_outputs; ++i) {
    const ingot_tensor_spec &spec = function.outputs[i];
    shape.assign(spec.dims, spec.dims + spec.rank);
    if (!element[0].shape().empty())
      shape[0] = element[0].shape()[0];
    int64_t count;
    if (!countElements(shape, count))
      return Status(StatusCode::ResourceExhausted,
                    "a batch of shape " + shapeText(shape) +
                        " is too large: it has 2^63 elements or more");
    results[i] = Tensor::allocate(pool, spec.dtype, shape);
    parser.setOutput(featureOf[i], results[i].mutableData());
  }
  for (size_t i = 0; i < strings.size(); ++i) {
    auto index = static_cast<int64_t>(i);
    INGOT_RETURN_IF_ERROR(parser.parse(viewOf(strings[i]), index, index));
  }
  for (Tensor &result : results)
    if (result.dtype() == INGOT_STRING)
      result = Tensor::lasting(pool, std::move(result), element);
  element.swap(results);
  return Status::ok();
}

Status ParseExampleFunction::write(const Element &element,
                                   std::span<void *const> rows,
                                   Element &owners) {
  INGOT_ASSIGN_OR_RETURN(auto strings, stringsOf(function, element));
  for (uint32_t i = 0; i < function.num_outputs; ++i)
    parser.setOutput(featureOf[i], rows[i]);
  if (hasStrings)
    owners.push_back(element[0]);
  return parser.parse(viewOf(strings[0]), 0, 0);
}

ExampleProtoChecker::ExampleProtoChecker(IteratorContext &environment,
                                         uint32_t index)
    : pool(environment.pool), function(environment.program.functions[index]),
      parser(function.parse->node, featuresOf(*function.parse)) {}

Status ExampleProtoChecker::run(Element &element) {
  INGOT_ASSIGN_OR_RETURN(auto strings, stringsOf(function, element));
  INGOT_RETURN_IF_ERROR(parser.parse(viewOf(strings[0]), 0, 0));
  size_t size = parser.sizeOfWanted();
  if (strings[0].size / 2 <= size)
    return Status::ok();
  Tensor smaller = Tensor::allocate(pool, INGOT_STRING, {}, size);
  parser.writeWanted(smaller.extra());
  *static_cast<ingot_string *>(smaller.mutableData()) = {smaller.extra(), size};
  element[0] = std::move(smaller);
  return Status::ok();
}

} // namespace ingot::input
