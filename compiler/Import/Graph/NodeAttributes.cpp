//===- NodeAttributes.cpp - Type-checked attributes of nodes --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/NodeAttributes.h"

namespace ingot::importer {

static const char *kindName(proto::AttrValue::ValueCase kind) {
  switch (kind) {
  case proto::AttrValue::kList:
    return "a list";
  case proto::AttrValue::kS:
    return "a string";
  case proto::AttrValue::kI:
    return "an integer";
  case proto::AttrValue::kF:
    return "a float";
  case proto::AttrValue::kB:
    return "a bool";
  case proto::AttrValue::kType:
    return "a type";
  case proto::AttrValue::kShape:
    return "a shape";
  case proto::AttrValue::kTensor:
    return "a tensor";
  case proto::AttrValue::kPlaceholder:
    return "a placeholder";
  case proto::AttrValue::kFunc:
    return "a function";
  case proto::AttrValue::VALUE_NOT_SET:
    return "empty";
  }
  return "unknown";
}

bool NodeAttributes::has(llvm::StringRef name) const {
  return node.attr().contains(name.str());
}

const proto::AttrValue *NodeAttributes::find(llvm::StringRef name,
                                             proto::AttrValue::ValueCase kind) {
  auto it = node.attr().find(name.str());
  if (it == node.attr().end())
    return nullptr;
  if (it->second.value_case() == kind)
    return &it->second;
  if (message.empty())
    message = "attribute '" + name.str() + "' is " +
              kindName(it->second.value_case()) + ", expected " +
              kindName(kind);
  return nullptr;
}

bool NodeAttributes::getBool(llvm::StringRef name, bool byDefault) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kB);
  return value ? value->b() : byDefault;
}

int64_t NodeAttributes::getInt(llvm::StringRef name, int64_t byDefault) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kI);
  return value ? value->i() : byDefault;
}

float NodeAttributes::getFloat(llvm::StringRef name, float byDefault) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kF);
  return value ? value->f() : byDefault;
}

std::string NodeAttributes::getString(llvm::StringRef name,
                                      llvm::StringRef byDefault) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kS);
  return value ? value->s() : byDefault.str();
}

proto::DataType NodeAttributes::getType(llvm::StringRef name,
                                        proto::DataType byDefault) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kType);
  return value ? value->type() : byDefault;
}

const proto::AttrValue::ListValue *
NodeAttributes::getList(llvm::StringRef name) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kList);
  return value ? &value->list() : nullptr;
}

std::vector<int64_t> NodeAttributes::getInts(llvm::StringRef name) {
  const proto::AttrValue::ListValue *list = getList(name);
  return list ? std::vector<int64_t>(list->i().begin(), list->i().end())
              : std::vector<int64_t>();
}

std::vector<proto::DataType> NodeAttributes::getTypes(llvm::StringRef name) {
  std::vector<proto::DataType> types;
  if (const proto::AttrValue::ListValue *list = getList(name))
    for (int type : list->type())
      types.push_back(static_cast<proto::DataType>(type));
  return types;
}

const proto::TensorShapeProto *NodeAttributes::getShape(llvm::StringRef name) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kShape);
  return value ? &value->shape() : nullptr;
}

const proto::TensorProto *NodeAttributes::getTensor(llvm::StringRef name) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kTensor);
  return value ? &value->tensor() : nullptr;
}

const proto::NameAttrList *NodeAttributes::getFunction(llvm::StringRef name) {
  const proto::AttrValue *value = find(name, proto::AttrValue::kFunc);
  return value ? &value->func() : nullptr;
}

} // namespace ingot::importer
