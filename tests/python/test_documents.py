# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""What documents say in Python is true: sessions give what they show, programs and notebooks run."""
import contextlib
import doctest
import glob
import io
import json
import os
import re
import tempfile
import unittest

ROOT = os.environ["TACT_SOURCE"]


@contextlib.contextmanager
def elsewhere():
    """In a folder of its own, so that what documents write is gone."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def blocks(path, language):
    """The blocks of a document in a language, each with the number of its first line."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return [(text.count("\n", 0, match.start()) + 2, match.group(1))
            for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)]


class Documents(unittest.TestCase):
    def test_sessions(self):
        found = 0
        for path in [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
            names = {}
            for line, text in blocks(path, "pycon"):
                test = doctest.DocTestParser().get_doctest(text, names, path, path, line)
                out = io.StringIO()
                runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
                with elsewhere():
                    runner.run(test, out=out.write, clear_globs=False)
                names = test.globs
                self.assertEqual(runner.failures, 0, out.getvalue())
                found += len(test.examples)
        self.assertGreaterEqual(found, 10)

    def test_programs(self):
        path = os.path.join(ROOT, "docs", "python.md")
        names, programs = {}, blocks(path, "python")
        with elsewhere():
            for line, text in programs:
                exec(compile("\n" * (line - 1) + text, path, "exec"), names)
        self.assertGreaterEqual(len(programs), 8)

    def test_notebooks(self):
        paths = sorted(glob.glob(os.path.join(ROOT, "python", "notebooks", "*.ipynb")))
        self.assertGreaterEqual(len(paths), 5)
        for path in paths:
            with self.subTest(path), open(path, encoding="utf-8") as f:
                notebook, names, pictures = json.load(f), {"__name__": "__main__"}, 0
                self.assertEqual(notebook["nbformat"], 4)
                with elsewhere(), contextlib.redirect_stdout(io.StringIO()) as printed:
                    for cell in notebook["cells"]:
                        if cell["cell_type"] != "code":
                            continue
                        printed.seek(0)
                        printed.truncate()
                        shown = run_cell("".join(cell["source"]), names, path)
                        wanted = {key for one in cell["outputs"] for key in one.get("data", {})}
                        self.assertFalse([one for one in cell["outputs"] if one["output_type"] == "error"])
                        # What it showed when it was written: a picture, printed text.
                        self.assertEqual("image/png" in wanted, hasattr(shown, "_repr_png_"))
                        self.assertEqual(any(one["output_type"] == "stream" for one in cell["outputs"]),
                                         bool(printed.getvalue()))
                        if hasattr(shown, "_repr_png_"):
                            pictures += shown._repr_png_()[:4] == b"\x89PNG"
                self.assertGreaterEqual(pictures, 1)


def run_cell(source, names, path):
    """Runs a cell, and returns what its last expression is."""
    import ast
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, path, "exec"), names)
    return eval(compile(ast.Expression(last.value), path, "eval"), names) if last else None


if __name__ == "__main__":
    unittest.main()
