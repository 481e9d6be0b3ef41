//===- GlobalData.cpp - Constant tables in the LLVM dialect ---------------===//

#include "codegen/ABI/GlobalData.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"

using namespace mlir;

namespace ingot::abi {

Operation *GlobalData::lookup(llvm::StringRef name) {
  return symbols ? symbols->lookup(name) : module.lookupSymbol(name);
}

LLVM::GlobalOp GlobalData::global(Type type, llvm::StringRef name,
                                  Attribute value, unsigned alignment) {
  // Behind the functions, which are looked for by name more often.
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  std::string unique = name.str();
  for (unsigned i = 0; lookup(unique); ++i)
    unique = (name + "_" + llvm::Twine(i)).str();
  auto global = LLVM::GlobalOp::create(
      builder, module.getLoc(), type,
      /*isConstant=*/true, LLVM::Linkage::Internal, unique, value, alignment);
  if (symbols)
    symbols->insert(global);
  return global;
}

StringAttr GlobalData::bytes(llvm::StringRef name, llvm::StringRef content,
                             unsigned alignment) {
  // The content is the name: equal data meets itself.
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

StringAttr GlobalData::string(llvm::StringRef text) {
  return bytes("string", llvm::StringRef(text.str().c_str(), text.size() + 1),
               1);
}

StringAttr GlobalData::integers64(llvm::ArrayRef<int64_t> values) {
  if (values.empty())
    return {};
  return bytes("integers",
               {reinterpret_cast<const char *>(values.data()),
                values.size() * sizeof(int64_t)},
               8);
}

StringAttr GlobalData::integers32(llvm::ArrayRef<int32_t> values) {
  if (values.empty())
    return {};
  return bytes("indices",
               {reinterpret_cast<const char *>(values.data()),
                values.size() * sizeof(int32_t)},
               4);
}

static Type typeOf(MLIRContext *context, const Field &field) {
  switch (field.kind) {
  case Field::I32:
    return IntegerType::get(context, 32);
  case Field::I64:
    return IntegerType::get(context, 64);
  case Field::F32:
    return Float32Type::get(context);
  case Field::F64:
    return Float64Type::get(context);
  case Field::Address:
    return LLVM::LLVMPointerType::get(context);
  }
  llvm_unreachable("all kinds of fields are listed");
}

static Value valueOf(OpBuilder &builder, Location loc, const Field &field) {
  Type type = typeOf(builder.getContext(), field);
  if (field.kind == Field::Address) {
    if (!field.symbol)
      return LLVM::ZeroOp::create(builder, loc, type);
    return LLVM::AddressOfOp::create(builder, loc, type,
                                     field.symbol.getValue());
  }
  if (field.kind == Field::F32 || field.kind == Field::F64)
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getFloatAttr(type, field.number));
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, field.integer));
}

LLVM::GlobalOp GlobalData::records(llvm::StringRef name,
                                   llvm::ArrayRef<Record> records,
                                   bool isArray) {
  MLIRContext *context = module.getContext();
  Location loc = module.getLoc();
  SmallVector<Type> members =
      llvm::map_to_vector(records.front(), [&](const Field &field) {
        return typeOf(context, field);
      });
  auto record = LLVM::LLVMStructType::getLiteral(context, members);
  Type type = isArray ? Type(LLVM::LLVMArrayType::get(record, records.size()))
                      : Type(record);
  LLVM::GlobalOp table = global(type, name, Attribute(), 16);
  OpBuilder builder(context);
  builder.createBlock(&table.getInitializerRegion());
  Value all = LLVM::UndefOp::create(builder, loc, type);
  for (auto [row, fields] : llvm::enumerate(records)) {
    Value value = LLVM::UndefOp::create(builder, loc, record);
    for (auto [index, field] : llvm::enumerate(fields))
      value = LLVM::InsertValueOp::create(
          builder, loc, value, valueOf(builder, loc, field),
          ArrayRef<int64_t>(static_cast<int64_t>(index)));
    if (!isArray) {
      all = value;
      break;
    }
    all = LLVM::InsertValueOp::create(
        builder, loc, all, value, ArrayRef<int64_t>(static_cast<int64_t>(row)));
  }
  LLVM::ReturnOp::create(builder, loc, all);
  return table;
}

StringAttr GlobalData::table(llvm::StringRef name,
                             llvm::ArrayRef<Record> rows) {
  if (rows.empty())
    return {};
  return records(name, rows, /*isArray=*/true).getSymNameAttr();
}

void GlobalData::define(llvm::StringRef name, const Record &record) {
  records(name, record, /*isArray=*/false).setLinkage(LLVM::Linkage::External);
}

StringAttr GlobalData::addresses(llvm::StringRef name,
                                 llvm::ArrayRef<StringAttr> symbols) {
  return table(name, llvm::map_to_vector(symbols, [](StringAttr symbol) {
                 return Record{Field::address(symbol)};
               }));
}

StringAttr GlobalData::external(llvm::StringRef name) {
  if (!lookup(name)) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto global = LLVM::GlobalOp::create(
        builder, module.getLoc(), builder.getI8Type(), /*isConstant=*/true,
        LLVM::Linkage::External, name, Attribute());
    if (symbols)
      symbols->insert(global);
  }
  return StringAttr::get(module.getContext(), name);
}

StringAttr GlobalData::elements(ElementsAttr value) {
  if (auto texts = dyn_cast<DenseStringElementsAttr>(value))
    return strings(
        SmallVector<llvm::StringRef>(texts.getValues<llvm::StringRef>()));
  auto dense = dyn_cast<DenseElementsAttr>(value);
  int64_t count = value.getNumElements();
  if (!dense || count == 0)
    return {};
  std::string content;
  Type element = dense.getElementType();
  if (element.isInteger(1)) {
    // Bits in memory, bytes for the runtime.
    for (bool bit : dense.getValues<bool>())
      content.push_back(bit ? 1 : 0);
  } else {
    ArrayRef<char> raw = dense.getRawData();
    int64_t copies = dense.isSplat() ? count : 1;
    for (int64_t i = 0; i < copies; ++i)
      content.append(raw.begin(), raw.end());
  }
  return bytes("elements", content, 64);
}

static Record stringRecord(GlobalData &data, llvm::StringRef text) {
  return {Field::address(data.string(text)),
          Field::i64(static_cast<int64_t>(text.size()))};
}

StringAttr GlobalData::strings(ArrayRef<llvm::StringRef> texts) {
  return table("strings", llvm::map_to_vector(texts, [&](llvm::StringRef text) {
                 return stringRecord(*this, text);
               }));
}

StringAttr GlobalData::op(host::CallOp call) {
  SmallVector<Record> attributes;
  for (NamedAttribute attribute : call.getOptions()) {
    int64_t integer = 0;
    double number = 0;
    llvm::StringRef text;
    SmallVector<int64_t> integers;
    SmallVector<llvm::StringRef> texts;
    Attribute value = attribute.getValue();
    if (auto flag = dyn_cast<BoolAttr>(value))
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
    Record record = {Field::address(string(attribute.getName())),
                     Field::i64(integer), Field::f64(number)};
    llvm::append_range(record, stringRecord(*this, text));
    record.push_back(Field::i32(
        static_cast<int64_t>(std::max(integers.size(), texts.size()))));
    record.push_back(
        Field::address(integers.empty() ? StringAttr() : integers64(integers)));
    record.push_back(Field::address(strings(texts)));
    attributes.push_back(record);
  }
  return table(
      "op",
      Record{Field::address(string(call.getNode())),
             Field::i32(static_cast<int64_t>(call.getInputDtypes().size())),
             Field::i32(static_cast<int64_t>(call.getOutputDtypes().size())),
             Field::i32(static_cast<int64_t>(attributes.size())),
             Field::address(table("attributes", attributes))});
}

StringAttr GlobalData::parseSpec(host::ParseExampleOp op) {
  SmallVector<Record> features;
  for (auto [key, dtype, shape, value] : llvm::zip(
           op.getKeys().getAsValueRange<StringAttr>(), op.getDtypes(),
           op.getShapes().getAsRange<DenseI64ArrayAttr>(), op.getDefaults())) {
    auto elementsAttr = dyn_cast<ElementsAttr>(value);
    features.push_back(
        {Field::address(string(key)), Field::i32(dtype),
         Field::i32(shape.size()),
         Field::address(integers64(shape.asArrayRef())),
         Field::address(elementsAttr ? elements(elementsAttr) : StringAttr())});
  }
  auto location = dyn_cast<NameLoc>(op.getLoc());
  return table(
      "parse_spec",
      Record{Field::address(string(location ? location.getName().strref()
                                            : "ParseExample")),
             Field::i32(static_cast<int64_t>(features.size())),
             Field::address(table("features", features))});
}

Value GlobalData::addressOf(OpBuilder &builder, Location loc,
                            StringAttr symbol) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (!symbol) // nothing to point to
    return LLVM::ZeroOp::create(builder, loc, pointer);
  return LLVM::AddressOfOp::create(builder, loc, pointer, symbol.getValue());
}

} // namespace ingot::abi
