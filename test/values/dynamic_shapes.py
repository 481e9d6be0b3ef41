# SPDX-License-Identifier: Apache-2.0
"""A graph whose placeholders have dimensions that only their feeds decide.

Works on the bytes of a MetaGraphDef, so that it needs no protocol buffers: all
but the sizes in the placeholders' attribute `shape` stays as it is. Placeholders
named `fixed...` keep theirs.
"""


def readVarint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def rewrite(message, rules):
    """The message with some of its fields, by number, put through a function."""
    out, at = bytearray(), 0
    while at < len(message):
        start = at
        tag, at = readVarint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == 2:
            size, at = readVarint(message, at)
            content, at = message[at : at + size], at + size
            if number in rules:
                content = rules[number](content)
                out += varint(tag) + varint(len(content)) + content
                continue
        elif kind == 0:
            _, at = readVarint(message, at)
        else:
            at += {1: 8, 5: 4}[kind]
        out += message[start:at]
    return bytes(out)


UNKNOWN = varint(1 << 3) + varint((1 << 64) - 1)  # size: -1


def dynamicShape(shape, keepsLast):
    dims = []
    rewrite(shape, {2: lambda dim: dims.append(dim) or dim})
    left = iter(range(len(dims), 0, -1))
    return rewrite(shape, {2: lambda dim: dim if next(left) == 1 and keepsLast else UNKNOWN})


def dynamicAttribute(entry, keepsLast):
    if not entry.startswith(b"\x0a\x05shape"):  # an entry of a map: key, value
        return entry
    return rewrite(entry, {2: lambda value: rewrite(value, {7: lambda shape: dynamicShape(shape, keepsLast)})})


def dynamicNode(node, keepsLast, only):
    placeholder = b"\x12\x0bPlaceholder"
    isDynamic = (only.encode() if only else b"") + placeholder in node and b"/fixed" not in node
    return rewrite(node, {5: lambda entry: dynamicAttribute(entry, keepsLast)}) if isDynamic else node


def withDynamicShapes(meta, keepsLast=False, only=""):
    """The bytes of a MetaGraphDef whose placeholders have dynamic sizes: all, or those whose names end in `only`; where it
    `keepsLast`, but for their last dimensions."""
    return rewrite(meta, {2: lambda graph: rewrite(graph, {1: lambda node: dynamicNode(node, keepsLast, only)})})
