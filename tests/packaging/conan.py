#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Runs the recipe of packaging/conan and its test_package without Conan, which is not here: what the two import of it is
defined below, as https://docs.conan.io/2/reference.html describes it, for one machine, and calls CMake.

usage: conan.py SOURCE WORK VERSION COMPILER
"""
import fnmatch
import importlib.util
import os
import shutil
import subprocess
import sys
import types

SOURCE, WORK, VERSION, COMPILER = sys.argv[1:]
WORK = os.path.abspath(WORK)
GENERATED = {}  # a recipe's folder of generated files: the variables of its toolchain


class ConanInvalidConfiguration(Exception):
    pass


class Values:
    """Settings and options: names with values, some of which may be missing."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def rm_safe(self, name):
        target = self
        *path, last = name.split(".")
        for part in path:
            target = getattr(target, part)
        target.__dict__.pop(last, None)

    def get_safe(self, name, default=None):
        return self.__dict__.get(name, default)


class Word(str):
    """A setting that has settings of its own."""


class CppInfo:
    def __init__(self):
        self.libs, self.defines, self.system_libs, self.properties = [], [], [], {}

    def set_property(self, name, value):
        self.properties[name] = value


class Paths:
    def append_path(self, name, path):
        assert name == "PATH" and os.path.isdir(path), path


class ConanFile:
    def __init__(self, folder, **options):
        self.recipe_folder = folder
        self.options = Values(**options)
        self.settings = Values(os="Linux", arch="x86_64", build_type="Release", compiler=Word("gcc"))
        self.settings.compiler.rm_safe = lambda name: None
        self.requirements_made, self.cpp_info = [], CppInfo()
        self.buildenv_info = self.runenv_info = Paths()

    def requires(self, reference):
        self.requirements_made.append(reference)

    def run(self, command, env=None):
        assert env == "conanrun", "a program of the package runs in its environment"
        subprocess.run(command, shell=True, check=True)


def cmake_layout(conanfile):
    base = conanfile.work
    conanfile.source_folder = getattr(conanfile, "sources", conanfile.recipe_folder)
    conanfile.build_folder = os.path.join(base, "build")
    conanfile.generators_folder = os.path.join(base, "generators")
    conanfile.package_folder = os.path.join(base, "package")
    conanfile.cpp = types.SimpleNamespace(build=types.SimpleNamespace(bindir=conanfile.build_folder))


class CMakeToolchain:
    def __init__(self, conanfile):
        self.conanfile, self.cache_variables = conanfile, {}

    def generate(self):
        variables = {name: "ON" if value is True else "OFF" if value is False else value
                     for name, value in self.cache_variables.items()}
        shared = self.conanfile.options.get_safe("shared")
        if shared is not None:
            variables["BUILD_SHARED_LIBS"] = "ON" if shared else "OFF"
        GENERATED[self.conanfile.generators_folder] = variables


class CMakeDeps:
    """What it generates of dependencies is found in this folder."""

    def __init__(self, conanfile):
        self.conanfile = conanfile

    def generate(self):
        os.makedirs(self.conanfile.generators_folder, exist_ok=True)


class CMake:
    def __init__(self, conanfile):
        self.conanfile = conanfile

    def configure(self):
        variables = {"CMAKE_BUILD_TYPE": self.conanfile.settings.build_type, "CMAKE_C_COMPILER": COMPILER,
                     "CMAKE_INSTALL_PREFIX": self.conanfile.package_folder, "CMAKE_C_FLAGS_RELEASE": "",
                     "CMAKE_INSTALL_LIBDIR": "lib", "CMAKE_PREFIX_PATH": self.conanfile.generators_folder,
                     **GENERATED.get(self.conanfile.generators_folder, {})}
        call("cmake", "-S", self.conanfile.source_folder, "-B", self.conanfile.build_folder,
             *(f"-D{name}={value}" for name, value in variables.items()))

    def build(self):
        call("cmake", "--build", self.conanfile.build_folder, "-j", "2")

    def install(self):
        call("cmake", "--install", self.conanfile.build_folder)


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-4000:]}")


def copy(conanfile, pattern, src, dst):
    """Files below src whose path matches, with their folders."""
    copied = []
    src = os.path.abspath(src)
    for parent, _, names in os.walk(src):
        if parent.startswith(WORK) and not src.startswith(WORK):
            continue  # the build may lie in the project's folder
        for name in names:
            path = os.path.relpath(os.path.join(parent, name), src)
            if fnmatch.fnmatchcase(path, pattern):
                os.makedirs(os.path.dirname(os.path.join(dst, path)), exist_ok=True)
                copied.append(shutil.copy2(os.path.join(src, path), os.path.join(dst, path)))
    assert copied, f"{pattern} matches nothing in {src}"
    return copied


def load(conanfile, path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def module(name, **members):
    sys.modules[name] = made = types.ModuleType(name)
    made.__dict__.update(members)


module("conan", ConanFile=ConanFile)
module("conan.errors", ConanInvalidConfiguration=ConanInvalidConfiguration)
module("conan.tools")
module("conan.tools.build", can_run=lambda conanfile: True)
module("conan.tools.cmake", CMake=CMake, CMakeDeps=CMakeDeps, CMakeToolchain=CMakeToolchain, cmake_layout=cmake_layout)
module("conan.tools.files", copy=copy, load=load,
       rmdir=lambda conanfile, path: shutil.rmtree(path, ignore_errors=True))


def recipe_of(folder):
    spec = importlib.util.spec_from_file_location("recipe", os.path.join(folder, "conanfile.py"))
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return next(member for member in vars(found).values() if isinstance(member, type) and issubclass(member, ConanFile)
                and member is not ConanFile)


def create(name, **options):
    """`conan create` with these options; the package is then moved, and what a program gets of it is cpp_info alone."""
    folder = os.path.join(SOURCE, "packaging", "conan")
    recipe = recipe_of(folder)
    defaults = {key: value for key, value in recipe.default_options.items() if "/" not in key}
    assert set(defaults) == set(recipe.options) and set(options) <= set(recipe.options)
    made = recipe(folder, **{**defaults, **options})
    made.work = os.path.join(WORK, name)
    made.sources = made.export_sources_folder = os.path.join(made.work, "sources")
    made.set_version()
    assert made.version == VERSION, made.version
    made.export_sources()
    made.config_options()
    made.configure()
    assert (made.options.get_safe("fPIC") is None) == options.get("shared", False)
    made.layout()
    made.requirements()
    made.validate()
    made.generate()
    made.build()
    made.package()
    moved = os.path.join(made.work, "moved")
    os.rename(made.package_folder, moved)
    made.package_folder = moved
    made.package_info()
    for path in ("licenses/LICENSE", "licenses/LicenseRef-SunPro.txt", "include/tact/tact.h"):
        assert os.path.exists(os.path.join(moved, path)), path
    for path in ("lib/cmake", "lib/pkgconfig", "share/doc"):
        assert not os.path.exists(os.path.join(moved, path)), path
    return made


def consume(made):
    """Runs test_package with the files that CMakeDeps would write of the package."""
    folder = os.path.join(SOURCE, "packaging", "conan", "test_package")
    test = recipe_of(folder)(folder)
    test.work = os.path.join(made.work, "test")
    test.tested_reference_str = f"tact/{made.version}"
    test.requirements()
    assert test.requirements_made == [test.tested_reference_str] and set(test.generators) == {"CMakeDeps", "CMakeToolchain"}
    test.layout()
    os.makedirs(test.generators_folder)
    info = made.cpp_info
    links = [f"-l{name}" for name in info.libs + info.system_libs]
    config = os.path.join(test.generators_folder, info.properties["cmake_file_name"] + "-config")
    with open(config + ".cmake", "w", encoding="utf-8") as f:
        f.write(f"""add_library({info.properties['cmake_target_name']} INTERFACE IMPORTED)
target_include_directories({info.properties['cmake_target_name']} INTERFACE {made.package_folder}/include)
target_compile_definitions({info.properties['cmake_target_name']} INTERFACE {' '.join(info.defines)})
target_link_directories({info.properties['cmake_target_name']} INTERFACE {made.package_folder}/lib)
target_link_libraries({info.properties['cmake_target_name']} INTERFACE {' '.join(links)})
""")
    with open(config + "-version.cmake", "w", encoding="utf-8") as f:
        f.write(f"set(PACKAGE_VERSION {made.version})\n")
    test.build()
    os.environ["LD_LIBRARY_PATH"] = os.path.join(made.package_folder, "lib")
    test.test()


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    for name, shared in (("static", False), ("shared", True)):
        made = create(name, shared=shared, gl=False)
        assert made.requirements_made == ["opencl-headers/2023.12.14"], made.requirements_made
        built = os.listdir(os.path.join(made.package_folder, "lib"))
        assert ("libtact.so" in built, "libtact.a" in built) == (shared, not shared), built
        consume(made)
    print("both packages are made, and used from where they were moved")


main()
