#!/usr/bin/env python3
"""What a machine can tell about the style of this repository, as a test.

    tests/style/check_style.py core       the pure core calls nothing that differs between two runs
    tests/style/check_style.py text       no unfinished work, no over-long file, links in the documents resolve
    tests/style/check_style.py names      no two types share a name in one namespace: the linker would pick one of them in silence
    tests/style/check_style.py headers    every header compiles on its own
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE_LINES_MAX = 600

# The parts whose results must be equal on every machine: fold, the turn, and what they read.
CORE = ["events/*.h", "events/*.cpp", "workers/*.h", "workers/*.cpp", "storage/artefact/tokeniser.*", "storage/artefact/artefact.h"]
# JSON documents are for people: a confidence is printed as 0.875 there, and nothing is decided by it.
NOT_CORE = re.compile(r"(_test|_bench|_fixture)\.(cpp|h)$|events/documents\.cpp$|/fuzz/")
BANNED_IN_CORE = {
    r"\b(float|double)\b": "floating point",
    r"\bstd::unordered_": "unordered containers",
    r"\bstd::chrono\b|\bclock_gettime\b|\bgettimeofday\b|\btime\(nullptr\)": "a clock",
    r"\bstd::(thread|jthread|async|mutex|shared_mutex|atomic)\b|\bthread_local\b": "threads",
    r"\bstd::(random_device|mt19937|rand)\b|\brand\(\)": "randomness",
    r"\bstd::(ifstream|ofstream|fstream|filesystem|cout|cerr)\b|\bfopen\(|\bgetenv\(": "input or output",
}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|not implemented|unimplemented)\b")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
                            cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    return [p for p in listed if p and (ROOT / p).is_file()]


def without_comments(source):
    source = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), source, flags=re.S)
    source = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', source)
    return re.sub(r"//[^\n]*", "", source)


def check_core():
    for path in sorted({str(p.relative_to(ROOT)) for pattern in CORE for p in ROOT.glob(pattern)}):
        if NOT_CORE.search(path):
            continue
        for number, line in enumerate(without_comments((ROOT / path).read_text()).split("\n"), 1):
            for banned, what in BANNED_IN_CORE.items():
                if re.search(banned, line):
                    yield f"{path}:{number}: the pure core uses {what}: {line.strip()}"


def check_text():
    for path in tracked("*.cpp", "*.h", "*.py", "*.cmake", "tools/*", "*.md", "*.toml"):
        if path == "tests/style/check_style.py":
            continue
        text = (ROOT / path).read_text(errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if UNFINISHED.search(line):
                yield f"{path}:{number}: unfinished by its own words: {line.strip()}"
            if line.endswith((" ", "\t")) and not path.endswith(".md"):
                yield f"{path}:{number}: white space at the end of the line"
        if path.endswith((".cpp", ".h")) and text.count("\n") > FILE_LINES_MAX:
            yield f"{path}: {text.count(chr(10))} lines, at most {FILE_LINES_MAX}: it is two files"
        if path.endswith(".h") and "#pragma once" not in text:
            yield f"{path}: no #pragma once"
        if path.endswith(".md"):
            yield from check_links(path, text)
    yield from check_named_tests()


def check_named_tests():
    """The documents name tests, docs/field-faults.md also mistakes; each must stand in the sources. A name that ends in … is the beginning of some."""
    sources = "".join((ROOT / path).read_text(errors="replace") for path in tracked("*_test.cpp"))
    known = {f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", sources, flags=re.M)}
    known |= set(re.findall(r"add_test\(NAME (\S+)", (ROOT / "tests/simulation/CMakeLists.txt").read_text()))
    known |= set(re.findall(r"^mistake\((\w+)", (ROOT / "tests/simulation/mistakes.cmake").read_text(), flags=re.M))
    for path in tracked("*.md"):
        names = r"`(\w+\.\w+|[a-z]+(?:_[a-z]+)+)`" if path == "docs/field-faults.md" else r"`([A-Z][a-z]\w*\.[A-Z]\w+…?)`"
        for name in re.findall(names, (ROOT / path).read_text()):
            if name not in known and not (name.endswith("…") and any(test.startswith(name[:-1]) for test in known)):
                yield f"{path}: there is no test or mistake {name}"


def check_links(path, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            continue
        if not (ROOT / path).parent.joinpath(target.split("#")[0]).exists():
            yield f"{path}: the link {target} leads nowhere"


NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{")
TYPE = re.compile(r"(?:template <[^\n]*> )?(?:struct|class|union|enum(?: class| struct)?) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: :[^:;][^;]*)? ?\{")


def types_with_linkage(source):
    """The types defined straight in a named namespace; unnamed namespaces and types within functions and classes have no such trouble."""
    open_braces = []  # The namespace's name, "" for an unnamed one, None for any other brace.
    position = 0
    for brace in re.finditer(r"[{}]", source):
        head = source[position:brace.start() + 1].split(";")[-1].strip()
        position = brace.end()
        if brace.group() == "}":
            if open_braces:
                open_braces.pop()
            continue
        space = NAMESPACE.search(head)
        kind = TYPE.search(head)
        if kind and not space and open_braces and all(open_braces):
            yield "::".join(open_braces) + "::" + kind.group(1), source.count("\n", 0, brace.start()) + 1
        open_braces.append((space.group(1) or "") if space else None)


def check_names():
    first = {}
    for path in sorted(tracked("*.cpp", "*.h")):
        for name, line in types_with_linkage(without_comments((ROOT / path).read_text(errors="replace"))):
            if name in first:
                yield f"{path}:{line}: {name} is also defined in {first[name]}"
            first.setdefault(name, f"{path}:{line}")
    if not first:
        yield "no type was found, so nothing was compared"


def compiles_alone(header):
    done = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-I.", "-include", header, "-x", "c++", "/dev/null"],
                          cwd=ROOT, stderr=subprocess.PIPE, text=True)
    return None if done.returncode == 0 else f"{header}: does not compile alone:\n{done.stderr[:600]}"


def check_headers():
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(compiles_alone, tracked("*.h")))


def main():
    checks = {"core": check_core, "text": check_text, "names": check_names, "headers": check_headers}
    if len(sys.argv) != 2 or sys.argv[1] not in checks:
        print(__doc__)
        return 2
    found = list(checks[sys.argv[1]]())
    print("\n".join(found) if found else f"{sys.argv[1]}: nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
