#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes MetaGraphFields.inc: what the fields of a MetaGraphDef and of a
GraphDebugInfo are called, which a text form of them has to say.

    make_meta_graph_fields.py > MetaGraphFields.inc

Needs the TensorFlow whose messages are described.
"""
from google.protobuf.descriptor import FieldDescriptor as Field
from tensorflow.core.framework import graph_debug_info_pb2
from tensorflow.core.protobuf import meta_graph_pb2

KINDS = {
    Field.TYPE_MESSAGE: "Message", Field.TYPE_ENUM: "Enum", Field.TYPE_BOOL: "Bool",
    Field.TYPE_STRING: "Text", Field.TYPE_BYTES: "Text", Field.TYPE_FLOAT: "Float",
    Field.TYPE_DOUBLE: "Double", Field.TYPE_INT32: "Int", Field.TYPE_INT64: "Int",
    Field.TYPE_SINT64: "SInt", Field.TYPE_UINT32: "UInt", Field.TYPE_UINT64: "UInt", Field.TYPE_FIXED64: "Fixed64",
}  # fmt: skip


def name_of(descriptor):
    """The C++ name of a message or enum."""
    parts = [descriptor.name]
    while descriptor.containing_type:
        descriptor = descriptor.containing_type
        parts.insert(0, descriptor.name)
    return "_".join(parts)


messages, enums = {}, {}


def visit(message):
    """Takes over `message` and all that its fields are made of."""
    if name_of(message) in messages:
        return
    messages[name_of(message)] = message
    for field in message.fields:
        if field.message_type:
            visit(field.message_type)
        if field.enum_type:
            enums[name_of(field.enum_type)] = field.enum_type


visit(meta_graph_pb2.MetaGraphDef.DESCRIPTOR)
visit(graph_debug_info_pb2.GraphDebugInfo.DESCRIPTOR)
print("// Written by make_meta_graph_fields.py.")
for name in messages:
    print(f"MESSAGE({name})")
for name in enums:
    print(f"ENUM({name})")
for name, message in messages.items():
    for field in sorted(message.fields, key=lambda field: field.number):
        of = field.message_type or field.enum_type
        print(f"FIELD({name}, {field.number}, {field.name}, {KINDS[field.type]}, "
              f"{name_of(of) if of else 'None'})")  # fmt: skip
for name, enum in enums.items():
    for value in enum.values:
        print(f"VALUE({name}, {value.number}, {value.name})")
