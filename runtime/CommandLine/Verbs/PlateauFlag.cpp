//===- PlateauFlag.cpp - The flag --reduce-lr-on-plateau ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/PlateauFlag.h"

#include "runtime/ABI/Program.h"
#include "runtime/Hooks/LearningRate.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>

using namespace ingot;

/// Finds the learning rate that --reduce-lr-on-plateau changes: the one called
/// `name`, or the program's only one.
static std::optional<UsageError> findLearningRate(const ingot_program &program,
                                                  const std::string &flag,
                                                  const std::string &name,
                                                  uint32_t &variable) {
  for (uint32_t i = 0; !name.empty() && i < program.num_variables; ++i)
    if (const ingot_tensor_spec &spec = program.variables[i].spec;
        name == spec.name && spec.rank == 0 && isFloating(spec.dtype)) {
      variable = i;
      return std::nullopt;
    }
  if (!name.empty())
    return UsageError{flag + ": '" + name + "' is no floating scalar variable",
                      "run 'PROGRAM info' to list the variables"};
  std::vector<uint32_t> rates = learningRatesOf(program);
  if (rates.size() == 1) {
    variable = rates.front();
    return std::nullopt;
  }
  if (rates.empty())
    return UsageError{
        flag + ": no variable of this program is called learning_rate: a "
               "constant or a schedule of steps is compiled in",
        "give the optimizer a variable, or name it: METRIC:variable=NAME"};
  std::string all;
  for (uint32_t rate : rates)
    all += (all.empty() ? "" : ", ") +
           std::string(program.variables[rate].spec.name);
  return UsageError{flag + ": this program has several learning rates: " + all,
                    "name one of them: METRIC:variable=NAME"};
}

/// Sets the argument `key` of ReduceLROnPlateau. Returns false if it has no
/// argument of this name, or if the value is not allowed.
static bool setPlateauOption(PlateauOptions &plateau, const std::string &key,
                             const std::string &text) {
  double value = 0;
  if (key == "mode") {
    plateau.wantsMore = text == "max";
    return text == "max" || text == "min";
  }
  if (!parseElement(text, INGOT_DOUBLE, &value) || !(value >= 0))
    return false;
  auto count = static_cast<int64_t>(std::min(value, 1e15));
  bool isCount = static_cast<double>(count) == value;
  if (key == "factor")
    plateau.factor = value;
  else if (key == "min_delta")
    plateau.minDelta = value;
  else if (key == "min_lr")
    plateau.minRate = value;
  else if (key == "patience")
    plateau.patience = count;
  else if (key == "cooldown")
    plateau.cooldown = count;
  else
    return false;
  return key == "factor" ? value > 0 && value < 1
                         : isCount || (key != "patience" && key != "cooldown");
}

std::optional<UsageError> ingot::readPlateaus(const ingot_program &program,
                                              TrainOptions &options) {
  const auto &flag = options.reduceLearningRate;
  for (const std::string &text : flag.get()) {
    PlateauOptions &plateau = options.plateaus.emplace_back();
    size_t equals = text.find('=');
    size_t colon =
        equals == std::string::npos ? text.size() : text.rfind(':', equals);
    plateau.metric = text.substr(0, colon);
    // As in Keras, the mode depends on the name of the metric.
    plateau.wantsMore = plateau.metric.find("acc") != std::string::npos;
    std::string variable;
    for (size_t begin = colon, end; begin < text.size(); begin = end) {
      end = std::min(text.find(',', ++begin), text.size());
      std::string pair = text.substr(begin, end - begin);
      size_t sign = std::min(pair.find('='), pair.size());
      std::string key = pair.substr(0, sign),
                  value = sign < pair.size() ? pair.substr(sign + 1) : "";
      if (key == "variable")
        variable = value;
      else if (!setPlateauOption(plateau, key, value))
        return wrongValue(flag,
                          "METRIC:factor=X,patience=N,min_delta=X,cooldown=N,"
                          "min_lr=X,mode=min|max,variable=NAME with 0 < "
                          "factor < 1",
                          text);
    }
    if (colon == std::string::npos || plateau.metric.empty())
      return wrongValue(flag, "METRIC[:KEY=VALUE,...]", text);
    if (auto error =
            findLearningRate(program, flag.name(), variable, plateau.variable))
      return error;
  }
  return std::nullopt;
}
