//===- DeviceCoherence.cpp - Coherence of host and device -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/CoherentDeviceSession.h"

#include "runtime/Session/Context.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

/// When a variable gets newer bytes on the device, the pages of its host copy
/// are released. Variables of at most this many bytes keep them, since hooks
/// and fetches often read small variables.
static constexpr uint64_t smallVariable = 64 << 10;

/// Returns `size` plus a quarter. A buffer that grows slowly from step to step
/// is then not allocated anew in each step.
uint64_t CoherentDeviceSession::withRoom(uint64_t size) {
  return size + size / 4;
}

int64_t CoherentDeviceSession::variableAt(const void *address) const {
  auto next = std::upper_bound(context.variables.begin(),
                               context.variables.end(), address);
  return next - context.variables.begin() - 1;
}

/// Finds out what the host address `data` points to: the arena, a variable, a
/// mirrored block, or other memory.
CoherentDeviceSession::ResolvedHostAddress
CoherentDeviceSession::find(const void *data, uint64_t size) const {
  auto *bytes = static_cast<const uint8_t *>(data);
  uint64_t offset = static_cast<uint64_t>(bytes - arena);
  if (mirror && offset < mirror->arenaSize)
    return {.kind = ResolvedHostAddress::inArena,
            .range = {offset, offset + size},
            .address = mirror->arena.address() + offset};
  offset = static_cast<uint64_t>(bytes - context.storage.data());
  if (offset < context.storage.size())
    return {.kind = ResolvedHostAddress::inVariable,
            .range = {offset, offset + size},
            .variable = static_cast<uint32_t>(variableAt(data)),
            .address = variables.address() + offset};
  auto next = kept.upper_bound(bytes);
  if (next != kept.begin()) {
    const HostMirroredDeviceBlock &block = std::prev(next)->second;
    offset = static_cast<uint64_t>(bytes - block.host);
    if (offset < block.size)
      return {.kind = ResolvedHostAddress::inBlock,
              .range = {offset, offset + size},
              .block = const_cast<HostMirroredDeviceBlock *>(&block),
              .address = block.memory.address() + offset};
  }
  for (const auto &[begin, block] : allFetches) {
    offset = static_cast<uint64_t>(bytes - begin);
    if (offset < block.size && !block.owner.expired())
      return {.kind = ResolvedHostAddress::inBlock,
              .range = {offset, offset + size},
              .block = const_cast<HostMirroredDeviceBlock *>(&block),
              .address = block.memory.address() + offset};
  }
  return {.kind = ResolvedHostAddress::elsewhere, .range = {0, size}};
}

bool CoherentDeviceSession::isNewerOnDevice(
    const ResolvedHostAddress &place) const {
  switch (place.kind) {
  case ResolvedHostAddress::inArena:
    return newerOnDevice.overlaps(place.range);
  case ResolvedHostAddress::inVariable:
    return state[place.variable] == NewerSide::device;
  case ResolvedHostAddress::inBlock:
    return place.block->newer.overlaps(place.range);
  case ResolvedHostAddress::elsewhere:
    return false;
  }
  return false;
}

/// Returns true if the entry's code between launches, which runs on the CPU,
/// accesses the memory at `place`.
bool CoherentDeviceSession::isTouchedByHost(
    const ResolvedHostAddress &place) const {
  if (place.kind == ResolvedHostAddress::inVariable)
    return std::find(mirror->readByHost.begin(), mirror->readByHost.end(),
                     place.variable) != mirror->readByHost.end();
  if (place.kind == ResolvedHostAddress::inBlock)
    return place.block->isTouched;
  return place.kind == ResolvedHostAddress::inArena &&
         std::any_of(mirror->touched.begin(), mirror->touched.end(),
                     [&](const HostAccessedArenaRange &touched) {
                       return touched.range.begin < place.range.end &&
                              place.range.begin < touched.range.end;
                     });
}

void CoherentDeviceSession::noteComputed(const ResolvedHostAddress &place) {
  switch (place.kind) {
  case ResolvedHostAddress::inArena:
    newerOnDevice.add(place.range);
    newerOnHost.remove(place.range);
    break;
  case ResolvedHostAddress::inVariable:
    computedVariable(place.variable);
    break;
  case ResolvedHostAddress::inBlock:
    place.block->newer.add(place.range);
    place.block->newerOnHost.remove(place.range);
    break;
  case ResolvedHostAddress::elsewhere:
    break;
  }
}

void CoherentDeviceSession::noteWritten(const ResolvedHostAddress &place) {
  switch (place.kind) {
  case ResolvedHostAddress::inArena:
    newerOnHost.add(place.range);
    newerOnDevice.remove(place.range);
    break;
  case ResolvedHostAddress::inVariable:
    wroteVariable(place.variable);
    break;
  case ResolvedHostAddress::inBlock:
    place.block->newer.remove(place.range);
    place.block->newerOnHost.add(place.range);
    break;
  case ResolvedHostAddress::elsewhere:
    break;
  }
}

Status CoherentDeviceSession::readRanges(ByteRangeSet &newer, ByteRange range,
                                         DeviceAddress there, uint8_t *here) {
  std::vector<DeviceToHostCopy> copies;
  for (ByteRange part : newer.within(range))
    copies.push_back(
        {here + part.begin, there + part.begin, part.end - part.begin});
  if (copies.empty())
    return Status::ok();
  INGOT_RETURN_IF_ERROR(launchPending());
  INGOT_RETURN_IF_ERROR(device->download(copies));
  newer.remove(range);
  return Status::ok();
}

Status CoherentDeviceSession::read(const ResolvedHostAddress &place,
                                   const void *data) {
  // The host address of the first byte to read.
  auto *here = static_cast<uint8_t *>(const_cast<void *>(data));
  switch (place.kind) {
  case ResolvedHostAddress::inArena:
    return readRanges(newerOnDevice, place.range, mirror->arena.address(),
                      arena);
  case ResolvedHostAddress::inVariable:
    return readVariable(place.variable);
  case ResolvedHostAddress::inBlock:
    return readRanges(place.block->newer, place.range,
                      place.block->memory.address(), here - place.range.begin);
  case ResolvedHostAddress::elsewhere:
    return Status::ok();
  }
  return Status::ok();
}

Status CoherentDeviceSession::readMemory(const void *data, uint64_t size) {
  if (failure.isOk())
    failure = read(find(data, size), data);
  return failure;
}

/// Allocates the device memory of the block that `place` is in, if it has none
/// yet, and sets the address of `place`.
Status CoherentDeviceSession::allocateBlock(ResolvedHostAddress &place) {
  HostMirroredDeviceBlock &block = *place.block;
  if (block.memory.size() == 0) {
    // Take the smallest piece of free memory that is large enough. If all are
    // too small, free the largest one and allocate a new one in its place. So
    // the number of pieces never exceeds the largest number of blocks that were
    // in use at the same time.
    auto isSmaller = [](const DeviceMemory &a, const DeviceMemory &b) {
      return a.size() < b.size();
    };
    std::sort(freeMemory.begin(), freeMemory.end(), isSmaller);
    auto best = std::find_if(
        freeMemory.begin(), freeMemory.end(),
        [&](const DeviceMemory &free) { return free.size() >= block.size; });
    if (best != freeMemory.end()) {
      block.memory = std::move(*best);
      freeMemory.erase(best);
    } else {
      if (!freeMemory.empty())
        freeMemory.pop_back();
      INGOT_ASSIGN_OR_RETURN(
          block.memory,
          DeviceMemory::allocate(*device, withRoom(block.size),
                                 "buffers of dynamic size and fetches"));
    }
  }
  place.address = block.memory.address() + place.range.begin;
  return Status::ok();
}

/// Passes the pending copies within device memory (`pendingCopies`) to the
/// device.
Status CoherentDeviceSession::launchPending() {
  std::vector<DeviceLaunch> copies = std::move(pendingCopies);
  pendingCopies.clear();
  return device->launch(copies);
}

Status CoherentDeviceSession::copyOnDevice(ResolvedHostAddress to,
                                           const ResolvedHostAddress &from,
                                           uint64_t size) {
  if (to.kind == ResolvedHostAddress::inBlock)
    INGOT_RETURN_IF_ERROR(allocateBlock(to));
  // If only a part of a variable is overwritten on the device, the variable
  // becomes newer on the device as a whole, so its other bytes must be uploaded
  // first.
  if (to.kind == ResolvedHostAddress::inVariable &&
      state[to.variable] == NewerSide::host &&
      size < context.program->variables[to.variable].byte_size) {
    INGOT_RETURN_IF_ERROR(launchPending());
    INGOT_RETURN_IF_ERROR(provideVariable(to.variable, /*isOutput=*/false));
  }
  const char *name = to.kind == ResolvedHostAddress::inVariable
                         ? context.program->variables[to.variable].spec.name
                         : context.schedules->entry->name;
  pendingCopies.push_back(
      DeviceLaunch::copy(to.address, from.address, size, name));
  noteComputed(to);
  return Status::ok();
}

void CoherentDeviceSession::copy(void *to, const void *from, uint64_t size) {
  if (!failure.isOk() || size == 0)
    return;
  ResolvedHostAddress source = find(from, size), target = find(to, size);
  bool isThere = source.kind == ResolvedHostAddress::inArena
                     ? newerOnDevice.covers(source.range)
                 : source.kind == ResolvedHostAddress::inBlock
                     ? source.block->newer.covers(source.range)
                     : isNewerOnDevice(source);
  if (isThere && target.kind != ResolvedHostAddress::elsewhere &&
      !isTouchedByHost(target)) {
    failure = copyOnDevice(target, source, size);
    return;
  }
  failure = read(source, from);
  if (failure.isOk() && target.kind == ResolvedHostAddress::inVariable &&
      size < context.program->variables[target.variable].byte_size)
    failure = readVariable(target.variable);
  if (!failure.isOk())
    return;
  std::memmove(to, from, size);
  noteWritten(target);
}

/// Marks a variable as newer on the device. Releases the pages of the host's
/// copy to the system, so that a model does not take memory on both sides.
void CoherentDeviceSession::computedVariable(uint32_t variable) {
  if (state[variable] == NewerSide::device)
    return;
  state[variable] = NewerSide::device;
  auto *data = static_cast<uint8_t *>(context.variables[variable]);
  uint64_t size = context.program->variables[variable].byte_size;
  if (size > smallVariable)
    context.storage.forget(data, data + size);
}

Status
CoherentDeviceSession::takeVariables(std::span<const VariableDownload> copies) {
  std::vector<DeviceToHostCopy> downloads;
  if (failure.isOk())
    failure = launchPending();
  for (const VariableDownload &copy : copies) {
    auto *data = static_cast<uint8_t *>(context.variables[copy.variable]);
    uint64_t size = context.program->variables[copy.variable].byte_size;
    if (state[copy.variable] == NewerSide::device) {
      downloads.push_back(
          {copy.to,
           variables.address() +
               static_cast<uint64_t>(data - context.storage.data()),
           size});
      continue;
    }
    std::memcpy(copy.to, data, size);
    // The host has the newer bytes, as before the first step. Upload them and
    // release the variable's host memory now: `copy.to` has a copy already, so
    // otherwise the host would hold the values twice.
    if (failure.isOk() && size > smallVariable) {
      failure = provideVariable(copy.variable, /*isOutput=*/false);
      if (failure.isOk())
        computedVariable(copy.variable);
    }
  }
  if (failure.isOk() && !downloads.empty())
    failure = device->download(downloads);
  return failure;
}

Status CoherentDeviceSession::readVariable(uint32_t variable) {
  if (state[variable] != NewerSide::device || !failure.isOk())
    return failure;
  auto *data = static_cast<uint8_t *>(context.variables[variable]);
  DeviceToHostCopy copy = {
      data,
      variables.address() +
          static_cast<uint64_t>(data - context.storage.data()),
      context.program->variables[variable].byte_size};
  failure = launchPending();
  if (failure.isOk())
    failure = device->download({&copy, 1});
  if (failure.isOk())
    state[variable] = NewerSide::none;
  return failure;
}

Status CoherentDeviceSession::readVariables() {
  std::vector<DeviceToHostCopy> copies;
  for (uint32_t i = 0; i < state.size(); ++i) {
    auto *data = static_cast<uint8_t *>(context.variables[i]);
    if (state[i] == NewerSide::device)
      copies.push_back(
          {data,
           variables.address() +
               static_cast<uint64_t>(data - context.storage.data()),
           context.program->variables[i].byte_size});
  }
  if (failure.isOk())
    failure = launchPending();
  if (failure.isOk() && !copies.empty())
    failure = device->download(copies);
  if (failure.isOk())
    for (NewerSide &newer : state)
      newer = newer == NewerSide::device ? NewerSide::none : newer;
  return failure;
}
