# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""The package is whole: what it leaves out of the C interface is listed here, all of it has comments and types."""
import ast
import glob
import inspect
import json
import os
import re
import subprocess
import sys
import unittest

import tact

FOLDER = os.path.dirname(tact.__file__)
# Headers of which functions are reached by tact.lib alone, and why.
LEFT_OUT = {"geometry": "one shape at a time: NumPy", "debug_draw": "vertices for renderers: tact.show()",
            "pick_target": "renderers with OpenGL", "ranks": "several processes: tact_mpi",
            "ranks_queries": "several processes", "particle_ranks": "several processes",
            "pinned": "buffers of devices: there are none in Python",
            "ticket": "calls release the GIL, so a thread does as well"}
# Single functions, by what has their place.
ELSEWHERE = """
tact_backend_name tact_candidate_fate_name tact_pairs_method_name: names of enumerations
tact_context_error: tact_last_error
tact_abi_version: when the package is imported
tact_raycast tact_scene_move_instance: raycast_with, move_instances
tact_pick_window tact_pick_refine: renderers
tact_image_slots: pictures of cells
tact_volumes_bind tact_scene_update_mesh_device tact_particles_add_device tact_particles_set_forces_device: buffers
tact_particles_device_buffers tact_particles_read_device: buffers of devices
"""


class Complete(unittest.TestCase):
    def test_functions(self):
        source = ""
        for path in glob.glob(os.path.join(FOLDER, "*.py")):
            if not path.endswith("_binding.py"):
                with open(path, encoding="utf-8") as f:
                    source += f.read()
        used = set(re.findall(r"\blib\.(tact_\w+)", source))
        with open(os.environ["TACT_API"], encoding="utf-8") as f:
            functions = {entry["name"]: entry["header"] for entry in json.load(f)["functions"]}
        self.assertGreater(len(functions), 400)
        self.assertEqual(used - set(functions), set())
        elsewhere = set(re.findall(r"tact_\w+(?=[^:]*:)", ELSEWHERE)) - {"tact_last_error"}
        missing = sorted(name for name in set(functions) - used - elsewhere
                         if not set(re.split(r"[/.]", functions[name])) & set(LEFT_OUT))
        self.assertEqual(missing, [])
        self.assertEqual(sorted(elsewhere - set(functions)), [])
        self.assertEqual(sorted(elsewhere & used), [])

    def test_comments(self):
        without = []
        for name in tact.__all__:
            one = getattr(tact, name)
            if name in ("lib", "ffi"):
                continue
            if inspect.isfunction(one) or inspect.ismodule(one):
                without += [name] * (not one.__doc__)
            elif inspect.isclass(one):
                without += [name] * (not one.__doc__)
                without += [f"{name}.{key}" for key, value in vars(one).items() if not key.startswith("_") and
                            (inspect.isfunction(value) or isinstance(value, (property, classmethod, staticmethod))) and
                            not inspect.getdoc(getattr(one, key))]
        self.assertEqual(without, [])

    def test_no_name_is_lost(self):
        # `def` of one name twice in a class hides the first.
        for path in glob.glob(os.path.join(FOLDER, "*.py")):
            with open(path, encoding="utf-8") as f:
                tree = ast.parse(f.read())
            for scope in [tree] + [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]:
                names = [node.name for node in scope.body if isinstance(node, ast.FunctionDef) and not any(
                    isinstance(one, ast.Attribute) for one in node.decorator_list)]
                self.assertEqual(len(names), len(set(names)), path)

    def test_types(self):
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("mypy is not installed")
        done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--no-incremental",
                               "--enable-incomplete-feature=Unpack", FOLDER], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", cwd=os.path.dirname(FOLDER))
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])

    def test_command(self):
        run = [sys.executable, "-m", "tact"]
        info = subprocess.run(run + ["info"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
        self.assertIn(f"tact {tact.version()}", info)
        self.assertRegex(info, "(?m)^cpu .*exact$")
        for wrong in ([], ["nonsense"], ["info", "more"]):
            done = subprocess.run(run + wrong, stderr=subprocess.PIPE, encoding="utf-8")
            self.assertEqual((done.returncode, "usage" in done.stderr), (2, True))

    def test_verify(self):
        told = []
        rows = tact.verify(progress=told.append)
        self.assertEqual({row.same for row in rows if row.backend == "cpu"}, {True})
        self.assertNotIn(False, {row.same for row in rows})
        self.assertEqual(told[-1], 1)
        self.assertGreaterEqual(len({row.query for row in rows}), 14)

    def test_other_library(self):
        done = subprocess.run([sys.executable, "-c", "import tact"], stderr=subprocess.PIPE, encoding="utf-8",
                              env={**os.environ, "TACT_LIBRARY": "/nonexistent/libtact.so"})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("TACT_LIBRARY names another file", done.stderr)


if __name__ == "__main__":
    unittest.main()
