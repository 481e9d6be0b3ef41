//===- ElfImage.cpp - Reads ELF files by virtual address ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/ElfImage.h"

#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <cstddef>

using namespace llvm;
using support::endian::read16le;
using support::endian::read32le;
using support::endian::read64le;

namespace ingot::driver {

Error damaged(const Twine &what) {
  return createStringError("damaged: " + what);
}

Expected<ElfImage> ElfImage::parse(StringRef bytes) {
  constexpr uint64_t headerSize = sizeof(ELF::Elf64_Ehdr),
                     entrySize = sizeof(ELF::Elf64_Phdr);
  if (!bytes.starts_with(StringRef(ELF::ElfMagic, 4)))
    return createStringError(
        "not an Ingot executable: the file is not an ELF file");
  if (bytes.size() < headerSize)
    return damaged("truncated ELF header: " + Twine(bytes.size()) +
                   " bytes, expected " + Twine(headerSize));
  const char *data = bytes.data();
  if (data[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      data[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      read16le(data + offsetof(ELF::Elf64_Ehdr, e_machine)) != ELF::EM_X86_64)
    return createStringError(
        "not an Ingot executable: the ELF file is not for x86-64");
  uint16_t type = read16le(data + offsetof(ELF::Elf64_Ehdr, e_type));
  if (type == ELF::ET_REL)
    return createStringError("this is an object file: inspect the executable "
                             "that it is linked into");
  uint64_t table = read64le(data + offsetof(ELF::Elf64_Ehdr, e_phoff));
  uint64_t count = read16le(data + offsetof(ELF::Elf64_Ehdr, e_phnum));
  if (table > bytes.size() || count > (bytes.size() - table) / entrySize)
    return damaged(
        "program headers are past the end of the file: " + Twine(count) +
        " at offset " + Twine(table) + " of " + Twine(bytes.size()) + " bytes");
  ElfImage image;
  for (uint64_t i = 0; i < count; ++i) {
    const char *entry = data + table + i * entrySize;
    uint32_t kind = read32le(entry + offsetof(ELF::Elf64_Phdr, p_type));
    if (kind != ELF::PT_LOAD && kind != ELF::PT_DYNAMIC)
      continue;
    uint64_t offset = read64le(entry + offsetof(ELF::Elf64_Phdr, p_offset));
    uint64_t size = read64le(entry + offsetof(ELF::Elf64_Phdr, p_filesz));
    if (offset > bytes.size() || size > bytes.size() - offset)
      return damaged("segment " + Twine(i) + " is past the end of the file: " +
                     Twine(size) + " bytes at offset " + Twine(offset) +
                     " of " + Twine(bytes.size()));
    StringRef contents = bytes.substr(offset, size);
    if (kind == ELF::PT_DYNAMIC)
      image.dynamic = contents;
    else
      image.segments.push_back(
          {read64le(entry + offsetof(ELF::Elf64_Phdr, p_vaddr)), contents,
           (read32le(entry + offsetof(ELF::Elf64_Phdr, p_flags)) & ELF::PF_W) !=
               0});
  }
  if (Error error = image.readDynamic())
    return error;
  return image;
}

/// Reads the dynamic section, and finds the tables DT_RELA and DT_RELR.
Error ElfImage::readDynamic() {
  uint64_t relaAddress = 0, relaSize = 0, relrAddress = 0, relrSize = 0;
  for (StringRef rest = dynamic; rest.size() >= 16;
       rest = rest.drop_front(16)) {
    uint64_t value = read64le(rest.data() + 8);
    switch (read64le(rest.data())) {
    case ELF::DT_RELA:
      relaAddress = value;
      break;
    case ELF::DT_RELASZ:
      relaSize = value;
      break;
    case ELF::DT_RELR:
      relrAddress = value;
      break;
    case ELF::DT_RELRSZ:
      relrSize = value;
      break;
    default:
      break;
    }
  }
  std::optional<StringRef> found = slice(relaAddress, relaSize);
  if (!found)
    return damaged("table DT_RELA is outside all segments");
  rela = *found;
  found = slice(relrAddress, relrSize);
  if (!found)
    return damaged("table DT_RELR is outside all segments");
  relr = *found;
  return Error::success();
}

StringRef ElfImage::from(uint64_t address) const {
  for (const ElfSegment &segment : segments)
    if (address >= segment.address &&
        address - segment.address < segment.contents.size())
      return segment.contents.drop_front(address - segment.address);
  return {};
}

std::optional<StringRef> ElfImage::slice(uint64_t address,
                                         uint64_t size) const {
  if (size == 0)
    return StringRef();
  StringRef bytes = from(address);
  if (size > bytes.size())
    return std::nullopt;
  return bytes.take_front(size);
}

/// Returns whether DT_RELR relocates the pointer at `address`. An even word of
/// that table is the address of a pointer. Bits 1 to 63 of an odd word say
/// which of the 63 words after the last address are pointers, too.
bool ElfImage::isInRelr(uint64_t address) const {
  uint64_t next = 0;
  for (StringRef rest = relr; rest.size() >= 8; rest = rest.drop_front(8)) {
    uint64_t word = read64le(rest.data());
    if (!(word & 1)) {
      if (word == address)
        return true;
      next = word + 8;
      continue;
    }
    uint64_t distance = address - next;
    if (distance < 63 * 8 && distance % 8 == 0 &&
        (word >> (1 + distance / 8) & 1))
      return true;
    next += 63 * 8;
  }
  return false;
}

std::optional<uint64_t> ElfImage::pointer(uint64_t address) const {
  // A relative relocation in DT_RELA stores the pointer's value in its own
  // entry (r_addend). A relocation in DT_RELR has no such field, so the value
  // is in the file's bytes at `address`.
  for (StringRef rest = rela; rest.size() >= sizeof(ELF::Elf64_Rela);
       rest = rest.drop_front(sizeof(ELF::Elf64_Rela)))
    if (read64le(rest.data()) == address &&
        read64le(rest.data() + 8) == ELF::R_X86_64_RELATIVE)
      return read64le(rest.data() + 16);
  StringRef bytes = from(address);
  if (bytes.size() < 8 || !isInRelr(address))
    return std::nullopt;
  return read64le(bytes.data());
}

} // namespace ingot::driver
