#!/usr/bin/env python3
"""How many lines of the decoders the kept corpora reach, by clang's own counters and without mutating anything.

    corpus_coverage.py SOURCE_DIR WORK_DIR

Prints a line a decoder with what is not reached, and ends with 1 when less than 90 % of a decoder's lines are. Needs clang and llvm.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

# Target, its corpus, and the functions that take bytes apart, by file.
DECODERS = [
    ("decode_fuzz", "events/fuzz/corpus/decode", {"events/codec.cpp": "decode|alternative_of", "events/msgpack_fields.h": "FieldReader|decode"}),
    ("frame_fuzz", "engine/bus/fuzz/corpus", {"engine/bus/codec.cpp": "decode|check|body_of"}),
    ("request_fuzz", "engine/gateway/fuzz/corpus", {"engine/gateway/request_body.cpp": ".", "engine/gateway/target.cpp": "."}),
    ("script_fuzz", "tools/chat/fuzz/corpus", {"tools/chat/script_line.cpp": "."}),
]
LEAST = 0.9


def tool(name):
    return shutil.which(name) or shutil.which(name + "-14") or sys.exit(f"{name} is not installed; it comes with Debian's package llvm")


def build(source, work):
    targets = [target for target, _, _ in DECODERS]
    subprocess.run(["cmake", "-S", source, "-B", work / "build", "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                    "-DTURNSTONE_FUZZERS=ON", "-DCMAKE_CXX_FLAGS=-fprofile-instr-generate -fcoverage-mapping"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", work / "build", "--parallel", "2", "--target", *targets], check=True, stdout=subprocess.DEVNULL)


def functions_run(source, work, target, corpus):
    program, raw, profile = work / "build" / target, work / f"{target}.profraw", work / f"{target}.profdata"
    subprocess.run([program, "-runs=0", source / corpus], check=True, env={"LLVM_PROFILE_FILE": str(raw)}, stderr=subprocess.DEVNULL)
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", raw, "-o", profile], check=True)
    exported = subprocess.run([tool("llvm-cov"), "export", program, f"-instr-profile={profile}"], check=True, capture_output=True, text=True).stdout
    functions = json.loads(exported)["data"][0]["functions"]
    names = "\n".join(function["name"].rsplit(":", 1)[-1] for function in functions)
    readable = subprocess.run(["c++filt"], input=names, check=True, capture_output=True, text=True).stdout.splitlines()
    return zip(readable, functions)


def lines_of(function):
    """Line -> how often it ran, as llvm-cov counts it: the most that a region does which begins on it, or goes on over its beginning."""
    regions = sorted((first, first_column, -last, -last_column, count)
                     for first, first_column, last, last_column, count, file, _, kind in function["regions"] if kind == 0 and file == 0)
    begin, over = {}, {}
    for first, _, last, _, count in regions:  # from the outside in
        begin[first] = max(count, begin.get(first, 0))
        over.update({line: count for line in range(first + 1, -last + 1)})
    return {line: max(begin.get(line, 0), over.get(line, 0)) for line in begin.keys() | over.keys()}


def main(source, work):
    work.mkdir(parents=True, exist_ok=True)
    build(source, work)
    low = False
    for target, corpus, files in DECODERS:
        ran = {file: {} for file in files}
        for name, function in functions_run(source, work, target, corpus):
            for file, wanted in files.items():
                if function["filenames"][0].endswith(file) and re.search(wanted, name.split("(")[0]):
                    for line, count in lines_of(function).items():  # of a template: whichever instance ran
                        ran[file][line] = max(count, ran[file].get(line, 0))
        for file, lines in ran.items():
            missed = sorted(line for line, count in lines.items() if count == 0)
            share = 1 - len(missed) / max(len(lines), 1)
            low |= share < LEAST or not lines
            print(f"{target}: {share:.1%} of {len(lines)} lines of the decoders in {file}" + (f"; not lines {missed}" if missed else ""))
    return int(low)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
