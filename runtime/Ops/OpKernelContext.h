//===- OpKernelContext.h - Interface of runtime ops -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A runtime op is a C++ function with an OpKernelContext as its argument, for
// an op without a loop nest, such as one on strings. The OpKernelContext
// provides typed views of inputs, attributes by name, and the allocation of
// outputs. If the function returns a failure, the compiled code that has called
// it ends the entry or function with this failure, and the message names the
// node.
//
// This op returns the length of each string:
//
//   INGOT_RUNTIME_OP(string_length) {
//     OpInput texts = op.input(0);
//     INGOT_ASSIGN_OR_RETURN(auto lengths,
//                            op.output<int32_t>(0, texts.dims()));
//     for (size_t i = 0; i < lengths.size(); ++i)
//       lengths[i] = static_cast<int32_t>(texts.text(i).size());
//     return Status::ok();
//   }
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_OPKERNELCONTEXT_H
#define INGOT_RUNTIME_OPS_OPKERNELCONTEXT_H

#include "runtime/ABI/Calls.h"
#include "runtime/ABI/Op.h"
#include "runtime/Support/Expected.h"
#include "runtime/Support/RunArena.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::ops {

using Dims = std::span<const int64_t>;

/// Returns the size in bytes of one element in memory, also for strings
/// (ingot_string) and elements of variant tensors (handles), or 0 for an
/// unknown type.
size_t elementSize(int32_t dtype);

/// Formats dims as "[2, 3]".
std::string dimsText(Dims dims);

inline std::string_view view(const ingot_string &text) {
  return {text.data, text.size};
}

/// An input of an op. Its elements are in row-major order.
class OpInput {
public:
  explicit OpInput(const ingot_tensor &tensor) : tensor(&tensor), size(1) {
    for (int64_t dim : dims())
      size *= dim;
  }

  int32_t dtype() const { return tensor->dtype; }
  size_t rank() const { return tensor->rank; }
  Dims dims() const { return {tensor->dims, tensor->rank}; }
  int64_t dim(size_t axis) const { return tensor->dims[axis]; }
  int64_t numElements() const { return size; }
  const void *data() const { return tensor->data; }

  /// Returns the elements, which must be of C++ type T.
  template <typename T> std::span<const T> as() const {
    return {static_cast<const T *>(tensor->data), static_cast<size_t>(size)};
  }
  /// Returns an element of a string tensor.
  std::string_view text(size_t i) const { return view(as<ingot_string>()[i]); }
  /// Returns an element of an int32 or int64 tensor.
  int64_t integer(size_t i) const {
    return dtype() == INGOT_INT64 ? as<int64_t>()[i] : as<int32_t>()[i];
  }
  /// Returns all elements of an int32 or int64 tensor.
  std::vector<int64_t> integers() const;

private:
  const ingot_tensor *tensor;
  int64_t size;
};

/// One call of a runtime op: its inputs, attributes and outputs.
class OpKernelContext {
public:
  OpKernelContext(ingot_context *context, const ingot_op &info,
                  const ingot_tensor *inputs, ingot_tensor *outputs)
      : info(info), theContext(context), inputs(inputs), outputs(outputs) {}

  ingot_context &context() const { return *theContext; }
  RunArena &memory() const { return *RunArena::current(); }
  /// Returns the node's name in the user's graph.
  const char *node() const { return info.node; }
  size_t numInputs() const { return info.num_inputs; }
  size_t numOutputs() const { return info.num_outputs; }
  OpInput input(size_t i) const { return OpInput(inputs[i]); }
  int32_t outputType(size_t i) const { return outputs[i].dtype; }
  size_t outputRank(size_t i) const { return outputs[i].rank; }

  // Return the value of an attribute, by its name in the dialect, or a default.
  int64_t integer(std::string_view name, int64_t byDefault) const;
  bool flag(std::string_view name, bool byDefault = false) const {
    return integer(name, byDefault) != 0;
  }
  double number(std::string_view name, double byDefault) const;
  std::string_view text(std::string_view name,
                        std::string_view byDefault = "") const;
  std::span<const int64_t> integers(std::string_view name) const;
  std::span<const ingot_string> texts(std::string_view name) const;

  /// Sets the dims of output `i` and allocates its elements, without
  /// initializing them. Must be called once per output.
  Expected<void *> allocate(size_t i, Dims dims);
  /// Like allocate(), but returns the elements as C++ type T.
  template <typename T> Expected<std::span<T>> output(size_t i, Dims dims) {
    INGOT_ASSIGN_OR_RETURN(void *data, allocate(i, dims));
    size_t size = 1;
    for (int64_t dim : dims)
      size *= static_cast<size_t>(dim);
    return std::span<T>(static_cast<T *>(data), size);
  }
  template <typename T>
  Expected<std::span<T>> output(size_t i, std::initializer_list<int64_t> dims) {
    return output<T>(i, Dims(dims.begin(), dims.size()));
  }
  /// Sets output `i` to the elements at `data`, which must stay valid and
  /// unchanged until the compiled function that calls this op has ended. If
  /// compiled code allows it for this output (`lent`), the output refers to
  /// `data`; otherwise the elements are copied.
  Status lend(size_t i, Dims dims, void *data);
  /// Copies `input` to output `i`.
  Status forward(size_t i, const OpInput &input);

  /// Returns a string with a copy of `text` that is valid until the compiled
  /// function that calls this op has ended.
  Expected<ingot_string> string(std::string_view text);

  Status invalid(std::string message) const {
    return Status(StatusCode::InvalidArgument, std::move(message));
  }

  /// Returns the code that the op's function returns to compiled code: 0 for
  /// success, or the failure's code. Records the failure together with the
  /// node's name.
  int32_t finish(Status status) const;

private:
  const ingot_op_attribute *find(std::string_view name) const;
  Status wrongShape(size_t i, Dims dims) const;

  const ingot_op &info;
  ingot_context *theContext;
  const ingot_tensor *inputs;
  ingot_tensor *outputs;
};

} // namespace ingot::ops

/// Defines the function that compiled code calls for ingot.<mnemonic>. The
/// block that follows the macro is the body of a function of `OpKernelContext
/// &op` that returns a Status.
#define INGOT_RUNTIME_OP(mnemonic)                                             \
  static ::ingot::Status mnemonic##Op(::ingot::ops::OpKernelContext &op);      \
  extern "C" int32_t ingot_op_##mnemonic(                                      \
      ingot_context *ctx, const ingot_op *info, const ingot_tensor *inputs,    \
      ingot_tensor *outputs);                                                  \
  extern "C" int32_t ingot_op_##mnemonic(                                      \
      ingot_context *ctx, const ingot_op *info, const ingot_tensor *inputs,    \
      ingot_tensor *outputs) {                                                 \
    ::ingot::ops::OpKernelContext op(ctx, *info, inputs, outputs);             \
    return op.finish(mnemonic##Op(op));                                        \
  }                                                                            \
  static ::ingot::Status mnemonic##Op(                                         \
      [[maybe_unused]] ::ingot::ops::OpKernelContext &op)

#endif // INGOT_RUNTIME_OPS_OPKERNELCONTEXT_H
