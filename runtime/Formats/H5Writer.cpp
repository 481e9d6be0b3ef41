//===- H5Writer.cpp - Writes weights as Keras's HDF5 files ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes the subset of HDF5 (File Format Specification 3.0) that arrays in
// groups need: superblock 0, groups whose links are messages of their object
// headers, and contiguous datasets, without attributes, chunks or B-trees. The
// HDF Group's library is not used: Debian's static library needs curl and
// OpenSSL, and is larger than a trainer.
//===----------------------------------------------------------------------===//

#include "runtime/Formats/OutputFile.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/DType.h"

#include <map>

using namespace ingot;

namespace {

constexpr uint64_t undefined = ~uint64_t(0);
constexpr uint64_t superblockBytes = 96;
// Type numbers of the messages in an HDF5 object header.
constexpr uint16_t dataspaceMessage = 1, linkInfoMessage = 2,
                   datatypeMessage = 3, fillValueMessage = 5, linkMessage = 6,
                   layoutMessage = 8, groupInfoMessage = 10;

template <typename T> void put(std::string &text, T value) {
  text.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// The bit layout of an IEEE 754 type: the values of the fields that describe
/// it in an HDF5 datatype message.
struct FloatLayout {
  uint8_t exponentAt, exponentBits, mantissaBits;
  uint32_t bias;
};

/// Returns the contents of a datatype message (version 1) for `dtype`, or ""
/// for types other than IEEE floats and integers, such as bool and strings.
std::string datatype(int32_t dtype) {
  auto size = static_cast<uint32_t>(dtypeSize(dtype));
  std::string text;
  auto fixedPoint = [&](bool isSigned) {
    put<uint8_t>(text, 0x10); // version 1, class 0: fixed point
    put<uint8_t>(text, isSigned ? 8 : 0);
    put<uint16_t>(text, 0);
    put<uint32_t>(text, size);
    put<uint16_t>(text, 0);
    put<uint16_t>(text, static_cast<uint16_t>(size * 8));
  };
  auto floating = [&](FloatLayout layout) {
    put<uint8_t>(text, 0x11); // version 1, class 1: floating point
    put<uint8_t>(text, 0x20); // the mantissa's leading 1 is not stored
    put<uint8_t>(text, static_cast<uint8_t>(size * 8 - 1)); // sign's bit
    put<uint8_t>(text, 0);
    put<uint32_t>(text, size);
    put<uint16_t>(text, 0);
    put<uint16_t>(text, static_cast<uint16_t>(size * 8));
    put(text, layout.exponentAt);
    put(text, layout.exponentBits);
    put<uint8_t>(text, 0);
    put(text, layout.mantissaBits);
    put(text, layout.bias);
  };
  switch (dtype) {
  case INGOT_HALF:
    floating({10, 5, 10, 15});
    break;
  case INGOT_FLOAT:
    floating({23, 8, 23, 127});
    break;
  case INGOT_DOUBLE:
    floating({52, 11, 52, 1023});
    break;
  case INGOT_INT8:
  case INGOT_INT16:
  case INGOT_INT32:
  case INGOT_INT64:
    fixedPoint(true);
    break;
  case INGOT_UINT8:
  case INGOT_UINT16:
  case INGOT_UINT32:
  case INGOT_UINT64:
    fixedPoint(false);
    break;
  default:
    break;
  }
  return text;
}

/// A group or a dataset, and where its object header and elements are in the
/// file.
struct H5Object {
  std::map<std::string, size_t> links; // a group's members
  const TensorToSave *item = nullptr;  // a dataset's tensor; null: a group
  uint64_t address = 0, data = 0;
};

class H5File {
public:
  Status add(const TensorToSave &item);
  void addGroup(const std::string &path) { (void)groupOf(path); }
  /// Computes the layout of the file, and returns all bytes before the
  /// datasets' elements.
  Expected<std::string> headers();
  const std::vector<H5Object> &all() const { return objects; }

private:
  size_t child(size_t group, const std::string &name);
  size_t groupOf(const std::string &path);
  std::string header(const H5Object &object) const;

  std::vector<H5Object> objects = std::vector<H5Object>(1); // [0]: root group
};

size_t H5File::child(size_t group, const std::string &name) {
  auto [link, isNew] = objects[group].links.try_emplace(name, objects.size());
  size_t number = link->second;
  if (isNew)
    objects.emplace_back();
  return number;
}

size_t H5File::groupOf(const std::string &path) {
  size_t group = 0;
  for (size_t begin = 0; begin < path.size();) {
    size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin)
      group = child(group, path.substr(begin, end - begin));
    begin = end + 1;
  }
  return group;
}

Status H5File::add(const TensorToSave &item) {
  if (datatype(item.dtype).empty())
    return Status(StatusCode::Unimplemented,
                  "'" + item.key + "' has type " + dtypeName(item.dtype) +
                      ", which is not supported in .weights.h5 files: write "
                      ".npz or .safetensors");
  H5Object &object = objects[groupOf(item.key)];
  if (object.item || !object.links.empty())
    return Status(StatusCode::InvalidArgument,
                  "'" + item.key +
                      "' has the same name as another weight: give each weight "
                      "a name of its own");
  object.item = &item;
  return Status::ok();
}

/// Returns a version 1 object header, which holds all of the object's messages
/// in one block.
std::string H5File::header(const H5Object &object) const {
  std::string messages;
  uint16_t count = 0;
  auto add = [&](uint16_t type, std::string data) {
    data.append(-data.size() & 7, '\0');
    put(messages, type);
    put(messages, static_cast<uint16_t>(data.size()));
    put<uint32_t>(messages, 0); // message flags
    messages += data;
    ++count;
  };
  std::string text;
  if (object.item) {
    const Shape &shape = object.item->shape;
    put<uint8_t>(text, 1);
    put(text, static_cast<uint8_t>(shape.size()));
    text.append(6, '\0');
    for (int64_t dim : shape)
      put(text, dim);
    add(dataspaceMessage, std::move(text));
    add(datatypeMessage, datatype(object.item->dtype));
    // Fill value message, version 2: space allocation time 2 (late), fill value
    // write time 2 (if set), and a defined fill value of size 0, which is the
    // default value.
    add(fillValueMessage, std::string("\2\2\2\1\0\0\0\0", 8));
    text = std::string("\3\1", 2); // layout version 3, class 1: contiguous
    uint64_t size = sizeOf(*object.item);
    put(text, size > 0 ? object.data : undefined);
    put(text, size);
    add(layoutMessage, std::move(text));
  } else {
    put<uint16_t>(text, 0);
    put(text, undefined); // no fractal heap, no B-tree: links are messages
    put(text, undefined);
    add(linkInfoMessage, std::move(text));
    add(groupInfoMessage, std::string(2, '\0'));
  }
  for (const auto &[name, number] : object.links) {
    text = std::string("\1\1", 2); // version 1; length of name: 2 bytes
    put(text, static_cast<uint16_t>(name.size()));
    text += name;
    put(text, objects[number].address);
    add(linkMessage, std::move(text));
  }
  std::string header;
  put<uint16_t>(header, 1); // version of the object header
  put(header, count);
  put<uint32_t>(header, 1); // reference count
  put(header, static_cast<uint32_t>(messages.size()));
  put<uint32_t>(header, 0);
  return header + messages;
}

Expected<std::string> H5File::headers() {
  constexpr size_t most = 0xff00;
  uint64_t end = superblockBytes;
  for (H5Object &object : objects) {
    for (const auto &[name, number] : object.links)
      if (name.size() > most)
        return Status(StatusCode::InvalidArgument,
                      "the name '" + name.substr(0, 40) + "...' has " +
                          std::to_string(name.size()) +
                          " bytes, but names in an HDF5 file have at most " +
                          std::to_string(most) +
                          ": write .npz or .safetensors");
    if (object.links.size() > most)
      return Status(StatusCode::Unimplemented,
                    "a group has " + std::to_string(object.links.size()) +
                        " members, but groups in an HDF5 file have at most " +
                        std::to_string(most) + ": write .npz or .safetensors");
    object.address = end;
    end += header(object).size();
  }
  for (H5Object &object : objects)
    if (object.item) {
      object.data = end;
      end += sizeOf(*object.item);
    }
  std::string text("\x89HDF\r\n\x1a\n", 8);
  text.append(5, '\0'); // version numbers, all 0
  text += "\x08\x08";   // offsets and lengths have 8 bytes
  text.append(1, '\0');
  put<uint16_t>(text, 4); // node sizes of B-trees, which are not used
  put<uint16_t>(text, 16);
  put<uint32_t>(text, 0);
  put<uint64_t>(text, 0); // base address
  put(text, undefined);
  put(text, end);
  put(text, undefined);
  // The superblock ends with the symbol table entry of the root group.
  put<uint64_t>(text, 0);
  put(text, objects[0].address);
  text.append(24, '\0');
  for (const H5Object &object : objects)
    text += header(object);
  return text;
}

} // namespace

Status ingot::writeH5(FileSystem &fileSystem, const std::string &path,
                      std::span<const std::string> groups,
                      std::span<const TensorToSave> items) {
  H5File h5;
  for (const std::string &group : groups)
    h5.addGroup(group);
  for (const TensorToSave &item : items)
    INGOT_RETURN_IF_ERROR(h5.add(item));
  INGOT_ASSIGN_OR_RETURN(std::string headers, h5.headers());
  return writeWhole(
      fileSystem, path, /*force=*/false, [&](WritableFile &file) -> Status {
        INGOT_RETURN_IF_ERROR(file.append(headers));
        for (const auto &object : h5.all())
          if (object.item) {
            INGOT_ASSIGN_OR_RETURN(TensorData tensor, object.item->load());
            INGOT_RETURN_IF_ERROR(file.append(tensor.bytes));
          }
        return Status::ok();
      });
}
