"""Writes the importer's and the exporter's table of ops from the ops' definitions.

    op_tables.py OPS.json TensorFlowOps.inc

OPS.json is what `llvm-tblgen --dump-json` makes of all families. One row for each element of an
op's `tensorFlowOps` (IngotTensorFlow.td), in the order of an op's list.
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
        count = 0
        for reference, _ in op["arguments"]["args"]:
            classes = self.resolve(reference)["!superclasses"]
            if "Variadic" in classes or "Optional" in classes:
                return -1
            count += "TypeConstraint" in classes
        return count

    def is_pure(self, op):
        return any(trait["def"] == "Pure" for trait in op["traits"])

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
        """OpRow (compiler/Import/ComputeSpec.h) for each of TensorFlow's ops."""
        ours = quoted("ingot." + op["opName"])
        effect = "Effect::Pure" if self.is_pure(op) else "Effect::Consumes"
        for reference in op["tensorFlowOps"]:
            theirs = self.resolve(reference)
            inputs = theirs["inputs"] if theirs["inputs"] >= 0 else self.num_inputs(op)
            attributes = ", ".join(map(self.attribute, theirs["attributes"]))
            outputs = ", ".join(map(quoted, theirs["outputs"]))
            yield (
                f"{{{{{quoted(theirs['name'])}, {inputs}, {ours}, {{{attributes}}}}}, "
                f"{effect}, {{{outputs}}}}},"
            )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        definitions = Definitions(json.load(file))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        for op in definitions.ops():
            for row in definitions.rows(op):
                file.write(row + "\n")


main()
