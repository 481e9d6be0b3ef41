//===- Tensor.cpp - Tensors in pipelines ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Blocks are allocated in size classes, four per power of two, so that a freed
// block can be reused for the next element of about the same size.
//===----------------------------------------------------------------------===//
#include "runtime/Input/Tensor.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/OutOfMemory.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace ingot::input {

size_t elementSize(int32_t dtype) {
  return dtype == INGOT_STRING ? sizeof(ingot_string) : dtypeSize(dtype);
}

std::string shapeText(Shape shape) {
  std::string text = "[";
  for (int64_t dim : shape) {
    if (text.size() > 1)
      text += ',';
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text + "]";
}

bool countElements(Shape shape, int64_t &count) {
  // The limit is small enough that the size in bytes plus headers fits a
  // size_t.
  constexpr int64_t limit = int64_t(1) << 56;
  count = 1;
  for (int64_t dim : shape) {
    if (dim < 0)
      return false;
    if (dim != 0 && count > limit / dim)
      return false;
    count *= dim;
  }
  return true;
}

bool fits(Shape shape, Shape expected) {
  return std::equal(shape.begin(), shape.end(), expected.begin(),
                    expected.end(), [](int64_t found, int64_t wanted) {
                      return wanted < 0 || found == wanted;
                    });
}

// Returns the size class of `size`. Class c has blocks of (4 + c % 4) * 2^(c /
// 4 + 5) bytes, so at least 128 bytes. In a block of more than 128 bytes, at
// most a fifth of the bytes is unused.
static uint32_t classOf(size_t size) {
  constexpr size_t smallest = 128;
  if (size <= smallest)
    return 0;
  uint32_t power = static_cast<uint32_t>(std::bit_width(size - 1)) - 3;
  uint32_t steps = static_cast<uint32_t>((size - 1) >> power) + 1;
  return (power - 5) * 4 + steps - 4;
}

static size_t classSize(uint32_t sizeClass) {
  return size_t(4 + sizeClass % 4) << (sizeClass / 4 + 5);
}

TensorMemoryPool::~TensorMemoryPool() {
  for (std::vector<void *> &blocks : free)
    for (void *block : blocks)
      std::free(block);
}

void *TensorMemoryPool::allocate(size_t size, uint32_t &sizeClass) {
  sizeClass = classOf(size);
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++used.blocks;
    used.bytes += classSize(sizeClass);
    if (sizeClass < free.size() && !free[sizeClass].empty()) {
      void *block = free[sizeClass].back();
      free[sizeClass].pop_back();
      return block;
    }
  }
  size_t rounded = (classSize(sizeClass) + INGOT_ALIGNMENT - 1) /
                   INGOT_ALIGNMENT * INGOT_ALIGNMENT;
  void *block = std::aligned_alloc(INGOT_ALIGNMENT, rounded);
  if (!block)
    endWithoutMemory(rounded, "a tensor");
  return block;
}

void TensorMemoryPool::release(void *block, uint32_t sizeClass) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    used.bytes -= classSize(sizeClass);
    if (sizeClass < free.size()) {
      free[sizeClass].push_back(block);
      return;
    }
  }
  std::free(block);
}

TensorMemoryPool::TensorMemoryPoolUsage TensorMemoryPool::usage() {
  std::lock_guard<std::mutex> lock(mutex);
  return used;
}

struct Tensor::Held {
  std::vector<Tensor> tensors;
  void *memory = nullptr;                  // of an arena; null: none
  RunArena::BlockCache *adopted = nullptr; // where `memory` goes in the end

  ~Held() {
    if (memory)
      adopted->release(memory);
  }
};

Tensor Tensor::make(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                    size_t dataSize) {
  int64_t elements = 1;
  for (int64_t dim : shape)
    elements *= dim;
  size_t header = sizeof(Block) + shape.size() * sizeof(int64_t);
  size_t dataOffset =
      (header + INGOT_ALIGNMENT - 1) / INGOT_ALIGNMENT * INGOT_ALIGNMENT;
  uint32_t sizeClass = 0;
  void *memory = pool.allocate(dataOffset + dataSize, sizeClass);
  Tensor tensor;
  tensor.block = new (memory) Block{{1},
                                    static_cast<uint16_t>(sizeClass),
                                    static_cast<uint16_t>(dtype),
                                    static_cast<uint32_t>(shape.size()),
                                    elements,
                                    static_cast<ptrdiff_t>(dataOffset),
                                    &pool,
                                    nullptr};
  std::copy(shape.begin(), shape.end(), tensor.dims());
  return tensor;
}

Tensor Tensor::allocate(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                        size_t extra) {
  size_t bytes = elementSize(dtype);
  for (int64_t dim : shape)
    bytes *= static_cast<size_t>(dim);
  return make(pool, dtype, shape, bytes + extra);
}

Tensor Tensor::view(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                    const void *data) {
  Tensor tensor = make(pool, dtype, shape, 0);
  tensor.block->dataOffset =
      static_cast<ptrdiff_t>(reinterpret_cast<intptr_t>(data) -
                             reinterpret_cast<intptr_t>(tensor.block));
  return tensor;
}

Tensor Tensor::adopt(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                     void *data, void *memory) {
  Tensor tensor = view(pool, dtype, shape, data);
  tensor.block->held = new Held{{}, memory, &pool.adopted()};
  return tensor;
}

Tensor Tensor::string(TensorMemoryPool &pool, std::string_view bytes) {
  Tensor tensor = allocate(pool, INGOT_STRING, {}, bytes.size());
  std::copy(bytes.begin(), bytes.end(), tensor.extra());
  *static_cast<ingot_string *>(tensor.mutableData()) = {tensor.extra(),
                                                        bytes.size()};
  return tensor;
}

Tensor Tensor::list(TensorMemoryPool &pool, std::span<const Tensor> items) {
  auto count = static_cast<int64_t>(items.size());
  Tensor tensor =
      allocate(pool, INGOT_VARIANT, {&count, 1}, items.size() * sizeof(Tensor));
  // The elements of a variant take no bytes (elementSize() is 0). So the data
  // consist of the `extra` bytes only, into which the items are copied.
  std::uninitialized_copy(items.begin(), items.end(),
                          static_cast<Tensor *>(tensor.mutableData()));
  return tensor;
}

void Tensor::destroy() {
  if (dtype() == INGOT_VARIANT)
    for (const Tensor &item : items())
      item.~Tensor();
  delete block->held;
  block->pool->release(block, block->sizeClass);
}

Tensor Tensor::copy(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                    const void *data) {
  if (dtype != INGOT_STRING) {
    Tensor tensor = allocate(pool, dtype, shape);
    if (size_t size = tensor.byteSize())
      std::memcpy(tensor.mutableData(), data, size);
    return tensor;
  }
  int64_t elements = 1;
  for (int64_t dim : shape)
    elements *= dim;
  const auto *from = static_cast<const ingot_string *>(data);
  size_t extra = 0;
  for (int64_t i = 0; i < elements; ++i)
    extra += from[i].size;
  Tensor tensor = allocate(pool, dtype, shape, extra);
  auto *to = static_cast<ingot_string *>(tensor.mutableData());
  char *bytes = tensor.extra();
  for (int64_t i = 0; i < elements; ++i) {
    if (from[i].size)
      std::memcpy(bytes, from[i].data, from[i].size);
    to[i] = {bytes, from[i].size};
    bytes += from[i].size;
  }
  return tensor;
}

size_t Tensor::footprint() const {
  size_t bytes = classSize(block->sizeClass);
  if (block->held && block->held->memory)
    bytes += byteSize();
  if (block->held)
    for (const Tensor &tensor : block->held->tensors)
      bytes += tensor.footprint();
  return bytes;
}

Tensor Tensor::lasting(TensorMemoryPool &pool, Tensor strings,
                       std::vector<Tensor> sources, size_t leastSize) {
  const auto *texts = static_cast<const ingot_string *>(strings.data());
  size_t bytes = 0, footprint = 0;
  for (int64_t i = 0; i < strings.numElements(); ++i)
    bytes += texts[i].size;
  for (const Tensor &source : sources)
    footprint += source.footprint();
  if (footprint / 4 > bytes ||
      bytes < leastSize * static_cast<size_t>(strings.numElements()))
    return copy(pool, INGOT_STRING, strings.shape(), texts);
  if (!sources.empty())
    strings.block->held = new Held{std::move(sources)};
  return strings;
}

void Tensor::shrinkFirstDimension(int64_t size) {
  int64_t rows = dims()[0];
  if (rows == size)
    return;
  block->elements = block->elements / rows * size;
  dims()[0] = size;
}

} // namespace ingot::input
