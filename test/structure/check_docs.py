#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the documentation to its form, and to what the tree has.

    check_docs.py              checks every page
    check_docs.py --self-test  checks that each rule finds a fault

Pages are README.md, CONTRIBUTING.md, CHANGELOG.md, SECURITY.md and docs/**/*.md. The rules:

- A paragraph or list item has at most 90 words, a line at most 160 columns, a table cell at most 40 words (code and
  tables may be wider).
- What stands in backticks exists: a pass, pipeline or program (`ingot-...`), a flag (`--...`), a file of this tree
  (`runtime/Session/ExecuteLaunches.cpp`, `ExecuteLaunches.cpp`).
- The messages of docs/guide/troubleshoot.md, in the first column of its tables, are in the code, literally between `…`.
- Links lead to files of this tree, and anchors to their headings.
- A fenced block is run by a test or is an excerpt. Excerpts say so in the fence: ```console for commands and what they
  print, ```text for anything else, or `excerpt` after a language (```mlir excerpt). Any other block is run by the test
  that RUN names for the page, or is README's, whose marks `./dev readme` knows. In consoles and indented blocks,
  programs and flags exist, too.

Pages that programs write (GENERATED), and pages elsewhere in the tree, are only held to their links.
"""
import dataclasses
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS, COLUMNS, CELL_WORDS = 90, 160, 40
MESSAGES = "docs/guide/troubleshoot.md"
GENERATED = {"docs/estimators.md", "docs/keras.md", "docs/ops.md", "docs/performance.md", "docs/real-graphs.md", "docs/shares.md"}
# The test that runs a page's blocks, and the languages that it runs.
RUN = {
    "docs/guide/embed.md": ("test/e2e/embedding.py", {"sh", "c", "cpp", "cmake"}),
    "docs/guide/export.md": ("test/e2e/python_door.py", {"sh", "python"}),
    "docs/guide/from-jax.md": ("test/e2e/jax_door.py", {"sh", "python"}),
    "docs/guide/from-python.md": ("test/e2e/python_door.py", {"sh", "python"}),
    "docs/guide/from-pytorch.md": ("test/e2e/torch_door.py", {"sh", "python"}),
    "docs/guide/hooks.md": ("test/e2e/hooks.py", {"c"}),
    "docs/guide/profile.md": ("test/e2e/python_door.py", {"sh", "python"}),
}
EXCERPTS = {"console", "text"}
# Flags of other programs.
FOREIGN_FLAGS = {"--bind-to", "--build", "--decode", "--hostfile", "--install", "--mpi", "--prefix", "--section", "--test-dir", "--tool"}
SOURCES = {".cpp", ".h", ".c", ".td", ".def", ".inc", ".py", ".sh", ".proto", ".txt", ".cmake", ".mlir"}
PROGRAM = re.compile(r"(?<![\w./-])ingot-[a-z][a-z0-9-]*")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


@dataclasses.dataclass
class Block:
    """Consecutive lines of one kind: paragraph, item, heading, table, fence or indented."""

    kind: str
    line: int
    lines: list
    fence: str = ""
    mark: str = ""

    @property
    def text(self):
        return "\n".join(self.lines)


def blocks(text):
    """A page's blocks, in order."""
    found, fence, after_blank, mark = [], None, True, ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if fence:
            if bare == "```":
                fence = None
            else:
                found[-1].lines.append(line)
            continue
        last = found[-1] if found and not after_blank else None
        if bare.startswith("```"):
            fence = Block("fence", number, [], bare[3:].strip(), mark)
            found.append(fence)
        elif bare.startswith("|"):
            if last and last.kind == "table":
                last.lines.append(line)
            else:
                found.append(Block("table", number, [line]))
        elif bare.startswith("#"):
            found.append(Block("heading", number, [line]))
        elif re.match(r"([-*]|\d+\.) ", bare):
            found.append(Block("item", number, [line]))
        elif bare and line.startswith("    ") and (not last or last.kind == "indented") and not inside_item(found, line):
            if last:
                last.lines.append(line)
            else:
                found.append(Block("indented", number, [line]))
        elif bare and last and last.kind in ("paragraph", "item"):
            last.lines.append(line)
        elif bare:
            found.append(Block("paragraph", number, [line]))
        after_blank = not bare
        if bare:
            mark = bare if bare.startswith("<!-- ") else ""
    return found


def inside_item(found, line):
    """Whether an indented line after a blank one goes on with an item that is nested as deep."""
    return bool(found) and found[-1].kind == "item" and len(line) - len(line.lstrip()) == re.match(r" *([-*]|\d+\.) +", found[-1].lines[0]).end()


def count_words(text):
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def spans(text):
    """What stands in backticks, of prose and tables."""
    return [span.strip() for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]


def slug(heading):
    """The anchor of a heading, as GitHub makes it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.lstrip("#").strip()).lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


@functools.lru_cache(None)
def anchors(path):
    found, text = {}, path.read_text(encoding="utf-8")
    for block in blocks(text):
        if block.kind == "heading":
            name = slug(block.text)
            found[name] = found.get(name, -1) + 1
    made = {f"{name}-{n}" if n else name for name, last in found.items() for n in range(last + 1)}
    return made | set(re.findall(r'<a id="([^"]+)">', text))


class Tree:
    """What pages may name."""

    def __init__(self, root):
        self.root = root
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, check=False, text=True)  # fmt: skip
        # Without git, all files but a build's.
        walked = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        names = [name for name in walked if not name.startswith("build")] if listed.returncode else listed.stdout.split("\0")
        self.files = [name for name in names if name and (root / name).exists()]
        self.folders = {str(parent) for name in self.files for parent in pathlib.PurePosixPath(name).parents}
        self.names = {pathlib.PurePosixPath(name).name for name in self.files}
        self.top = {name.split("/")[0] for name in self.files if "/" in name}
        self.flags, self.programs, self.literals = set(FOREIGN_FLAGS), set(), []
        for name in self.files:
            if name.startswith("docs/") or name.endswith("check_docs.py"):
                continue
            path = root / name
            if path.suffix in SOURCES or name in ("dev", ".ci/run"):
                self.learn(name, path)
        self.programs |= {f"ingot-{name.split('/')[1].removeprefix('ingot-')}" for name in self.files if name.startswith("tools/ingot-")}

    def learn(self, name, path):
        """Takes in the flags, passes, programs and messages of a source."""
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".cpp" and not name.startswith("test/"):
            self.literals.append(re.sub(r'"\s*\n\s*"', "", text))
        if path.suffix in (".cpp", ".h", ".inc", ".def", ".td"):
            if not name.startswith("test/"):  # Tests name flags that are none.
                self.flags.update(re.findall(r'"(--[a-z][a-z0-9-]*)[="]', text))
            for option in re.findall(r'(?:cl::(?:opt|list|bits)<[^;{]*?[\w)]\(\s*|clEnumVal\w*\([^"]*)"([\w-]+)"', text):
                self.flags.add(f"--{option}")
            for option in re.findall(r'ListOption<[^"]*"\w+", "([\w-]+)"|Option<"\w+", "([\w-]+)"', text):
                self.flags.update(f"--{one}" for one in option if one)
        elif name.startswith("test/") and path.suffix in (".mlir", ".txt"):
            pass
        elif path.suffix == ".py":
            self.flags.update(re.findall(r'add_argument\(\s*"(--[a-z][a-z0-9-]*)"', text))
        else:
            self.flags.update(re.findall(r"(?<![\w-])(--[a-z][a-z0-9-]*)", text))
        self.programs.update(re.findall(r'Pass<\s*"(ingot-[a-z0-9-]+)"', text))
        self.programs.update(re.findall(r'PassPipelineRegistration<>\(\s*"(ingot-[a-z0-9-]+)"', text))
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            self.names.update(re.findall(r"\b\w+\.inc\b", text))  # TableGen writes them.
            self.programs.update(re.findall(r"(?:add_executable|ingot_\w+)\(\s*(ingot-[a-z0-9-]+)", text))

    def says(self, message):
        """Whether some source has all parts of a message: `checksum is …, expected …`."""
        parts = [part.strip() for part in message.split("…") if len(part.strip()) > 2]
        return bool(parts) and any(all(part in text for part in parts) for text in self.literals)

    def has(self, name):
        """Whether a file or folder is there: `a/b.{h,cpp}`, `a/*.td`, `a/b.cpp:12`."""
        name = re.sub(r":\d+$", "", name).rstrip("/")
        braces = re.match(r"(.*)\{([^{}]*)\}(.*)", name)
        if braces:
            return all(self.has(braces[1] + one + braces[3]) for one in braces[2].split(","))
        if "*" in name:
            return any(pathlib.PurePosixPath(one).match(name) for one in self.files)
        # A pair of header and source goes by the name that both have.
        stem = any(one.startswith(name + ".") for one in self.files)
        return stem or name in self.folders or (self.root / name).exists()


def check_form(block, told):
    """Lengths of paragraphs, lines and cells."""
    if block.kind in ("paragraph", "item") and count_words(block.text) > WORDS:
        told(block.line, f"a paragraph of {count_words(block.text)} words; at most {WORDS}")
    if block.kind == "table":
        for offset, row in enumerate(block.lines):
            most = max(count_words(cell) for cell in re.split(r"(?<!\\)\|", row))
            if most > CELL_WORDS:
                told(block.line + offset, f"a table cell of {most} words; at most {CELL_WORDS}")
    elif block.kind not in ("fence", "indented"):
        for offset, line in enumerate(block.lines):
            if len(line) > COLUMNS:
                told(block.line + offset, f"{len(line)} columns; at most {COLUMNS}")


def check_commands(text, tree, line, told):
    """Programs and flags that a command or a span names."""
    for program in PROGRAM.findall(text):
        if program.rstrip("-") not in tree.programs:
            told(line, f"there is no pass or program '{program}'")
    for flag in FLAG.findall(text):
        if not flag.startswith("--ingot-") and flag.removesuffix("-") not in tree.flags and flag.replace("--no-", "--", 1) not in tree.flags:
            told(line, f"there is no flag '{flag}'")
        if flag.startswith("--ingot-") and flag[2:] not in tree.programs:
            told(line, f"there is no pass '{flag[2:]}'")


def check_file(span, tree, line, told):
    if re.search(r"\b[A-Z]{2,}\b(?!/)", span) and not tree.has(span):
        return  # Something is to be put in its place: `codegen/NAME`.
    if re.fullmatch(r"[\w./{},*:+-]+", span) and "/" in span and span.split("/")[0] in tree.top:
        if not tree.has(span):
            told(line, f"there is no '{span}' in this tree")
    elif re.fullmatch(r"ingot/\w+\.(h|hpp)", span) and not tree.has(f"include/{span}"):
        told(line, f"there is no '{span}' in include/")
    elif re.fullmatch(r"[A-Z]\w*[a-z]\w*\.(cpp|h|td|def|inc|proto)", span) and span not in tree.names:
        told(line, f"there is no file '{span}' in this tree")


def check_names(block, tree, told):
    """What stands in backticks, or in a block of commands, exists."""
    if block.kind == "fence":
        if block.fence == "console":
            for offset, line in enumerate(block.lines):
                check_commands(line.split("  #")[0], tree, block.line + 1 + offset, told)
        return
    if block.kind == "indented":
        for offset, line in enumerate(block.lines):
            check_commands(line, tree, block.line + offset, told)
        return
    for span in spans(block.text):
        span = " ".join(span.split())
        check_commands(span, tree, block.line, told)
        check_file(span, tree, block.line, told)


def check_messages(block, tree, told):
    """Messages in the first column of a table, which begins with a heading `message`."""
    if block.kind != "table" or not block.lines[0].startswith("| message "):
        return
    for offset, row in enumerate(block.lines[2:], 2):
        cell = re.match(r"\| `([^`]+)` \|", row)
        if not cell or not tree.says(cell[1]):
            told(block.line + offset, f"no source says {row.split('|')[1].strip()}")


def check_links(path, block, tree, told):
    text = re.sub(r"(?<!`)`[^`]+`(?!`)", "", block.text) if block.kind not in ("fence", "indented") else ""
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        aim = (path.parent / name).resolve() if name else path
        if not aim.exists():
            told(block.line, f"link to '{target}': there is no such file")
        elif not aim.is_relative_to(tree.root):
            told(block.line, f"link to '{target}' leaves the tree")
        elif anchor and aim.suffix == ".md" and anchor not in anchors(aim):
            told(block.line, f"link to '{target}': there is no such heading")


def check_fence(place, block, told):
    """A fenced block is run, or says that it is an excerpt."""
    language, *rest = block.fence.split() or [""]
    if language in EXCERPTS or rest == ["excerpt"]:
        return
    if place == "README.md" and re.match(r"<!-- readme: \w+ -->", block.mark):
        return
    script, languages = RUN.get(place, (None, set()))
    if language not in languages:
        told(block.line, f"a block of '{language}' that no test runs; ```console, ```text or ```LANGUAGE excerpt marks an excerpt")


def check_page(path, tree):
    """The faults of one page, as `PLACE:LINE: what`."""
    problems, place = [], path.relative_to(tree.root).as_posix()

    def told(line, what):
        problems.append(f"{place}:{line}: {what}")

    ours = re.fullmatch(r"(README|CONTRIBUTING|CHANGELOG|SECURITY)\.md|docs/.*\.md", place) and place not in GENERATED
    for block in blocks(path.read_text(encoding="utf-8")):
        check_links(path, block, tree, told)
        if ours:
            check_form(block, told)
            check_names(block, tree, told)
            if place == MESSAGES or tree.root != ROOT:
                check_messages(block, tree, told)
            if block.kind == "fence":
                check_fence(place, block, told)
    return problems


def check_runs(tree):
    """The tests of RUN name their pages, and the pages are there."""
    problems = []
    for place, (script, _) in RUN.items():
        if not (tree.root / place).exists():
            problems.append(f"{place}: RUN has it, and it is not there")
        elif pathlib.PurePosixPath(place).name not in (tree.root / script).read_text(encoding="utf-8"):
            problems.append(f"{place}: {script}, which runs its blocks, does not name it")
    return problems


BAD = {
    "a paragraph of 91 words": "word word word\n" * 30 + "word",
    "a paragraph of 92 words": "- item\n- " + "word\n  " * 92,
    "161 columns": "x" * 161,
    "a table cell of 41 words": "| a | b |\n|---|---|\n| " + "word " * 41 + "| x |",
    "no pass or program 'ingot-fuse-nothing'": "The pass `ingot-fuse-nothing` runs.",
    "no pass or program 'ingot-nothing'": "    ingot-nothing --help",
    "no pass 'ingot-never-was'": "`ingot-opt --ingot-never-was`",
    "no flag '--frobnicate'": "Say `--frobnicate 3`.",
    "no flag '--of-nothing'": "```console\n$ ingotc --of-nothing a.meta\n```",
    "no 'runtime/Nothing/No.cpp'": "See `runtime/Nothing/No.cpp`.",
    "no 'codegen/Nothing.{h,cpp}'": "See `codegen/Nothing.{h,cpp}`.",
    "no 'ingot/nothing.h'": "Include `ingot/nothing.h`.",
    "no file 'NoSuchFile.cpp'": "`NoSuchFile.cpp` has it.",
    "no source says `the moon is …, expected …`": "| message | |\n|---|---|\n| `checksum is …, expected …` | |\n| `the moon is …, expected …` | |",
    "link to 'nowhere.md'": "[there](nowhere.md)",
    "link to 'bad.md#nothing'": "# Something\n\n[there](bad.md#nothing)",
    "a block of 'python' that no test runs": "```python\nprint(1)\n```",
    "a block of '' that no test runs": "```\n$ ls\n```",
    "docs/bad.md:2: a block of '' that no test runs": "<!-- readme: demo -->\n```\n$ ls\n```",
    "a block of 'mlir' that no test runs": "```mlir exerpt\nfunc.func\n```",
}
GOOD = """# A page

A paragraph with `ingotc --check`, `--model-dir`, `ingot-opt`, `ingot-adanet train`, `dev`, `runtime/ABI/`, `dialects/*/*.td` and
[a link](#a-page), [another](bad.md#twice-1) to `Device.h`.

## Twice

- an item

  its second paragraph

## Twice

    ./dev test   # an excerpt

```console
$ ingotc train.meta -o trainer  # --nothing-of-this
```

```mlir excerpt
func.func @f()
```
"""


def self_test(tree):
    """Each rule finds its fault, once, and a page without one has none."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder).resolve() / "docs" / "bad.md"
        path.parent.mkdir()
        tree.root = path.parents[1]
        tree.has = functools.partial(has_in, Tree.has, tree)
        for what, text in BAD.items():
            anchors.cache_clear()
            path.write_text(text + "\n", encoding="utf-8")
            found = check_page(path, tree)
            assert len(found) == 1 and what in found[0], f"{what}: {found}"
        anchors.cache_clear()
        path.write_text(GOOD, encoding="utf-8")
        assert not check_page(path, tree), check_page(path, tree)
    tree.root = ROOT
    assert not check_runs(tree)
    for place, script in (("docs/nowhere.md", "test/e2e/hooks.py"), ("docs/ops.md", "test/e2e/hooks.py")):
        RUN[place] = (script, {"c"})
        assert len(check_runs(tree)) == 1, check_runs(tree)
        del RUN[place]
    print(f"{len(BAD) + 2} faults found")
    return 0


def has_in(has, tree, name):
    """`has` in the real tree, while pages lie elsewhere."""
    root, tree.root = tree.root, ROOT
    try:
        return has(tree, name)
    finally:
        tree.root = root


def main():
    tree = Tree(ROOT)
    # A pattern that no longer finds anything would find no fault either.
    assert len(tree.flags) > 200 and len(tree.programs) > 80, (len(tree.flags), len(tree.programs))
    if sys.argv[1:] == ["--self-test"]:
        return self_test(tree)
    pages = [ROOT / name for name in tree.files if name.endswith(".md")]
    problems = [problem for page in pages for problem in check_page(page, tree)] + check_runs(tree)
    print("\n".join(problems))
    print(f"{len(pages)} pages, {len(problems)} faults")
    return 1 if problems or len(pages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
