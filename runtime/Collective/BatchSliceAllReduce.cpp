//===- BatchSliceAllReduce.cpp - Sums values over the slices of a batch ---===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/BatchSliceAllReduce.h"

#include "runtime/ABI/Mutants.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cassert>

using namespace ingot;

using Header = BucketLayout::Header;
/// The alignment in bytes of the numbers in a block, which is also that of
/// tensors. Without this alignment, numbers would begin 8 bytes (the size of
/// the header) after a multiple of 64. On AMD's Zen, memcpy() of a few KiB to 1
/// MiB takes 15 times as long if the destination minus the source, modulo 4
/// KiB, is 1 to 15 bytes.
static constexpr size_t numberAlignment = 64;

/// Returns how many bytes after the beginning of a block the byte is that is
/// aligned. It is the first number, but in the memory of a device the block
/// itself: NCCL moves 16 bytes at a time only if a message begins at a multiple
/// of 16, and single bytes otherwise.
static size_t leadOf(const ValueMemory &messages) {
  return messages.isOnHost() ? sizeof(Header) : 0;
}

/// Returns the lowest offset of at least `end` at which a block can begin: one
/// at which the byte `lead` bytes later is aligned.
static size_t nextBlock(size_t end, size_t lead) {
  return (end + lead + numberAlignment - 1) / numberAlignment *
             numberAlignment -
         lead;
}

/// Allocates `size` bytes of `memory`, which `owner` owns. Returns their
/// address, which is chosen so that the byte `lead` bytes after offset `offset`
/// is aligned.
static std::byte *allocate(ValueMemory &memory,
                           std::shared_ptr<std::byte> &owner, size_t size,
                           size_t offset, size_t lead) {
  owner = memory.allocate(size + numberAlignment);
  auto aligned = reinterpret_cast<uintptr_t>(owner.get()) + offset + lead;
  return owner.get() +
         (numberAlignment - aligned % numberAlignment) % numberAlignment;
}

/// Returns the index of each value's first element in the bucket, followed by
/// the bucket's number of elements.
static std::vector<size_t> beginsOf(const std::vector<size_t> &elements) {
  std::vector<size_t> begins = {0};
  for (size_t count : elements)
    begins.push_back(begins.back() + count);
  return begins;
}

BatchSliceAllReduce::BatchSliceAllReduce(const BatchSliceReductionTree &tree,
                                         unsigned rank, int32_t dtype,
                                         const std::vector<size_t> &elements,
                                         Reduction reduction, size_t smallBytes,
                                         uint32_t shards, ValueMemory &memory,
                                         ValueMemory &messages)
    : rank(rank), how{dtype, reduction}, memory(memory), messages(messages),
      begins(beginsOf(elements)),
      layout(tree, begins.back(), dtypeSize(dtype), smallBytes, shards) {
  assert(reduceFunction(dtype, reduction) && "no function for this type");
  for (size_t count : elements)
    values.emplace_back(layout.tree().nodesOf(rank), how, count, memory);
  // A process that trains alone may sum in the caller's memory
  // (BatchSliceSubtreeSums::addInPlace()). So memory for its sums is allocated
  // only when it is needed (allocateAlone()).
  if (isAlone())
    return;
  allocateBlocks();
  storeNodesInBlocks();
}

/// Allocates the messages that this rank sends or, if they are small, those of
/// all ranks.
void BatchSliceAllReduce::allocateBlocks() {
  size_t size = 0, ownEnd = 0;
  const size_t lead = leadOf(messages);
  std::vector<size_t> own;
  if (layout.isSmall()) {
    for (unsigned r = 0; r < layout.ranks(); ++r) {
      if (r == rank)
        own.push_back(size);
      size += layout.blockBytes(r, 0);
      if (r == rank)
        ownEnd = size;
    }
  } else {
    for (size_t part = 0; part < layout.parts(); ++part) {
      own.push_back(nextBlock(size, lead));
      size = ownEnd = own.back() + layout.blockBytes(rank, part);
    }
  }
  blockMemory = allocate(messages, blocks, size, own.front(), lead);
  for (size_t offset : own)
    ownBlocks.push_back(blockMemory + offset);
  ownBytes = ownEnd - own.front();
  ownSums =
      isStaged() ? allocate(memory, sums, ownBytes, 0, lead) : ownBlocks[0];
}

/// Allocates the messages that this rank receives, of exchangeLarge().
void BatchSliceAllReduce::allocateReceived() {
  size_t size = 0;
  const size_t lead = leadOf(messages);
  for (unsigned r = 0; r < layout.ranks(); ++r)
    if (r != rank)
      size = nextBlock(size, lead) + layout.blockBytes(r, rank);
  receivedBlocks = allocate(messages, received, size, nextBlock(0, lead), lead);
}

/// Makes `values` store the sums of this rank's nodes (subtrees of slices)
/// directly in the rank's blocks, the messages that it sends. There is a block
/// for each part of the bucket. Each element of a sum is stored in the block of
/// the part to which the element belongs.
void BatchSliceAllReduce::storeNodesInBlocks() {
  for (size_t index = 0; index < values.size(); ++index) {
    std::vector<std::vector<BatchSliceSubtreeSums::PartialSumRange>> pieces(
        layout.nodesOf(rank));
    for (size_t part = 0; part < layout.parts(); ++part) {
      size_t begin = std::max(layout.partBegin(part), begins[index]);
      size_t end = std::min(layout.partBegin(part + 1), begins[index + 1]);
      if (begin >= end)
        continue;
      std::byte *numbers =
          ownSums + (ownBlocks[part] - ownBlocks[0]) + sizeof(Header);
      for (size_t node = 0; node < pieces.size(); ++node)
        pieces[node].push_back({begin - begins[index], end - begin,
                                numbers + (node * layout.partElements(part) +
                                           begin - layout.partBegin(part)) *
                                              layout.width()});
    }
    values[index].storeIn(std::move(pieces));
  }
}

/// Allocates memory for the sum of a value in a process that trains alone and
/// does not add the value's slices in place.
void BatchSliceAllReduce::allocateAlone(size_t index) {
  if (values[index].hasMemory())
    return;
  if (!sums)
    sums = memory.allocate(layout.elements() * layout.width());
  values[index].storeIn({{{0, begins[index + 1] - begins[index],
                           sums.get() + begins[index] * layout.width()}}});
}

void BatchSliceAllReduce::add(size_t index, uint64_t slice, const void *data) {
  if (isAlone())
    allocateAlone(index);
  values[index].add(slice, data);
}

void BatchSliceAllReduce::clear() {
  for (BatchSliceSubtreeSums &value : values)
    value.clear();
  resultInPlace = nullptr;
  isComplete = false;
}

void BatchSliceAllReduce::complete() {
  if (isComplete)
    return;
  isComplete = true;
  for (BatchSliceSubtreeSums &value : values)
    value.finish();
  if (isAlone() || !isStaged() || values.empty() ||
      values.front().present() == 0)
    return;
  FetchedBytes copy = {ownBlocks[0], ownSums, ownBytes};
  memory.fetch({&copy, 1});
}

Status BatchSliceAllReduce::exchange(Collective &collective,
                                     std::byte *inPlace) {
  complete();
  if (isAlone())
    return memory.status();
  Header header = values.empty() ? 0 : values.front().present();
  for (std::byte *block : ownBlocks)
    messages.put(block, reinterpret_cast<std::byte *>(&header), sizeof header);
  bool isStored = inPlace && values.size() == 1 && !layout.isSmall();
  resultInPlace = isStored ? inPlace : nullptr;
  if (!isStored && !results)
    results = messages.allocate(layout.elements() * layout.width());
  INGOT_RETURN_IF_ERROR(messages.status());
  std::byte *result = isStored ? inPlace : results.get();
  return layout.isSmall() ? exchangeSmall(collective, result)
                          : exchangeLarge(collective, result);
}

void BatchSliceAllReduce::store(size_t index, void *result) {
  auto *to = static_cast<std::byte *>(result);
  size_t count = begins[index + 1] - begins[index];
  size_t offset = begins[index] * layout.width();
  const std::byte *from = resultInPlace;
  if (isAlone()) {
    if (values[index].present() == 0)
      return fillNeutralIn(memory, to, count);
    from =
        values[index].inPlace() ? values[index].inPlace() : sums.get() + offset;
  } else if (!from) {
    from = results.get() + offset;
  }
  if (from != to && count != 0)
    resultMemory().copy(to, from, count * layout.width());
}

void BatchSliceAllReduce::fillNeutralIn(ValueMemory &there, std::byte *to,
                                        size_t count) const {
  std::vector<std::byte> neutral(count * layout.width());
  fillNeutral(neutral.data(), how.dtype, how.reduction, count);
  there.put(to, neutral.data(), neutral.size());
}

Status BatchSliceAllReduce::exchangeSmall(Collective &collective,
                                          std::byte *result) {
  std::vector<size_t> sizes;
  std::vector<std::byte *> gathered;
  size_t offset = 0;
  for (unsigned r = 0; r < layout.ranks(); ++r) {
    sizes.push_back(layout.blockBytes(r, 0));
    gathered.push_back(blockMemory + offset);
    offset += sizes.back();
  }
  INGOT_RETURN_IF_ERROR(collective.gather({blockMemory, offset}, sizes));
  sumPart(gathered, 0, result);
  return messages.status();
}

Status BatchSliceAllReduce::exchangeLarge(Collective &collective,
                                          std::byte *result) {
  std::vector<Collective::ConstBytes> send(layout.ranks());
  std::vector<Collective::Bytes> receive(layout.ranks());
  std::vector<std::byte *> addends(layout.ranks());
  std::vector<size_t> sizes(layout.ranks());
  if (!received && !collective.readsInPlace())
    allocateReceived();
  INGOT_RETURN_IF_ERROR(messages.status());
  size_t offset = 0;
  for (unsigned r = 0; r < layout.ranks(); ++r) {
    sizes[r] = layout.partElements(r) * layout.width();
    if (r == rank) {
      addends[r] = ownBlocks[r];
      continue;
    }
    send[r] = {ownBlocks[r], layout.blockBytes(rank, r)};
    offset = nextBlock(offset, leadOf(messages));
    addends[r] = receivedBlocks ? receivedBlocks + offset : nullptr;
    receive[r] = {addends[r], layout.blockBytes(r, rank)};
    offset += receive[r].size();
  }
  INGOT_RETURN_IF_ERROR(collective.exchangeInPlace(send, receive));
  for (unsigned r = 0; r < layout.ranks(); ++r)
    if (r != rank)
      addends[r] = receive[r].data();
  std::byte *sum = result + layout.partBegin(rank) * layout.width();
  bool gathersFromMessages = !layout.isScattered() && collective.readsInPlace();
  if (gathersFromMessages)
    sum = ownResult();
  sumPart(addends, rank, sum);
  INGOT_RETURN_IF_ERROR(messages.status());
  if (layout.isScattered())
    return collective.waitForReaders();
  Collective::Bytes all{result, layout.elements() * layout.width()};
  return gathersFromMessages
             ? collective.gatherFrom({sum, sizes[rank]}, all, sizes)
             : collective.gather(all, sizes);
}

/// Returns the memory for this rank's part of the sums from which other ranks
/// copy it.
std::byte *BatchSliceAllReduce::ownResult() {
  if (!ownPart)
    ownPart = messages.allocate(layout.partElements(rank) * layout.width());
  return ownPart.get();
}

/// The operands of sumRange(). `blocks` are the messages in which all ranks
/// send one part of the sums over their nodes (subtrees of slices), and
/// `headers` their first words. `rank` and `node` identify the node whose sum
/// sumRange() reads next.
struct BatchSliceAllReduce::Addends {
  const std::vector<std::byte *> &blocks;
  std::vector<Header> headers;
  size_t count;
  std::byte *result;
  unsigned rank = 0;
  size_t node = 0;
};

void BatchSliceAllReduce::sumPart(const std::vector<std::byte *> &ofRanks,
                                  size_t part, std::byte *result) const {
  std::vector<Header> headers(ofRanks.size());
  std::vector<FetchedBytes> copies;
  for (size_t r = 0; r < ofRanks.size(); ++r)
    copies.push_back({reinterpret_cast<std::byte *>(&headers[r]), ofRanks[r],
                      sizeof(Header)});
  messages.fetch(copies);
  Addends addends{ofRanks, std::move(headers), layout.partElements(part),
                  result};
  std::byte *sum = sumRange(addends, {0, layout.tree().slices()});
  if (!sum)
    fillNeutralIn(messages, result, addends.count);
  else if (sum != result)
    messages.copy(result, sum, addends.count * layout.width());
}

/// Returns the address of the sum over a range of slices, or null if all these
/// slices are empty. The sum is stored in place of the sum of the range's left
/// half, but the sum over all slices is stored in addends.result.
std::byte *BatchSliceAllReduce::sumRange(Addends &addends,
                                         BatchSliceRange range) const {
  if (layout.tree().rankOf(range.first) ==
      layout.tree().rankOf(range.last - 1)) {
    if (addends.node == layout.nodesOf(addends.rank)) {
      ++addends.rank;
      addends.node = 0;
    }
    size_t number = addends.node++;
    return addends.headers[addends.rank] >> number & 1
               ? addends.blocks[addends.rank] + sizeof(Header) +
                     number * addends.count * layout.width()
               : nullptr;
  }
  uint64_t middle = BatchSliceReductionTree::split(range);
  std::byte *left = sumRange(addends, {range.first, middle});
  std::byte *right = sumRange(addends, {middle, range.last});
  if (!left || !right || INGOT_MUTANT("lost_rank"))
    return left ? left : right;
  std::byte *to =
      range.size() == layout.tree().slices() ? addends.result : left;
  messages.reduce(how, to, left, right, addends.count);
  return to;
}
