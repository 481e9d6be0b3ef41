//===- GlobalConstantPool.cpp - Constant tables in the LLVM dialect -------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/ABI/GlobalConstantPool.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"

using namespace mlir;

namespace ingot::abi {

Operation *GlobalConstantPool::lookup(llvm::StringRef name) {
  return symbols ? symbols->lookup(name) : module.lookupSymbol(name);
}

LLVM::GlobalOp GlobalConstantPool::global(Type type, llvm::StringRef name,
                                          Attribute value, unsigned alignment) {
  // Insert new globals at the end of the module, after its functions: a lookup
  // by name walks the module from the start, and most lookups are of functions.
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  std::string unique = name.str();
  if (!symbols && lookup(unique)) {
    // Begin the search for a free name with the number of ops as suffix, not
    // with 0: if thousands of globals have been added under this name, all
    // smaller suffixes are taken, and each attempt is a linear search.
    size_t i = module.getBody()->getOperations().size();
    do
      unique = (name + "_" + llvm::Twine(i++)).str();
    while (lookup(unique));
  }
  auto global = LLVM::GlobalOp::create(
      builder, module.getLoc(), type,
      /*isConstant=*/true, LLVM::Linkage::Internal, unique, value, alignment);
  if (symbols)
    symbols->insert(global); // makes the name unique
  return global;
}

StringAttr GlobalConstantPool::bytes(llvm::StringRef name,
                                     llvm::StringRef content,
                                     unsigned alignment) {
  // The name is a hash of the content, so that equal data has one global.
  llvm::SHA1 hash;
  hash.update(content);
  std::string unique =
      (name + "_" + llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 16))
          .str();
  if (auto existing = dyn_cast_or_null<LLVM::GlobalOp>(lookup(unique)))
    return existing.getSymNameAttr();
  auto type = LLVM::LLVMArrayType::get(IntegerType::get(module.getContext(), 8),
                                       content.size());
  return global(type, unique, StringAttr::get(module.getContext(), content),
                alignment)
      .getSymNameAttr();
}

GlobalAddress<char> GlobalConstantPool::string(llvm::StringRef text) {
  return GlobalAddress<char>(
      bytes("string", llvm::StringRef(text.str().c_str(), text.size() + 1), 1));
}

GlobalAddress<uint8_t> GlobalConstantPool::binary(llvm::StringRef content) {
  return GlobalAddress<uint8_t>(bytes("bytes", content, 1));
}

GlobalArray<int64_t>
GlobalConstantPool::integers64(llvm::ArrayRef<int64_t> values) {
  if (values.empty())
    return nullptr;
  return {values.size(), GlobalAddress<int64_t>(bytes(
                             "integers",
                             {reinterpret_cast<const char *>(values.data()),
                              values.size() * sizeof(int64_t)},
                             alignof(int64_t)))};
}

GlobalArray<uint32_t>
GlobalConstantPool::integers32(llvm::ArrayRef<int32_t> values) {
  if (values.empty())
    return nullptr;
  return {values.size(), GlobalAddress<uint32_t>(bytes(
                             "indices",
                             {reinterpret_cast<const char *>(values.data()),
                              values.size() * sizeof(int32_t)},
                             alignof(int32_t)))};
}

/// Emits `value`, a row of a table or one of its members, in the initializer of
/// an LLVM global. Calls itself for each member of a struct or array.
static Value constantOf(OpBuilder &builder, Location loc, Type type,
                        const ConstantInitializer &value) {
  if (auto *members =
          std::get_if<std::vector<ConstantInitializer>>(&value.content)) {
    auto record = dyn_cast<LLVM::LLVMStructType>(type);
    Value all = LLVM::UndefOp::create(builder, loc, type);
    for (auto [index, member] : llvm::enumerate(*members))
      all = LLVM::InsertValueOp::create(
          builder, loc, all,
          constantOf(builder, loc,
                     record ? record.getBody()[index]
                            : cast<LLVM::LLVMArrayType>(type).getElementType(),
                     member),
          ArrayRef<int64_t>(static_cast<int64_t>(index)));
    return all;
  }
  if (auto *symbol = std::get_if<StringAttr>(&value.content)) {
    if (!*symbol)
      return LLVM::ZeroOp::create(builder, loc, type);
    return LLVM::AddressOfOp::create(builder, loc, type, symbol->getValue());
  }
  if (auto *number = std::get_if<double>(&value.content))
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getFloatAttr(type, *number));
  return LLVM::ConstantOp::create(
      builder, loc, type,
      builder.getIntegerAttr(type, std::get<int64_t>(value.content)));
}

LLVM::GlobalOp GlobalConstantPool::global(llvm::StringRef name, Type type,
                                          const ConstantInitializer &value) {
  LLVM::GlobalOp table = global(type, name, Attribute(), 16);
  OpBuilder builder(context());
  builder.createBlock(&table.getInitializerRegion());
  LLVM::ReturnOp::create(builder, module.getLoc(),
                         constantOf(builder, module.getLoc(), type, value));
  return table;
}

StringAttr GlobalConstantPool::array(llvm::StringRef name, Type element,
                                     std::vector<ConstantInitializer> values) {
  if (values.empty())
    return {};
  // LLVM makes a new constant of the whole array for each element that is
  // inserted. So the elements of a long array are inserted into arrays of
  // `rowsOfPart`, and these into a struct, whose layout is that of the array.
  constexpr size_t rowsOfPart = 64;
  size_t parts = values.size() / rowsOfPart, rest = values.size() % rowsOfPart;
  if (parts < 2) {
    Type type = LLVM::LLVMArrayType::get(element, values.size());
    return global(name, type, {std::move(values)}).getSymNameAttr();
  }
  auto part = LLVM::LLVMArrayType::get(element, rowsOfPart);
  Type type = LLVM::LLVMStructType::getLiteral(
      context(), {LLVM::LLVMArrayType::get(part, parts),
                  LLVM::LLVMArrayType::get(element, rest)});
  auto take = [next = std::make_move_iterator(values.begin())](
                  size_t count) mutable -> ConstantInitializer {
    std::vector<ConstantInitializer> taken(
        next, next + static_cast<ptrdiff_t>(count));
    next += static_cast<ptrdiff_t>(count);
    return {std::move(taken)};
  };
  std::vector<ConstantInitializer> whole;
  for (size_t i = 0; i < parts; ++i)
    whole.push_back(take(rowsOfPart));
  std::vector<ConstantInitializer> all;
  all.push_back({std::move(whole)});
  all.push_back(take(rest));
  return global(name, type, {std::move(all)}).getSymNameAttr();
}

void GlobalConstantPool::defineBytes(llvm::StringRef name,
                                     llvm::StringRef content,
                                     unsigned alignment) {
  auto type =
      LLVM::LLVMArrayType::get(IntegerType::get(context(), 8), content.size());
  global(type, name, StringAttr::get(context(), content), alignment)
      .setLinkage(LLVM::Linkage::External);
}

void GlobalConstantPool::defineAddresses(llvm::StringRef name,
                                         ArrayRef<StringAttr> symbols) {
  std::vector<ConstantInitializer> values;
  for (StringAttr symbol : symbols)
    values.push_back({symbol});
  Type type = LLVM::LLVMArrayType::get(LLVMTypeOf<void *>::get(context()),
                                       values.size());
  global(name, type, {std::move(values)}).setLinkage(LLVM::Linkage::External);
}

StringAttr GlobalConstantPool::externalData(llvm::StringRef name) {
  if (!lookup(name))
    global(IntegerType::get(context(), 8), name, Attribute(), /*alignment=*/1)
        .setLinkage(LLVM::Linkage::External);
  return StringAttr::get(context(), name);
}

StringAttr GlobalConstantPool::externalFunction(llvm::StringRef name) {
  if (!lookup(name)) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context()), {});
    auto function =
        LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
    if (symbols)
      symbols->insert(function);
  }
  return StringAttr::get(context(), name);
}

GlobalAddress<void> GlobalConstantPool::elements(ElementsAttr value) {
  if (auto texts = dyn_cast<DenseStringElementsAttr>(value))
    return strings(
               SmallVector<llvm::StringRef>(texts.getValues<llvm::StringRef>()))
        .address;
  auto dense = dyn_cast<DenseElementsAttr>(value);
  int64_t count = value.getNumElements();
  if (!dense || count == 0)
    return nullptr;
  std::string content;
  Type element = dense.getElementType();
  if (element.isInteger(1)) {
    // Booleans are bits in the attribute, but bytes in the ABI.
    for (bool bit : dense.getValues<bool>())
      content.push_back(bit ? 1 : 0);
  } else {
    ArrayRef<char> raw = dense.getRawData();
    int64_t copies = dense.isSplat() ? count : 1;
    for (int64_t i = 0; i < copies; ++i)
      content.append(raw.begin(), raw.end());
  }
  return GlobalAddress<uint8_t>(bytes("elements", content, INGOT_ALIGNMENT));
}

Row<ingot_string> GlobalConstantPool::text(llvm::StringRef text) {
  return {.data = string(text), .size = text.size()};
}

GlobalArray<ingot_string>
GlobalConstantPool::strings(ArrayRef<llvm::StringRef> texts) {
  return table("strings",
               llvm::map_to_vector(texts, [&](llvm::StringRef content) {
                 return text(content);
               }));
}

GlobalAddress<ingot_op> GlobalConstantPool::op(host::CallOp call) {
  SmallVector<Row<ingot_op_attribute>> attributes;
  for (NamedAttribute attribute : call.getOptions()) {
    int64_t integer = 0;
    double number = 0;
    llvm::StringRef text;
    SmallVector<int64_t> integers;
    SmallVector<llvm::StringRef> texts;
    Attribute value = attribute.getValue();
    if (isa<UnitAttr>(value))
      integer = 1;
    else if (auto flag = dyn_cast<BoolAttr>(value))
      integer = flag.getValue();
    else if (auto whole = dyn_cast<IntegerAttr>(value))
      integer = whole.getInt();
    else if (auto real = dyn_cast<FloatAttr>(value))
      number = real.getValueAsDouble();
    else if (auto string = dyn_cast<StringAttr>(value))
      text = string.getValue();
    else if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
      integers.append(list.asArrayRef().begin(), list.asArrayRef().end());
    else if (auto list = dyn_cast<DenseI32ArrayAttr>(value))
      integers.append(list.asArrayRef().begin(), list.asArrayRef().end());
    else if (auto list = dyn_cast<DenseBoolArrayAttr>(value))
      integers.append(list.asArrayRef().begin(), list.asArrayRef().end());
    else if (auto list = dyn_cast<ArrayAttr>(value))
      for (Attribute element : list) {
        if (auto string = dyn_cast<StringAttr>(element))
          texts.push_back(string.getValue());
        else if (auto whole = dyn_cast<IntegerAttr>(element))
          integers.push_back(whole.getInt());
        else if (auto inner = dyn_cast<DenseI64ArrayAttr>(element))
          llvm::append_range(integers, inner.asArrayRef());
      }
    attributes.push_back({.name = string(attribute.getName()),
                          .integer = integer,
                          .number = number,
                          .string = this->text(text),
                          .num_values = std::max(integers.size(), texts.size()),
                          .integers = integers64(integers).address,
                          .strings = strings(texts).address});
  }
  return row("op",
             Row<ingot_op>{.node = string(call.getNode()),
                           .num_inputs = call.getInputDtypes().size(),
                           .num_outputs = call.getOutputDtypes().size(),
                           .attributes = table("attributes", attributes)});
}

GlobalAddress<ingot_parse_spec>
GlobalConstantPool::parseSpec(host::ParseExampleOp op) {
  SmallVector<Row<ingot_dense_feature>> features;
  for (auto [key, dtype, shape, value] : llvm::zip(
           op.getKeys().getAsValueRange<StringAttr>(), op.getDtypes(),
           op.getShapes().getAsRange<DenseI64ArrayAttr>(), op.getDefaults())) {
    auto elementsAttr = dyn_cast<ElementsAttr>(value);
    features.push_back(
        {.key = string(key),
         .dtype = dtype,
         .rank = shape.size(),
         .dims = integers64(shape.asArrayRef()).address,
         .default_value = elementsAttr ? elements(elementsAttr) : nullptr});
  }
  auto location = dyn_cast<NameLoc>(op.getLoc());
  return row("parse_spec",
             Row<ingot_parse_spec>{
                 .node = string(location ? location.getName().strref()
                                         : "ParseExample"),
                 .dense = table("features", features)});
}

Value GlobalConstantPool::addressOf(OpBuilder &builder, Location loc,
                                    StringAttr symbol) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (!symbol) // the null pointer
    return LLVM::ZeroOp::create(builder, loc, pointer);
  return LLVM::AddressOfOp::create(builder, loc, pointer, symbol.getValue());
}

} // namespace ingot::abi
