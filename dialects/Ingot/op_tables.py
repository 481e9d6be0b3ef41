# SPDX-License-Identifier: Apache-2.0
"""Writes tables of what ops are in TensorFlow from their definitions.

    op_tables.py OPS.json FOLDER

OPS.json is what `llvm-tblgen --dump-json` makes of all families. Written are

    TensorFlowOps.inc  a row (OneToOneOpTableRow) for each element of an op's `tensorFlowOps`
                       (IngotTensorFlow.td), in the order of an op's list
    Datasets.inc       a row (DatasetOpSpec) for each name of a dataset with `elements`
    DatasetNames.inc   TensorFlow's name of each dataset op
"""
import json
import sys


def quoted(text):
    return json.dumps(text)


class Definitions:
    def __init__(self, records):
        self.records = records

    def resolve(self, reference):
        return self.records[reference["def"]]

    def ops(self):
        """The dialect's ops, by name."""
        names = self.records["!instanceof"]["Ingot_Op"]
        return [self.records[name] for name in names]

    def num_inputs(self, op):
        """How many operands an op has; -1 where it takes any number."""
        operands = self.operands(op)
        if any("Variadic" in operand["!superclasses"] for operand in operands):
            return -1
        return len(operands)

    def operands(self, op):
        return [
            self.resolve(reference)
            for reference, _ in op["arguments"]["args"]
            if "TypeConstraint" in self.resolve(reference)["!superclasses"]
        ]

    def effect(self, op):
        """Effect (compiler/Import/Ops/OpTable.h) of a node that becomes this op."""
        if any(trait["def"] == "Pure" for trait in op["traits"]):
            return "Effect::Pure"
        effects = [
            effect["def"]
            for trait in map(self.resolve, op["traits"])
            if "MemoryEffects" in trait["!superclasses"]
            for effect in trait["effects"]
        ]
        return "Effect::Reads" if effects == ["MemRead"] else "Effect::Consumes"

    def attribute(self, reference):
        spec = self.resolve(reference)
        fields = [quoted(spec["name"])]
        if spec["kind"] != "Implied":
            fields.append(f"AttributeSpec::{spec['kind']}")
            fields.append(quoted(spec["ours"]))
            if spec["typeByDefault"]:
                fields.append(f"proto::{spec['typeByDefault']}")
        return "{" + ", ".join(fields) + "}"

    def rows(self, op):
        """OneToOneOpTableRow (compiler/Import/Ops/OneToOneOpSpec.h) for each of TensorFlow's ops."""
        ours = quoted("ingot." + op["opName"])
        effect = self.effect(op)
        for reference in op["tensorFlowOps"]:
            theirs = self.resolve(reference)
            inputs = theirs["inputs"] if theirs["inputs"] != -1 else self.num_inputs(op)
            attributes = ", ".join(map(self.attribute, theirs["attributes"]))
            outputs = ", ".join(map(quoted, theirs["outputs"]))
            yield (
                f"{{{{{quoted(theirs['name'])}, {inputs}, {ours}, {{{attributes}}}}}, "
                f"{effect}, {{{outputs}}}}},"
            )

    def datasets(self):
        return [op for op in self.ops() if "Ingot_SomeDatasetOp" in op["!superclasses"]]

    def flags(self, op):
        """The names of an op's boolean attributes."""
        for reference, name in op["arguments"]["args"]:
            attribute = self.resolve(reference).get("baseAttr") or reference
            if attribute["def"] == "BoolAttr":
                yield name

    def dataset_rows(self, op):
        """DatasetOpSpec (compiler/Import/Input/DatasetOpSpec.h) for each of its names."""
        if not op["elements"]:
            return
        ours = quoted("ingot." + op["opName"])
        inputs = sum(operand["!name"] == "Ingot_Dataset" for operand in self.operands(op))
        flags = ", ".join(map(quoted, self.flags(op)))
        for name in [op["tensorFlowName"], *op["otherNames"]]:
            yield (
                f"{{{{{quoted(name)}, {self.num_inputs(op)}, {ours}, {{}}}}, "
                f"DatasetOpSpec::{op['elements']}, {inputs}, {{{flags}}}}},"
            )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        definitions = Definitions(json.load(file))

    def write(name, ops, rows):
        with open(f"{sys.argv[2]}/{name}", "w", encoding="utf-8") as file:
            file.writelines(row + "\n" for op in ops for row in rows(op))

    datasets = definitions.datasets()
    write("TensorFlowOps.inc", definitions.ops(), definitions.rows)
    write("Datasets.inc", datasets, definitions.dataset_rows)
    write(
        "DatasetNames.inc",
        datasets,
        lambda op: [f"{{{quoted('ingot.' + op['opName'])}, {quoted(op['tensorFlowName'])}}},"],
    )


main()
