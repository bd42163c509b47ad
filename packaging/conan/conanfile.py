# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Conan 2's recipe of the checkout that it lies in: `conan create packaging/conan`."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class TactRecipe(ConanFile):
    name = "tact"
    license = "MIT"
    author = "The Tact authors"
    description = "Collision queries with one answer on every device: CPU, OpenGL, OpenCL"
    topics = ("collision-detection", "ray-casting", "opengl", "opencl", "picking", "particles")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    # gl wants glad 2 of Python's (pip install glad2) where the package is built; cl has its headers from Conan.
    options = {"shared": [True, False], "fPIC": [True, False], "gl": [True, False], "cl": [True, False],
               "threads": [True, False], "tool": [True, False]}
    # The tool's build finds libraries by name, and not what a static Assimp needs in turn.
    default_options = {"shared": False, "fPIC": True, "gl": True, "cl": True, "threads": True, "tool": False,
                       "assimp/*:shared": True}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(tact VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for folder in ("apps", "base", "cmake", "core", "cpu_ref", "docs", "examples", "gpu", "include", "kernels",
                       "LICENSES", "mpi", "shaders", "tools"):
            copy(self, f"{folder}/*", src=self._root, dst=self.export_sources_folder)
        for file in ("CMakeLists.txt", "LICENSE", "README.md"):
            copy(self, file, src=self._root, dst=self.export_sources_folder)

    def config_options(self):
        if self.settings.os == "Windows":
            self.options.rm_safe("fPIC")

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        # C alone.
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.cl:
            self.requires("opencl-headers/2023.12.14")
        if self.options.tool:
            self.requires("assimp/5.4.3")
            self.requires("cglm/0.9.1")
            self.requires("cjson/1.7.18")
            self.requires("glfw/3.4")
            self.requires("stb/cci.20240531")
            self.requires("xxhash/0.8.2")

    def validate(self):
        if self.options.tool and not self.dependencies["assimp"].options.shared:
            raise ConanInvalidConfiguration("tact/*:tool needs assimp/*:shared=True")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("gl", "cl", "threads", "tool"):
            toolchain.cache_variables[f"TACT_{option.upper()}"] = bool(self.options.get_safe(option))
        for name in ("EXAMPLES", "MPI", "PEERS", "PYTHON", "TESTS"):
            toolchain.cache_variables[f"TACT_{name}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        licenses = os.path.join(self.package_folder, "licenses")
        copy(self, "LICENSE", src=self.source_folder, dst=licenses)
        copy(self, "LicenseRef-SunPro.txt", src=os.path.join(self.source_folder, "LICENSES"), dst=licenses)
        # Conan writes its own of what package_info() says.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share", "doc"))

    def package_info(self):
        self.cpp_info.libs = ["tact"]
        self.cpp_info.set_property("cmake_file_name", "tact")
        self.cpp_info.set_property("cmake_target_name", "tact::tact")
        self.cpp_info.set_property("pkg_config_name", "tact")
        if self.options.shared:
            self.cpp_info.defines = ["TACT_SHARED"]
        elif self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "dl"] + (["pthread"] if self.options.threads else [])
        if self.options.tool:
            self.runenv_info.append_path("PATH", os.path.join(self.package_folder, "bin"))
