#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Writes a C program that prints the interface of the headers as JSON, for bindings (docs/integration.md).

usage: cmake/GenerateApi.py OUT.c HEADER...    such as include/tact/scene.h

Names, types and comments are read from the headers. Sizes, offsets and values are left to the compiler of the program.
What is not understood is an error with file and line.
"""
import json
import re
import sys
import types

C_WORDS = {"signed", "unsigned", "short", "int", "long", "char"}  # a type may have several of them
C_TYPES = {"void", "bool", "float", "double", "size_t"} | {f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)}
LINKAGE = {"TACT_API", "TACT_EXTERN_C"}  # macros that are no constants
TOKEN = re.compile(r"""
    (?P<note>///<[^\n]*(?:\n[ \t]*///[^\n]*)*|/\*\*<.*?\*/)     # a comment on what stands before it
  | (?P<doc>///[^\n]*(?:\n[ \t]*///[^\n]*)*)                    # a comment on what follows
  | (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:\\\n|(?!/[/*])[^\n])*)
  | (?P<code>\w+|[^\w\s])""", re.DOTALL | re.MULTILINE | re.VERBOSE)

PROGRAM = r"""/* Generated from the headers by cmake/GenerateApi.py; do not edit. */
#include <stdio.h>
@INCLUDES@
static void show_signed(long long x) { printf("%lld", x); }
static void show_unsigned(unsigned long long x) { printf("%llu", x); }
static void show_real(double x) { printf("%.17g", x); }
static void show_text(const char* x) { printf("\"%s\"", x); }
static void show_bytes(const void* x, size_t size)
{
    for (size_t i = 0; i < size; ++i) printf("%s%d", i == 0 ? "[" : ", ", ((const unsigned char*)x)[i]);
    printf("]");
}
#define SHOW(x) _Generic((x), int: show_signed, long: show_signed, long long: show_signed, float: show_real, \
    double: show_real, char*: show_text, const char*: show_text, default: show_unsigned)(x)
#define TYPE_OF(x) _Generic((x), int: "int", unsigned: "unsigned int", long: "long", unsigned long: "unsigned long", \
    long long: "long long", unsigned long long: "unsigned long long", float: "float", double: "double", char*: "char*")

int main(void)
{
@BODY@    return fflush(stdout) != 0 || ferror(stdout);
}
"""


def compiled(expression):
    """Stands for the expression's value, which the compiler knows."""
    return f"\1{expression}\1"


def plain(comment):
    """The text of a comment."""
    lines = [re.sub(r"^\s*(///<?|/\*\*<) ?|\s*\*/$", "", line).rstrip() for line in comment.split("\n")]
    return "\n".join(lines).strip()


class Reader:
    """Reads headers, each after those it includes. `api` is what they declare, `uses` which types that names."""

    def __init__(self, paths):
        self.paths = {re.sub(r".*include/", "", path.replace("\\", "/")): path for path in paths}
        groups = ("headers", "constants", "enums", "structs", "opaque", "callbacks", "aliases", "functions")
        self.api, self.uses, self.seen = {group: [] for group in groups}, [], set()
        for name in self.paths:
            self.read(name)
        known = {entry["name"] for group in groups[2:7] for entry in self.api[group]}
        for name, where in self.uses:
            if name not in known | C_TYPES and not set(name.split()) <= C_WORDS:
                sys.exit(f"{where}: unknown type '{name}'")

    def read(self, name):
        if name in self.paths and name not in self.seen:
            self.seen.add(name)
            Header(self, name, self.paths[name]).read()


class Header:
    def __init__(self, reader, name, path):
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.reader, self.name, self.path = reader, name, path
        self.tokens, self.about, self.conditions, self.at = [], {}, [], 0

    def fail(self, why, line=None):
        line = line or self.tokens[min(self.at, len(self.tokens) - 1)].line
        sys.exit(f"{self.path}:{line}: {why}, in\n    {self.text.splitlines()[line - 1].strip()}")

    # ---- tokens ----

    def tokenize(self):
        doc, line = "", 1
        for match in TOKEN.finditer(self.text):
            kind, text, here = match.lastgroup, match.group(), line
            line += text.count("\n")
            if kind == "doc":
                doc = plain(text)
                tag = re.match(r"@(file|def) (\S+)\s*", doc)
                if tag:
                    self.about[tag[1] if tag[1] == "file" else tag[2]] = doc[tag.end():]
                    doc = ""
            elif kind == "note" and self.tokens:
                self.tokens[-1].note = " ".join(plain(text).split())
            elif kind == "code" or (kind == "directive" and self.defines(text, here)):
                if None in self.conditions:
                    self.fail("declared under a condition", here)
                if False not in self.conditions:
                    self.tokens.append(types.SimpleNamespace(text=text, at=match.start(), line=here, doc=doc, note=""))
                doc = ""

    def defines(self, text, line):
        """Whether a directive defines a constant. A condition is true, false, or None: only the compiler knows."""
        word, rest = re.match(r"\s*#\s*(\w+)\s*(.*)", text, re.DOTALL).groups()
        if word in ("if", "ifdef", "ifndef"):
            holds = {"ifdef __cplusplus": False, "ifndef __cplusplus": True}
            self.conditions.append(holds.get(f"{word} {rest.strip()}"))
        elif word in ("else", "elif"):
            held = self.conditions[-1]
            self.conditions[-1] = not held if word == "else" and held is not None else None
        elif word == "endif":
            self.conditions.pop()
        elif word == "include":
            self.reader.read(rest.strip()[1:-1])
        elif word not in ("pragma", "define"):
            self.fail(f"unexpected #{word}", line)
        return word == "define" and re.match(r"\w+", rest)[0] not in LINKAGE

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=r".+"):
        text = self.peek()
        if not re.fullmatch(wanted, text):
            self.fail(f"unexpected '{text}'")
        self.at += 1
        return text

    def accept(self, text):
        found = self.peek() == text
        self.at += found
        return found

    def after_bracket(self, at):
        """The place after the bracket that closes the one at `at`."""
        depth = 0
        for i in range(at, len(self.tokens)):
            depth += (self.tokens[i].text in "([{") - (self.tokens[i].text in ")]}")
            if depth == 0:
                return i + 1
        self.fail("a bracket is not closed")

    def comment(self, first, notes):
        """The last comment after a token from `notes` to here, else that before the token `first`."""
        found = [token.note for token in self.tokens[notes:self.at] if token.note]
        return found[-1] if found else self.tokens[first].doc

    # ---- types: a name, {"pointer": type}, {"array": type, "count": n}, {"function": ...} or {"union": fields} ----

    def base(self):
        """(type, whether it is const) at the start of a declaration."""
        const, words = False, []
        while True:
            word = self.peek()
            if word == "const":
                const = True
            elif word in C_WORDS or (not words and re.fullmatch(r"[a-z]\w*", word)):
                words += [word] if word not in ("struct", "enum") else []
            else:
                break
            self.at += 1
        if not words:
            self.fail(f"'{word}' is no type")
        self.reader.uses.append((" ".join(words), f"{self.path}:{self.tokens[self.at - 1].line}"))
        return " ".join(words), const

    def declarator(self, kind, const, parameter=False):
        """(name, type) of what is declared to be of type `kind`."""
        name, inner, counts = "", 0, []
        while self.accept("*"):
            kind = {"pointer": kind, **({"const": True} if const else {})}
            const = self.accept("const")
        if self.peek() == "(" and self.peek(1) == "*":
            inner, self.at = self.at + 1, self.after_bracket(self.at)
        elif re.match(r"[A-Za-z_]", self.peek()):
            name = self.take()
        if self.peek() == "(":
            kind = {"function": {"result": kind, "parameters": self.parameters()}}
        while self.peek() == "[":
            end = self.after_bracket(self.at)
            counts.insert(0, " ".join(token.text for token in self.tokens[self.at + 1:end - 1]))
            self.at = end
        for i, count in enumerate(counts):
            length = {"count": compiled(count)} if count else {}
            if parameter and not inner and i == len(counts) - 1:
                kind = {"pointer": kind, **({"const": True} if const else {}), **length}
            elif length:
                kind = {"array": kind, **length}
            else:
                self.fail("an array without length")
        if inner:
            after, self.at = self.at, inner
            name, kind = self.declarator(kind, const)
            self.take(r"\)")
            self.at = after
        return name, kind

    def parameters(self):
        found = []
        self.take(r"\(")
        if self.peek() == "void" and self.peek(1) == ")":
            self.at += 1
        while not self.accept(")"):
            if found:
                self.take(",")
            name, kind = self.declarator(*self.base(), parameter=True)
            found.append({"name": name, "type": kind})
        return found

    def fields(self, owner, path=""):
        """The fields of the struct `owner`, or of its member at `path`."""
        found = []
        start = f" - offsetof({owner}, {path[:-1]})" if path else ""
        self.take("{")
        while not self.accept("}"):
            first = notes = self.at
            if self.peek() in ("union", "struct") and self.peek(1) == "{":
                shape, notes = self.take(), self.after_bracket(self.at)
                member = self.tokens[notes].text
                declared = [(member, {shape: self.fields(owner, f"{path}{member}.")})]
                self.take(r"[a-z]\w*")
            else:
                kind = self.base()
                declared = [self.declarator(*kind)]
                while self.accept(","):
                    declared.append(self.declarator(*kind))
            self.take(";")
            doc = self.comment(first, notes)
            for name, kind in declared:
                found.append({"name": name, "type": kind, "offset": compiled(f"offsetof({owner}, {path}{name}){start}"),
                              "size": compiled(f"sizeof((({owner}*)0)->{path}{name})"), "doc": doc})
        return found

    def enumerators(self):
        found = []
        self.take("{")
        while not self.accept("}"):
            first, name = self.at, self.take(r"[A-Z]\w*")
            while self.peek() not in (",", "}"):
                self.take()
            self.accept(",")
            found.append({"name": name, "value": compiled(name), "doc": self.comment(first, first)})
        return found

    # ---- declarations ----

    def add(self, group, name, doc, **more):
        if not name or any(entry["name"] == name for entry in self.reader.api[group]):
            self.fail(f"'{name}' is declared twice" if name else "no name")
        self.reader.api[group].append({"name": name, "header": self.name, **more, "doc": doc})

    def constant(self, token):
        name, arguments, value = re.match(r"\s*#\s*define\s+(\w+)(\(?)(.*)", token.text, re.DOTALL).groups()
        if arguments:
            self.fail("a macro with parameters", token.line)
        doc = token.note or token.doc or self.about.get(name, "")
        struct = re.match(r"\s*\(+(\w+)\)\s*\{", value)
        if struct:
            self.add("constants", name, doc, type=struct[1], bytes=compiled(f"&{name}"))
        elif value:
            self.add("constants", name, doc, type=compiled(f"TYPE_OF({name})"), value=compiled(name))

    def function(self, first):
        name, kind = self.declarator(*self.base())
        self.take(";")
        if "function" not in kind:
            self.fail("no function", self.tokens[first].line)
        doc, before = self.comment(first, first), self.tokens[first - 1]
        if not doc and before.line == self.tokens[first].line - 1 and self.reader.api["functions"]:
            doc = self.reader.api["functions"][-1]["doc"]  # one comment for functions that follow line by line
        text = self.text[self.tokens[first + 1].at:self.tokens[self.at - 1].at]
        self.add("functions", name, doc, **kind["function"], declaration=" ".join(text.split()))

    def typedef(self, doc):
        keyword, name, mark = self.peek(), self.peek(1), self.peek(2)
        if keyword == "enum" and mark == "{":
            self.at += 2
            self.add("enums", name, doc, size=compiled(f"sizeof({name})"), values=self.enumerators())
            self.take(name)
        elif keyword in ("struct", "union") and mark == "{":
            self.at += 2
            self.add("structs", name, doc, **({"union": True} if keyword == "union" else {}),
                     size=compiled(f"sizeof({name})"), alignment=compiled(f"_Alignof({name})"),
                     fields=self.fields(name))
            self.take(name)
        elif keyword == "struct" and mark == name:
            self.at += 3
            self.add("opaque", name, doc)
        else:
            name, kind = self.declarator(*self.base())
            self.add("callbacks" if '"function"' in json.dumps(kind) else "aliases", name, doc, type=kind)
        self.take(";")

    def read(self):
        self.tokenize()
        self.reader.api["headers"].append({"name": self.name, "doc": self.about.get("file", "")})
        while self.at < len(self.tokens):
            first, word = self.tokens[self.at], self.take(r"(?s).+")
            if word == "TACT_API":
                self.function(self.at - 1)
            elif word == "typedef":
                self.typedef(first.doc)
            elif word == "enum":
                for each in self.enumerators():
                    self.add("constants", each["name"], each["doc"] or first.doc, type="int", value=each["value"])
                self.take(";")
            elif word == "struct" and self.peek(1) == ";":
                self.at += 2  # named ahead of its own header
            elif word.lstrip().startswith("#"):
                self.constant(first)
            else:
                self.fail(f"unexpected '{word}'", first.line)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    reader = Reader(sys.argv[2:])
    basic = sorted({name for name, _ in reader.uses if name in C_TYPES | C_WORDS} - {"void"}) + ["void*"]
    parts = [f' "format": 1,\n "version": {json.dumps(compiled("TACT_VERSION_STRING"))}',
             f' "sizes": {json.dumps({name: compiled(f"sizeof({name})") for name in basic})}']
    for group, entries in reader.api.items():
        parts.append(f' "{group}": [\n  ' + ",\n  ".join(json.dumps(entry) for entry in entries) + "\n ]")
    body = ""
    for i, piece in enumerate(re.split(r'"\\u0001(.*?)\\u0001"', "{\n" + ",\n".join(parts) + "\n}\n")):
        if i % 2 == 0:
            for part in re.findall(r"(?s).{1,2000}", piece):  # compilers limit the length of a string
                body += "    fputs(%s, stdout);\n" % json.dumps(part).replace("?", "\\?")
        else:
            body += f"    show_bytes({piece}, sizeof {piece[1:]});\n" if piece[0] == "&" else f"    SHOW({piece});\n"
    includes = "".join(f"#include <{entry['name']}>\n" for entry in reader.api["headers"])
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write(PROGRAM.replace("@INCLUDES@", includes).replace("@BODY@", body))


if __name__ == "__main__":
    main()
