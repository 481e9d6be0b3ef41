//===- EmulatedObjectName.h - Name of an emulated object --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_EMULATE_EMULATEDOBJECTNAME_H
#define INGOT_CODEGEN_EMULATE_EMULATEDOBJECTNAME_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ingot::emulate {

/// Returns the file name of the shared object that the emulator runs instead of
/// `image`, a device's PTX. The name is the 64-bit FNV-1a hash of the image
/// (draft-eastlake-fnv), in hexadecimal.
inline std::string imageName(std::string_view image) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : image)
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  std::string name;
  for (int shift = 60; shift >= 0; shift -= 4)
    name += "0123456789abcdef"[hash >> shift & 15];
  return name + ".so";
}

} // namespace ingot::emulate

#endif // INGOT_CODEGEN_EMULATE_EMULATEDOBJECTNAME_H
