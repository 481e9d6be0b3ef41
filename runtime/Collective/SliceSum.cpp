//===- SliceSum.cpp - Sums values over the slices of a batch --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/SliceSum.h"

#include "runtime/ABI/Mutants.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace ingot;

/// The first word of a block: bit i is set if node i of the rank that sends the
/// block has a value. 64 bits suffice, as a rank has at most 2 log2 S nodes.
using Header = uint64_t;
/// Parts begin at multiples of this many elements: whole cache lines.
static constexpr size_t partAlignment = 64;
/// The alignment in bytes of the numbers that follow a block's header. Tensors
/// have the same alignment. Otherwise the 8-byte header would shift the numbers
/// against the tensor that they are copied from; on AMD's Zen, memcpy() of a
/// few KiB to 1 MiB takes 15 times as long if the destination is 8 to 15 bytes
/// beyond the source modulo 4 KiB.
static constexpr size_t numberAlignment = 64;

/// Returns where a block begins that follows `end` bytes. Leaves a gap before
/// the header, so that the numbers after it are aligned.
static size_t nextBlock(size_t end) {
  return (end + sizeof(Header) + numberAlignment - 1) / numberAlignment *
             numberAlignment -
         sizeof(Header);
}

/// Allocates `size` bytes in `memory`, and returns their address. It is chosen
/// so that the numbers of the block at `offset` are aligned.
static std::byte *allocate(std::vector<std::byte> &memory, size_t size,
                           size_t offset) {
  memory.resize(size + numberAlignment);
  auto numbers =
      reinterpret_cast<uintptr_t>(memory.data()) + offset + sizeof(Header);
  return memory.data() +
         (numberAlignment - numbers % numberAlignment) % numberAlignment;
}

SliceSum::SliceSum(const SliceTree &tree, unsigned rank, int32_t dtype,
                   const std::vector<size_t> &elementsOfValues,
                   Reduction reduction, size_t smallBytes)
    : tree(tree), rank(rank), dtype(dtype), width(dtypeSize(dtype)),
      reduction(reduction), reduce(reduceFunction(dtype, reduction)) {
  assert(reduce && "no function for this type");
  for (size_t count : elementsOfValues) {
    values.emplace_back(tree.nodesOf(rank), dtype, reduction, count);
    begins.push_back(elements);
    elements += count;
  }
  begins.push_back(elements);
  for (unsigned r = 0; r < numRanks(); ++r)
    numNodes.push_back(tree.nodesOf(r).size());
  // A process that trains alone may sum in the caller's memory
  // (NodeSums::addInPlace()), so its memory is allocated only when it is needed
  // (allocateAlone()).
  if (isAlone())
    return;
  if (elements * width > smallBytes)
    numParts = numRanks();
  allocateBlocks();
  storeNodesInBlocks();
}

/// Allocates the messages that this rank sends, and those that it receives.
void SliceSum::allocateBlocks() {
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
  blockMemory = allocate(memory, size, isSmall() ? own.front() : nextBlock(0));
  receivedBlocks = allocate(received, receivedSize, nextBlock(0));
  for (size_t offset : own)
    ownBlocks.push_back(blockMemory + offset);
}

/// Makes this rank's nodes store their sums directly in the blocks to send. The
/// elements of a value may belong to several parts, and so to several blocks.
void SliceSum::storeNodesInBlocks() {
  for (size_t index = 0; index < values.size(); ++index) {
    std::vector<std::vector<NodeSums::Piece>> pieces(numNodes[rank]);
    for (size_t part = 0; part < numParts; ++part) {
      size_t begin = std::max(partBegin(part), begins[index]);
      size_t end = std::min(partBegin(part + 1), begins[index + 1]);
      if (begin >= end)
        continue;
      std::byte *numbers = ownBlocks[part] + sizeof(Header);
      for (size_t node = 0; node < pieces.size(); ++node)
        pieces[node].push_back(
            {begin - begins[index], end - begin,
             numbers + (node * partElements(part) + begin - partBegin(part)) *
                           width});
    }
    values[index].storeIn(std::move(pieces));
  }
}

/// Returns the index of the bucket's first element that is in part `part`; if
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

/// Allocates memory for the sum of a value in a process that trains alone and
/// does not add the value's slices in place.
void SliceSum::allocateAlone(size_t index) {
  if (values[index].hasMemory())
    return;
  memory.resize(elements * width);
  values[index].storeIn({{{0, begins[index + 1] - begins[index],
                           memory.data() + begins[index] * width}}});
}

void SliceSum::add(size_t index, uint64_t slice, const void *data) {
  if (isAlone())
    allocateAlone(index);
  values[index].add(slice, data);
}

void SliceSum::clear() {
  for (NodeSums &sums : values)
    sums.clear();
  resultInPlace = nullptr;
}

Status SliceSum::exchange(Collective &collective, std::byte *inPlace) {
  for (NodeSums &sums : values)
    sums.finish();
  if (isAlone())
    return Status::ok();
  Header header = values.empty() ? 0 : values.front().present();
  for (std::byte *block : ownBlocks)
    std::memcpy(block, &header, sizeof header);
  bool isStored = inPlace && values.size() == 1 && !isSmall();
  resultInPlace = isStored ? inPlace : nullptr;
  if (!isStored)
    results.resize(elements * width);
  std::byte *result = isStored ? inPlace : results.data();
  return isSmall() ? exchangeSmall(collective, result)
                   : exchangeLarge(collective, result);
}

void SliceSum::store(size_t index, void *result) {
  auto *to = static_cast<std::byte *>(result);
  size_t count = begins[index + 1] - begins[index];
  const std::byte *from = results.data() + begins[index] * width;
  if (isAlone()) {
    if (values[index].present() == 0)
      return fillNeutral(to, dtype, reduction, count);
    from = values[index].inPlace() ? values[index].inPlace()
                                   : memory.data() + begins[index] * width;
  } else if (resultInPlace) {
    from = resultInPlace;
  }
  if (from != to && count != 0)
    std::memcpy(to, from, count * width);
}

Status SliceSum::exchangeSmall(Collective &collective, std::byte *result) {
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

Status SliceSum::exchangeLarge(Collective &collective, std::byte *result) {
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
/// whose sum sumRange() reads next.
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
