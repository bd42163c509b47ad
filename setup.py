# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Builds wheels: one for each platform, with the library inside and nothing of any one Python's binary interface."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

ROOT = os.path.dirname(os.path.abspath(__file__))


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as f:
        return re.search(r"project\(tact VERSION ([0-9.]+)", f.read()).group(1)


class Build(build_py):
    """Has CMake make the folder that is the package. CMAKE_ARGS of the environment are passed on."""

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ["-DCMAKE_BUILD_TYPE=Release", f"-DPython3_EXECUTABLE={sys.executable}", "-DTACT_PYTHON=ON",
                       *(f"-DTACT_{name}=OFF" for name in ("TOOL", "TESTS", "EXAMPLES", "MPI", "PEERS"))]
            if sys.platform.startswith("linux"):
                options.append("-DCMAKE_MODULE_LINKER_FLAGS=-s")  # what debuggers read is two thirds of the library
            if os.name == "nt":
                options.append("-DBUILD_SHARED_LIBS=ON")
            if shutil.which("ninja"):
                options.append("-GNinja")
            options += os.environ.get("CMAKE_ARGS", "").split()
            subprocess.run(["cmake", "-S", ROOT, "-B", folder, *options], check=True)
            jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
            subprocess.run(["cmake", "--build", folder, "--config", "Release", "--target", "tact_python", "-j", jobs],
                           check=True)
            made, target = os.path.join(folder, "python", "tact"), os.path.join(self.build_lib, "tact")
            self.mkpath(target)
            for name in sorted(os.listdir(made)):
                if name.endswith((".py", ".pyi", ".typed", ".so", ".dylib", ".dll")):
                    self.copy_file(os.path.join(made, name), target)


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


# What setuptools writes besides goes where builds go, and not among the sources.
os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
setup(version=version(), packages=["tact"], package_dir={"": "python"}, distclass=WithLibrary,
      options={"egg_info": {"egg_base": "build"}}, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
