# SPDX-License-Identifier: Apache-2.0
"""The derivatives that are computed of a suite's cases, by TensorFlow and by Ingot.

A case's float fetches are weighted, summed, and differentiated by its float feeds. The weights are a function of an
element's index, so that nothing has to store them.
"""
import pathlib
import re

DERIVATIVES = pathlib.Path(__file__).resolve().parent / "derivatives"

# Larger cases take too long to be run several times.
MAX_ELEMENTS = 1500


def weights(count):
    """`count` weights: non-zero multiples of 1/4, with the period 11, which no shape has."""
    return [((i * 7 + 3) % 11 - 5 or 6) / 4 for i in range(count)]


ENTRY = re.compile(r'^(\s*ingot\.entry @(?:"(?P<quoted>[^"]*)"|(?P<plain>[\w.$-]+)) .*)feeds \[(?P<feeds>.*?)\] fetches \[(?P<fetches>.*?)\](?P<rest>.*)$')
RETURN = re.compile(r"^(\s*)ingot\.return (.*) : (.*?)( loc\(.*\))?$")
FLOAT = re.compile(r"tensor<(?:[\dx?*]+x)?f(?:32|64)>$")


def isFloat(kind):
    return FLOAT.match(kind) is not None


def differentiated(text, wanted):
    """The program, whose entries also return derivatives by the feeds that `wanted` names for each.

    Each fetch of floats gets a feed `weight/NAME`; the derivative by a feed is the fetch `by/NAME`."""
    lines, entry = [], None
    for line in text.splitlines():
        if found := ENTRY.match(line):
            name = found["quoted"] or found["plain"]
            feeds, fetches = (re.findall(r'"([^"]*)"', found[part]) for part in ("feeds", "fetches"))
            entry = {"name": name, "at": len(lines), "found": found, "feeds": feeds, "fetches": fetches, "arguments": []}
        elif entry and line.strip().startswith("^bb0("):
            entry["block"] = len(lines)
            entry["arguments"] = re.findall(r"(%\w+): ([^,]*?)(?:, |\):)", line.strip().replace(" loc(unknown)", ""))
        elif entry and (found := RETURN.match(line)):
            lines.extend(derivativesOf(entry, found, wanted[entry["name"]], lines))
            entry = None
            continue
        lines.append(line)
    return "\n".join(lines) + "\n"


def derivativesOf(entry, found, inputs, lines):
    """The end of an entry, whose head is written anew."""
    values, types = found[2].split(", "), found[3].split(", ")
    outputs = [(value, kind, name) for value, kind, name in zip(values, types, entry["fetches"]) if isFloat(kind)]
    arguments = dict(zip(entry["feeds"], entry["arguments"]))
    chosen = [arguments[name] for name in inputs]
    weighted = [(f"%weight{i}", kind) for i, (_, kind, _) in enumerate(outputs)]
    feeds = entry["feeds"] + ["weight/" + name for _, _, name in outputs]
    fetches = entry["fetches"] + ["by/" + name for name in inputs]
    quote = lambda names: ", ".join(f'"{name}"' for name in names)
    head = entry["found"]
    lines[entry["at"]] = f"{head[1]}feeds [{quote(feeds)}] fetches [{quote(fetches)}]{head['rest']}"
    lines[entry["block"]] = "  ^bb0(" + ", ".join(f"{v}: {t}" for v, t in entry["arguments"] + weighted) + "):"
    kinds = [kind for _, kind, _ in outputs] * 2 + [kind for _, kind in chosen]
    results = [f"%by{i}" for i in range(len(inputs))]
    yield (
        f"    {', '.join(results)} = ingot.gradients of({', '.join(value for value, _, _ in outputs)})"
        f" weights({', '.join(value for value, _ in weighted)}) by({', '.join(value for value, _ in chosen)})"
        f" : ({', '.join(kinds)}) -> ({', '.join(kind for _, kind in chosen)})"
    )
    yield f"    ingot.return {', '.join(values + results)} : {', '.join(types + [kind for _, kind in chosen])}"


def entriesOf(text):
    """Of a program's entries the name, and the feeds and fetches, each with its static shape."""
    shapeOf = lambda kind: tuple(int(size) for size in kind[len("tensor<") :].split("x")[:-1])
    for head, block, body in re.findall(r"ingot\.entry @(.*)\n *\^bb0\((.*)\):\n((?:.*\n)*?) *ingot\.return ", text):
        feeds, fetches = (re.findall(r'"([^"]*)"', part) for part in re.search(r"feeds \[(.*?)\] fetches \[(.*?)\]", head).groups())
        end = text[text.index(body) + len(body) :].split("\n", 1)[0]
        kinds = [re.findall(r"tensor<[^>]*>", part) for part in (block, end)]
        yield (head.split()[0], *(list(zip(names, map(shapeOf, k))) for names, k in zip((feeds, fetches), kinds)))
