"""Cuesta for Conan 2: the C++ and C libraries and, if asked for, the command."""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir
from conan.tools.gnu import PkgConfigDeps


class Cuesta(ConanFile):
    name = "cuesta"
    version = "@VERSION@"
    description = "Edges and moving objects in pictures and video"
    license = "Apache-2.0"
    topics = ("edge-detection", "canny", "background-subtraction", "simd", "cuda")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "command": [True, False],
        "cuda": [True, False],
    }
    default_options = {"shared": False, "fPIC": True, "command": False, "cuda": False}
    implements = ["auto_shared_fpic"]

    def requirements(self):
        self.requires("fmt/[>=9 <12]")
        self.requires("highway/[>=1.0.3 <2]")
        self.requires("onetbb/[>=2021.8 <2023]")
        if self.options.command:
            self.requires("cli11/[>=2.1 <3]")
            self.requires("nlohmann_json/[>=3.11 <4]")
            self.requires("tomlplusplus/[>=3 <4]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, "@URL@", sha256="@SHA256@", strip_root=True)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        off = ["TESTS", "BENCH", "OPENCV", "PICTURES", "VIDEO", "MQTT", "TUNE"]
        for name in off:
            toolchain.cache_variables[f"CUESTA_{name}"] = "OFF"
        toolchain.cache_variables["CUESTA_CLI"] = bool(self.options.command)
        toolchain.cache_variables["CUESTA_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        # The package's own cuesta-config.cmake declares cuesta::cuesta and cuesta::c.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "cuesta")]
        self.cpp_info.libs = ["cuesta"]
