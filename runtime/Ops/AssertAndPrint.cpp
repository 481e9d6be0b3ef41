//===- AssertAndPrint.cpp - Assert, Print and StringFormat ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/PrintTensors.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>

using namespace ingot;
using namespace ingot::ops;

// `Assert`. Inputs: the condition, then the data that the message shows.
INGOT_RUNTIME_OP(assert) {
  if (op.input(0).as<bool>()[0])
    return Status::ok();
  std::string message = "assertion failed:";
  for (size_t i = 1; i < op.numInputs(); ++i)
    message += " [" + summarize(op.input(i), op.integer("summarize", 3)) + "]";
  return op.invalid(std::move(message));
}

INGOT_RUNTIME_OP(check_numerics) {
  OpInput input = op.input(0);
  bool hasNan = false, hasPositive = false, hasNegative = false;
  INGOT_RETURN_IF_ERROR(visitNumbers(input.dtype(), [&]<typename T>() {
    if constexpr (!std::is_integral_v<T>) {
      for (const T &element : input.as<T>()) {
        auto value = static_cast<double>(element);
        hasNan |= std::isnan(value);
        hasPositive |= std::isinf(value) && value > 0;
        hasNegative |= std::isinf(value) && value < 0;
      }
    }
    return Status::ok();
  }));
  if (!hasNan && !hasPositive && !hasNegative)
    return op.forward(0, input);
  std::string found;
  auto add = [&](bool isFound, const char *what) {
    if (isFound)
      found += (found.empty() ? "" : " and ") + std::string(what);
  };
  if (op.flag("signs")) {
    add(hasNegative, "-Inf");
    add(hasPositive, "+Inf");
  } else {
    add(hasNegative || hasPositive, "Inf");
  }
  add(hasNan, "NaN");
  return op.invalid(std::string(op.text("message")) + " : Tensor had " + found +
                    " values");
}

/// Writes `text` to the destination `where` of a print op: a file, stdout or
/// stderr. TensorFlow's three log levels also mean stderr.
static Status printTo(OpKernelContext &op, std::string_view where,
                      const std::string &text) {
  constexpr std::string_view file = "file://";
  if (where.starts_with(file)) {
    std::string path(where.substr(file.size()));
    std::FILE *stream = std::fopen(path.c_str(), "a");
    if (!stream)
      return op.invalid("cannot open '" + path +
                        "' for writing: " + std::strerror(errno));
    bool isWritten =
        std::fwrite(text.data(), 1, text.size(), stream) == text.size();
    isWritten &= std::fclose(stream) == 0;
    return isWritten ? Status::ok()
                     : op.invalid("cannot write to '" + path +
                                  "': " + std::strerror(errno));
  }
  std::FILE *stream = where == "stdout" ? stdout : stderr;
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
  return Status::ok();
}

// `PrintV2`. Input: the string to print.
INGOT_RUNTIME_OP(print) {
  std::string text(op.input(0).text(0));
  text += op.text("end", "\n");
  return printTo(op, op.text("output_stream", "stderr"), text);
}

// `Print`: passes its first input through, and prints the others.
INGOT_RUNTIME_OP(print_data) {
  int64_t times = op.integer("first_n", -1);
  // How often each node has printed on this thread: pairs of a node's name and
  // a count.
  static thread_local std::vector<std::pair<std::string, int64_t>> printed;
  if (times >= 0) {
    auto it = std::find_if(printed.begin(), printed.end(),
                           [&](auto &p) { return p.first == op.node(); });
    if (it == printed.end())
      it = printed.insert(printed.end(), {op.node(), 0});
    if (it->second++ >= times)
      return op.forward(0, op.input(0));
  }
  std::string text(op.text("message"));
  for (size_t i = 1; i < op.numInputs(); ++i)
    text += "[" + summarize(op.input(i), op.integer("summarize", 3)) + "]";
  INGOT_RETURN_IF_ERROR(printTo(op, "stderr", text + "\n"));
  return op.forward(0, op.input(0));
}

// `StringFormat`: replaces the placeholders of a template by the inputs.
INGOT_RUNTIME_OP(string_format) {
  std::string_view form = op.text("format"),
                   placeholder = op.text("placeholder", "%s");
  std::string text;
  for (size_t i = 0; i < op.numInputs(); ++i) {
    size_t at = form.find(placeholder);
    text += form.substr(0, at);
    if (at == std::string_view::npos)
      return op.invalid("the template has only " + std::to_string(i) +
                        " placeholders '" + std::string(placeholder) +
                        "' for " + std::to_string(op.numInputs()) + " inputs");
    form.remove_prefix(at + placeholder.size());
    text += summarizeEnds(op.input(i), op.integer("summarize", 3));
  }
  text += form;
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, {}));
  INGOT_ASSIGN_OR_RETURN(output[0], op.string(text));
  return Status::ok();
}

INGOT_RUNTIME_OP(timestamp) {
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<double>(0, {}));
  auto now = std::chrono::system_clock::now().time_since_epoch();
  output[0] = std::chrono::duration<double>(now).count();
  return Status::ok();
}
