//===- DeviceOperands.cpp - Operands of launches on a device --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes the operands of launches available on the device, by uploading bytes
// that are newer on the host, and notes which bytes the launches make newer on
// the device.
//
//===----------------------------------------------------------------------===//

#include "runtime/Session/CoherentDeviceSession.h"

#include "runtime/Session/Context.h"

#include <algorithm>

using namespace ingot;

/// Ensures that the scratch memory on the device has at least `size` bytes. All
/// launches whose scratch memory has a dynamic size use this one allocation,
/// one after the other.
Status CoherentDeviceSession::provideScratch(uint64_t size, const char *node) {
  if (scratch.size() >= size)
    return Status::ok();
  INGOT_RETURN_IF_ERROR(flush());
  scratch = DeviceMemory();
  INGOT_ASSIGN_OR_RETURN(
      scratch,
      DeviceMemory::allocate(*device, withRoom(size),
                             "temporaries of '" + std::string(node) + "'"));
  return Status::ok();
}

/// Returns the device address of a launch's argument. Slot `slot` of the
/// argument table holds its host address. If the host has newer bytes there,
/// uploads them first.
Expected<DeviceAddress>
CoherentDeviceSession::provide(uint32_t slot, uint64_t size, bool isOutput) {
  if (size == 0)
    return mirror->arena.address();
  ResolvedHostAddress place =
      find(reinterpret_cast<void *const *>(arena)[slot], size);
  switch (place.kind) {
  case ResolvedHostAddress::inArena:
    INGOT_RETURN_IF_ERROR(provideArena(place.range, isOutput));
    return place.address;
  case ResolvedHostAddress::inVariable:
    INGOT_RETURN_IF_ERROR(provideVariable(place.variable, isOutput));
    return place.address;
  case ResolvedHostAddress::inBlock:
    INGOT_RETURN_IF_ERROR(allocateBlock(place));
    INGOT_RETURN_IF_ERROR(provideBlock(place, isOutput));
    return place.address;
  case ResolvedHostAddress::elsewhere:
    return provideElsewhere(slot, size, isOutput);
  }
  return provideElsewhere(slot, size, isOutput);
}

/// Makes a range of a block available on the device: uploads the parts that are
/// newer on the host, and marks the range as newer on the device if the launch
/// writes it. The range is downloaded only when the host reads it.
Status CoherentDeviceSession::provideBlock(const ResolvedHostAddress &place,
                                           bool isOutput) {
  HostMirroredDeviceBlock &block = *place.block;
  DeviceAddress first = block.memory.address();
  // Host code (the code between launches, which runs on the CPU) does not
  // report its writes, so assume that it has written the whole range.
  if (block.isTouched)
    block.newerOnHost.add(place.range);
  for (ByteRange part : block.newerOnHost.within(place.range)) {
    if (block.newer.covers(part))
      continue;
    HostToDeviceCopy copy = {first + part.begin, block.host + part.begin,
                             part.end - part.begin};
    INGOT_RETURN_IF_ERROR(device->upload({&copy, 1}));
  }
  block.newerOnHost.remove(place.range);
  if (!isOutput)
    return Status::ok();
  block.newer.add(place.range);
  if (downloadsAll || block.isTouched) {
    batch.downloads.push_back({block.host + place.range.begin,
                               first + place.range.begin,
                               place.range.end - place.range.begin});
    block.newer.remove(place.range);
  }
  return Status::ok();
}

/// Makes a range of the arena available on the device: uploads the parts that
/// are newer on the host. If the launch writes the range, marks it as newer on
/// the device, and adds to the batch downloads of those parts that host code
/// reads.
Status CoherentDeviceSession::provideArena(ByteRange range, bool isOutput) {
  auto addressOf = [&](ByteRange part) {
    return mirror->arena.address() + part.begin;
  };
  for (ByteRange part : newerOnHost.within(range)) {
    HostToDeviceCopy copy = {addressOf(part), arena + part.begin,
                             part.end - part.begin};
    INGOT_RETURN_IF_ERROR(device->upload({&copy, 1}));
  }
  newerOnHost.remove(range);
  if (!isOutput)
    return Status::ok();
  newerOnDevice.add(range);
  auto download = [&](ByteRange part) {
    batch.downloads.push_back(
        {arena + part.begin, addressOf(part), part.end - part.begin});
    newerOnDevice.remove(part);
  };
  if (downloadsAll) {
    download(range);
    return Status::ok();
  }
  for (const HostAccessedArenaRange &touched : mirror->touched) {
    ByteRange part = {std::max(range.begin, touched.range.begin),
                      std::min(range.end, touched.range.end)};
    if (part.begin < part.end)
      download(part);
  }
  return Status::ok();
}

/// Makes a variable available on the device: uploads it if it is newer on the
/// host. If the launch writes the variable, marks it as newer on the device,
/// and adds a download to the batch if host code reads it.
Status CoherentDeviceSession::provideVariable(uint32_t variable,
                                              bool isOutput) {
  auto *data = static_cast<uint8_t *>(context.variables[variable]);
  uint64_t offset = static_cast<uint64_t>(data - context.storage.data());
  uint64_t size = context.program->variables[variable].byte_size;
  DeviceAddress there = variables.address() + offset;
  if (state[variable] == NewerSide::host) {
    HostToDeviceCopy copy = {there, data, size};
    INGOT_RETURN_IF_ERROR(device->upload({&copy, 1}));
    state[variable] = NewerSide::none;
  }
  if (!isOutput)
    return Status::ok();
  computedVariable(variable);
  if (downloadsAll ||
      std::find(mirror->readByHost.begin(), mirror->readByHost.end(),
                variable) != mirror->readByHost.end()) {
    batch.downloads.push_back({data, there, size});
    state[variable] = NewerSide::none;
  }
  return Status::ok();
}

/// Returns the address of the device's copy of `known`, a feed or an iterator's
/// element. Uploads it first if the device has no copy yet.
Expected<DeviceAddress>
CoherentDeviceSession::provideHeld(MirroredHostRange &known, uint32_t slot) {
  if (known.place)
    return known.place;
  std::unique_ptr<DeviceStagingBuffers> &staging = mirror->staged[slot];
  if (!staging)
    staging = device->makeStaging();
  // The staging buffer of this slot is overwritten now. If it holds the copy of
  // another feed or element, mark that feed or element as not copied.
  for (MirroredHostRange &other : held)
    if (other.slot == slot)
      other.place = 0;
  known.slot = slot;
  INGOT_ASSIGN_OR_RETURN(
      known.place, staging->fill(reinterpret_cast<const void *>(known.begin),
                                 known.end - known.begin));
  return known.place;
}

/// Returns a device address for memory that is neither in the arena nor in a
/// variable: constants, feeds, elements of iterators, and memory that compiled
/// code has allocated from the runtime.
Expected<DeviceAddress> CoherentDeviceSession::provideElsewhere(uint32_t slot,
                                                                uint64_t size,
                                                                bool isOutput) {
  void *data = reinterpret_cast<void **>(arena)[slot];
  if (auto found = constants.find(data);
      found != constants.end() && found->second.size() >= size)
    return found->second.address();
  const ingot_entry &entry = *context.schedules->entry;
  const ingot_argument *fixed =
      std::find_if(entry.arguments, entry.arguments + entry.num_arguments,
                   [&](const ingot_argument &argument) {
                     return argument.slot == slot &&
                            argument.kind == INGOT_ARGUMENT_CONSTANT;
                   });
  if (fixed != entry.arguments + entry.num_arguments) {
    INGOT_ASSIGN_OR_RETURN(DeviceMemory copy,
                           DeviceMemory::allocate(*device, size, "constants"));
    HostToDeviceCopy up = {copy.address(), data, size};
    INGOT_RETURN_IF_ERROR(device->upload({&up, 1}));
    return (constants[data] = std::move(copy)).address();
  }
  auto begin = reinterpret_cast<uintptr_t>(data);
  for (MirroredHostRange &known : held)
    if (known.begin <= begin && begin + size <= known.end && !isOutput) {
      INGOT_ASSIGN_OR_RETURN(DeviceAddress place, provideHeld(known, slot));
      return place + (begin - known.begin);
    }
  // Reuse a copy of this host memory that the batch has uploaded, but only if
  // the copy contains all bytes: slices of one constant may overlap, so a copy
  // may have only some of them.
  for (const MirroredHostRange &foreign : batch.foreign) {
    if (begin < foreign.begin || foreign.end < begin + size)
      continue;
    if (isOutput)
      batch.downloads.push_back(
          {data, foreign.place + (begin - foreign.begin), size});
    return foreign.place + (begin - foreign.begin);
  }
  DeviceMemory &copy = mirror->copies[slot];
  if (copy.size() < size || copy.address() == 0) {
    copy = DeviceMemory();
    INGOT_ASSIGN_OR_RETURN(
        copy, DeviceMemory::allocate(*device, size, "feeds and elements"));
  }
  HostToDeviceCopy up = {copy.address(), data, size};
  INGOT_RETURN_IF_ERROR(device->upload({&up, 1}));
  if (isOutput)
    batch.downloads.push_back({data, copy.address(), size});
  batch.foreign.push_back({begin, begin + size, copy.address()});
  return copy.address();
}
