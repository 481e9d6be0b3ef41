//===- InferredOps.cpp - Create ops with inferred types -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/InferredOps.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <cstddef>
#include <new>

using namespace mlir;

namespace {

/// The memory of an op's properties while its result types are inferred, before
/// the op exists.
class TemporaryOpProperties {
public:
  explicit TemporaryOpProperties(RegisteredOperationName name)
      : name(name), size(name.getOpPropertyByteSize()) {
    if (size) {
      memory =
          ::operator new(size, std::align_val_t(alignof(std::max_align_t)));
      name.initOpProperties(get(), OpaqueProperties(nullptr));
    }
  }
  ~TemporaryOpProperties() {
    if (!memory)
      return;
    name.destroyOpProperties(get());
    ::operator delete(memory, std::align_val_t(alignof(std::max_align_t)));
  }
  TemporaryOpProperties(const TemporaryOpProperties &) = delete;

  /// Sets the properties from attributes. Emits an error and fails if an
  /// attribute has the wrong type.
  LogicalResult set(DictionaryAttr attributes,
                    function_ref<InFlightDiagnostic()> emitError) {
    return !memory ? success()
                   : name.setOpPropertiesFromAttribute(name, get(), attributes,
                                                       emitError);
  }
  OpaqueProperties get() const { return OpaqueProperties(memory); }

private:
  RegisteredOperationName name;
  int size;
  void *memory = nullptr;
};

} // namespace

Operation *mlir::ingot::createInferred(OpBuilder &builder, Location loc,
                                       StringRef opName, ValueRange operands,
                                       ArrayRef<NamedAttribute> attributes) {
  MLIRContext *context = builder.getContext();
  OperationState state(loc, opName);
  RegisteredOperationName name = *state.name.getRegisteredInfo();
  auto *inference = name.getInterface<InferTypeOpInterface>();
  DictionaryAttr dictionary = DictionaryAttr::get(context, attributes);
  {
    TemporaryOpProperties properties(name);
    auto emitError = [&] { return mlir::emitError(loc); };
    if (failed(properties.set(dictionary, emitError)) ||
        failed(inference->inferReturnTypes(context, loc, operands, dictionary,
                                           properties.get(), {}, state.types)))
      return nullptr;
  }
  state.addOperands(operands);
  if (name.getOpPropertyByteSize())
    state.propertiesAttr = dictionary;
  return builder.create(state);
}
