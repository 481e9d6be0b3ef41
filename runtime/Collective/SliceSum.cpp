//===- SliceSum.cpp - Sums a value over the slices of a batch -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/SliceSum.h"

#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/ABI/Mutants.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

using namespace ingot;

/// The first word of a block: bit i is set if node i of the rank that sends the
/// block has a value. 64 bits suffice, as a rank has at most 2 log2 S nodes.
using Header = uint64_t;
/// Parts begin at multiples of this many elements: whole cache lines.
static constexpr size_t partAlignment = 64;
/// Numbers in blocks begin at multiples of this many bytes, as those of tensors
/// do. On AMD's Zen, memcpy() of a few KiB to 1 MiB takes 15 times as long if
/// the destination is 8 bytes (or less than 16) beyond the source modulo 4 KiB,
/// which a header would otherwise make it.
static constexpr size_t numberAlignment = 64;

/// Returns the offset of a block that comes after `end` bytes: the numbers that
/// follow its header are aligned.
static size_t nextBlock(size_t end) {
  return (end + sizeof(Header) + numberAlignment - 1) / numberAlignment *
             numberAlignment -
         sizeof(Header);
}

/// Allocates `size` bytes in `memory`, and returns their address, for which the
/// numbers of the block at `offset` are aligned.
static std::byte *allocate(std::vector<std::byte> &memory, size_t size,
                           size_t offset) {
  memory.resize(size + numberAlignment);
  auto numbers =
      reinterpret_cast<uintptr_t>(memory.data()) + offset + sizeof(Header);
  return memory.data() +
         (numberAlignment - numbers % numberAlignment) % numberAlignment;
}

SliceSum::SliceSum(const SliceTree &tree, unsigned rank, int32_t dtype,
                   size_t elements, Reduction reduction, size_t smallBytes)
    : tree(tree), rank(rank), dtype(dtype), elements(elements),
      width(dtypeSize(dtype)), reduction(reduction),
      reduce(reduceFunction(dtype, reduction)),
      numParts(tree.ranks() == 1 || elements * width <= smallBytes
                   ? 1
                   : tree.ranks()),
      nodes(tree.nodesOf(rank)) {
  assert(reduce && "no function for this type");
  for (unsigned r = 0; r < numRanks(); ++r)
    numNodes.push_back(tree.nodesOf(r).size());
  size_t size = 0, receivedSize = 0;
  std::vector<size_t> own;
  if (isSmall()) {
    for (unsigned r = 0; r < numRanks(); ++r) {
      if (r == rank)
        own.push_back(size);
      size += blockBytes(r, 0);
    }
  } else {
    for (size_t part = 0; part < numParts; ++part) {
      own.push_back(nextBlock(size));
      size = own.back() + blockBytes(rank, part);
      if (part != rank)
        receivedSize = nextBlock(receivedSize) +
                       blockBytes(static_cast<unsigned>(part), rank);
    }
  }
  // A process that trains alone may sum in the caller's memory (addInPlace()),
  // so its block is allocated only when it is needed (allocateAlone()).
  if (!isAlone())
    blockMemory =
        allocate(memory, size, isSmall() ? own.front() : nextBlock(0));
  receivedBlocks = allocate(received, receivedSize, nextBlock(0));
  for (size_t offset : own)
    ownBlocks.push_back(blockMemory + offset);
  uint64_t longest = 1;
  for (SliceRange range : nodes)
    longest = std::max(longest, range.size());
  subtrees.resize(static_cast<size_t>(std::bit_width(longest - 1)));
}

/// Returns the index of the value's first element that is in part `part`; if
/// `part` is numParts, the number of elements. The last parts may be shorter
/// than the others, or empty.
size_t SliceSum::partBegin(size_t part) const {
  size_t each = (elements + numParts - 1) / numParts;
  each = (each + partAlignment - 1) / partAlignment * partAlignment;
  return std::min(part * each, elements);
}

size_t SliceSum::partElements(size_t part) const {
  return partBegin(part + 1) - partBegin(part);
}

size_t SliceSum::blockBytes(unsigned ofRank, size_t part) const {
  return sizeof(Header) + numNodes[ofRank] * partElements(part) * width;
}

/// Allocates the block of a process that trains alone, unless it has been
/// allocated. Not called if the process sums in the caller's memory.
void SliceSum::allocateAlone() {
  if (!isAlone() || !memory.empty())
    return;
  blockMemory = allocate(memory, blockBytes(rank, 0), 0);
  ownBlocks.front() = blockMemory;
}

void SliceSum::addInPlace(uint64_t slice, std::byte *memory) {
  places = memory;
  add(slice, memory + placeOfSlice(slice) * elements * width);
  // Add each subtree that ends with this slice to the subtree on its left now,
  // as the caller may overwrite the subtree's sum with the next slice's value.
  joinUntil(slice + 1 - nodes[node].first);
}

void SliceSum::add(uint64_t slice, const void *data) {
  while (slice >= nodes[node].last) {
    joinUntil(std::numeric_limits<uint64_t>::max());
    ++node;
  }
  uint64_t first = slice - nodes[node].first;
  joinUntil(first);
  // Slices 2k and 2k + 1 are a pair in the tree, so a slice with an odd index
  // is added to the slice before it.
  put(first & ~uint64_t(1), static_cast<const std::byte *>(data));
}

/// Returns the memory for the sum of the subtree that begins at slice `first`
/// of the node. `first` must not be 0: the subtree that begins at slice 0 grows
/// to the whole node, so its sum is that of the node, which putIntoNode()
/// updates.
std::byte *SliceSum::placeOf(uint64_t first) {
  if (places)
    return places + placeOfSlice(nodes[node].first + first) * elements * width;
  SubtreeSum &subtree = subtrees[static_cast<size_t>(std::countr_zero(first))];
  subtree.memory.resize(elements * width);
  return subtree.memory.data();
}

/// Adds `data`, the value of a slice or the sum of a subtree, to the subtree
/// that begins at slice `first` of the node. The slices of `data` come after
/// those that the subtree has already.
void SliceSum::put(uint64_t first, const std::byte *data) {
  if (first == 0) {
    putIntoNode(data);
    return;
  }
  SubtreeSum &subtree = subtrees[static_cast<size_t>(std::countr_zero(first))];
  if (subtree.isPresent) {
    reduce(subtree.sum, subtree.sum, data, elements);
    return;
  }
  subtree.sum = placeOf(first);
  if (subtree.sum != data)
    std::memcpy(subtree.sum, data, elements * width);
  subtree.first = first;
  subtree.isPresent = true;
}

void SliceSum::putIntoNode(const std::byte *data) {
  uint64_t bit = uint64_t(1) << node;
  if (places && isAlone()) {
    // A process that trains alone has only one node, whose sum is the first
    // value in the caller's memory.
    if (present & bit)
      reduce(places, places, data,
             elements - (elements && INGOT_MUTANT("short_sum_of_slices")));
    else if (places != data)
      std::memcpy(places, data, elements * width);
    present |= bit;
    return;
  }
  allocateAlone();
  for (size_t part = 0; part < numParts; ++part) {
    size_t count = partElements(part);
    std::byte *sum = ownBlocks[part] + sizeof(Header) + node * count * width;
    const std::byte *from = data + partBegin(part) * width;
    if (present & bit)
      reduce(sum, sum, from,
             count - (count && INGOT_MUTANT("short_sum_of_slices")));
    else
      std::memcpy(sum, from, count * width);
  }
  present |= bit;
}

/// Adds each subtree that ends at or before slice `slice` of the node to its
/// left neighbour. The neighbour's first slice has an index divisible by a
/// larger power of two, so the neighbour is at a higher level, and one pass in
/// ascending order of levels suffices.
void SliceSum::joinUntil(uint64_t slice) {
  for (size_t level = 1; level < subtrees.size(); ++level) {
    SubtreeSum &subtree = subtrees[level];
    uint64_t length = uint64_t(1) << level;
    if (!subtree.isPresent || slice - subtree.first < length)
      continue;
    subtree.isPresent = false;
    put(subtree.first - length, subtree.sum);
  }
}

void SliceSum::clear() {
  for (SubtreeSum &subtree : subtrees)
    subtree.isPresent = false;
  present = 0;
  node = 0;
  places = nullptr;
}

Status SliceSum::finish(Collective &collective, void *result) {
  joinUntil(std::numeric_limits<uint64_t>::max());
  auto *to = static_cast<std::byte *>(result);
  if (places && isAlone() && present) {
    if (places != to)
      std::memcpy(to, places, elements * width);
    clear();
    return Status::ok();
  }
  allocateAlone();
  Header header = present;
  for (std::byte *block : ownBlocks)
    std::memcpy(block, &header, sizeof header);
  clear();
  return isSmall() ? finishSmall(collective, to) : finishLarge(collective, to);
}

Status SliceSum::finishSmall(Collective &collective, std::byte *result) {
  std::vector<size_t> sizes;
  std::vector<std::byte *> blocks;
  size_t offset = 0;
  for (unsigned r = 0; r < numRanks(); ++r) {
    sizes.push_back(blockBytes(r, 0));
    blocks.push_back(blockMemory + offset);
    offset += sizes.back();
  }
  INGOT_RETURN_IF_ERROR(collective.gather({blockMemory, offset}, sizes));
  sumPart(blocks, 0, result);
  return Status::ok();
}

Status SliceSum::finishLarge(Collective &collective, std::byte *result) {
  std::vector<Collective::ConstBytes> send(numRanks());
  std::vector<Collective::Bytes> receive(numRanks());
  std::vector<std::byte *> blocks(numRanks());
  std::vector<size_t> sizes(numRanks());
  size_t offset = 0;
  for (unsigned r = 0; r < numRanks(); ++r) {
    sizes[r] = partElements(r) * width;
    if (r == rank) {
      blocks[r] = ownBlocks[r];
      continue;
    }
    send[r] = {ownBlocks[r], blockBytes(rank, r)};
    offset = nextBlock(offset);
    blocks[r] = receivedBlocks + offset;
    receive[r] = {blocks[r], blockBytes(r, rank)};
    offset += receive[r].size();
  }
  INGOT_RETURN_IF_ERROR(collective.exchange(send, receive));
  sumPart(blocks, rank, result + partBegin(rank) * width);
  return collective.gather({result, elements * width}, sizes);
}

/// The operands of sumRange(): the blocks (messages) in which all ranks send
/// their sums of one part of the value. `rank` and `node` identify the node
/// whose sum it reads next.
struct SliceSum::Addends {
  const std::vector<std::byte *> &blocks;
  size_t count;
  std::byte *result;
  unsigned rank = 0;
  size_t node = 0;
};

void SliceSum::sumPart(const std::vector<std::byte *> &blocks, size_t part,
                       std::byte *result) const {
  Addends addends{blocks, partElements(part), result};
  std::byte *sum = sumRange(addends, {0, tree.slices()});
  if (!sum)
    fillNeutral(result, dtype, reduction, addends.count);
  else if (sum != result)
    std::memcpy(result, sum, addends.count * width);
}

/// Returns the address of the sum over a range of slices, or null if all these
/// slices are empty. The sum overwrites the sum of the left half, except that
/// the sum over all slices is stored in addends.result.
std::byte *SliceSum::sumRange(Addends &addends, SliceRange range) const {
  if (tree.rankOf(range.first) == tree.rankOf(range.last - 1)) {
    if (addends.node == numNodes[addends.rank]) {
      ++addends.rank;
      addends.node = 0;
    }
    std::byte *block = addends.blocks[addends.rank];
    Header header;
    std::memcpy(&header, block, sizeof header);
    size_t number = addends.node++;
    return header >> number & 1
               ? block + sizeof header + number * addends.count * width
               : nullptr;
  }
  uint64_t middle = SliceTree::split(range);
  std::byte *left = sumRange(addends, {range.first, middle});
  std::byte *right = sumRange(addends, {middle, range.last});
  if (!left || !right || INGOT_MUTANT("lost_rank"))
    return left ? left : right;
  std::byte *to = range.size() == tree.slices() ? addends.result : left;
  reduce(to, left, right, addends.count);
  return to;
}

size_t SliceSum::bytesSent() const {
  size_t others = numRanks() - 1;
  if (isSmall())
    return others * blockBytes(rank, 0);
  size_t bytes = others * partElements(rank) * width;
  for (unsigned r = 0; r < numRanks(); ++r)
    bytes += r == rank ? 0 : blockBytes(rank, r);
  return bytes;
}
