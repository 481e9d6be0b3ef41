//===- Entries.cpp - Entries of a program ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/GraphImpl.h"

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

static EntryOp makeEntry(GraphImpl &data, StringRef name,
                         mlir::ingot::Role role) {
  OpBuilder::InsertionGuard guard(data.builder);
  data.builder.setInsertionPointToEnd(data.module->getBody());
  ArrayAttr none = data.builder.getArrayAttr({});
  auto entry = EntryOp::create(
      data.builder, NameLoc::get(data.builder.getStringAttr(name)),
      data.uniqueSymbol(name), role, none, none, none, none,
      /*of=*/{}, /*member=*/{}, /*place=*/{});
  setUserName(entry, name);
  entry.getBody().emplaceBlock();
  return entry;
}

static mlir::ingot::Role roleOf(Role role) {
  switch (role) {
  case Role::Step:
    return mlir::ingot::Role::step;
  case Role::Evaluate:
    return mlir::ingot::Role::evaluate;
  case Role::Predict:
    return mlir::ingot::Role::predict;
  case Role::Other:
    return mlir::ingot::Role::other;
  }
  llvm_unreachable("a role of ingot/graph.h");
}

void GraphImpl::setRole(mlir::ingot::Role role, StringRef member) {
  Block *block = builder.getInsertionBlock();
  auto open = block ? dyn_cast<EntryOp>(block->getParentOp()) : EntryOp();
  if (!open)
    return;
  open.setRole(role);
  if (!member.empty())
    open.setMember(member);
  linkEntry(open);
}

Entry::Entry(Graph &graph, std::string name, Role role) : data(graph.data()) {
  if (!data.entry.empty() || data.finished) {
    data.error(name,
               data.finished
                   ? llvm::Twine("cannot add an entry to a finished graph")
                   : "cannot begin an entry inside entry '" + data.entry +
                         "'; close that one first");
    return;
  }
  EntryOp entry = makeEntry(data, name, roleOf(role));
  op = entry.getOperation();
  data.entry = std::move(name);
  data.restartLayers("");
  data.builder.setInsertionPointToEnd(&entry.getBody().front());
}

Tensor Entry::feed(std::string name, DType dtype, Shape shape) {
  if (!op)
    return {};
  auto type = data.tensorType(dtype, shape, name);
  if (!type)
    return {};
  auto entry = cast<EntryOp>(static_cast<Operation *>(op));
  feeds.push_back(name);
  return wrap(data, entry.getBody().front().addArgument(
                        type, NameLoc::get(data.builder.getStringAttr(name))));
}

void Entry::fetch(std::string name, Tensor tensor) {
  if (!op || !tensor)
    return;
  fetches.push_back(std::move(name));
  fetched.push_back(tensor);
}

void Entry::loss(std::string name, Tensor tensor) {
  mlir::ingot::ProgramAttrFields facts =
      mlir::ingot::getProgramFacts(*data.module);
  facts.loss = data.builder.getStringAttr(name);
  mlir::ingot::setProgramFacts(*data.module, facts);
  fetch(std::move(name), tensor);
}

void Entry::runAfterStep() {
  if (op)
    cast<EntryOp>(static_cast<Operation *>(op))
        .setRole(mlir::ingot::Role::after_step);
}

static ArrayAttr texts(Builder &builder, ArrayRef<std::string> values) {
  SmallVector<StringRef> refs(values.begin(), values.end());
  return builder.getStrArrayAttr(refs);
}

void Entry::close() {
  if (!op)
    return;
  auto entry = cast<EntryOp>(static_cast<Operation *>(op));
  op = nullptr;
  auto values = unwrap(ArrayRef<Tensor>(fetched));
  entry.setFeedsAttr(texts(data.builder, feeds));
  entry.setFetchesAttr(texts(data.builder, fetches));
  ReturnOp::create(data.builder, entry.getLoc(), ValueRange(*values));
  data.builder.clearInsertionPoint();
  data.entry.clear();
}

void GraphImpl::addEntry(StringRef name, mlir::ingot::Role role,
                         llvm::function_ref<void(Block *)> fill,
                         ArrayRef<StringRef> feeds, TypeRange feedTypes) {
  EntryOp entry = makeEntry(*this, name, role);
  Block &block = entry.getBody().front();
  for (Type type : feedTypes)
    block.addArgument(type, entry.getLoc());
  entry.setFeedsAttr(builder.getStrArrayAttr(feeds));
  within(&block, [&] {
    fill(&block);
    ReturnOp::create(builder, entry.getLoc(), ValueRange());
  });
}

} // namespace ingot::graph
