# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Find LLVM and MLIR as the Python packages xtc-llvm-dev and xtc-mlir-dev install them, and make everything link
# statically against LLVM's archives: the shared libLLVM.so that those packages prefer weighs 136 MB.

find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module NumPy)

# The packages are namespace packages `llvm` and `mlir`; build isolation may put them into different folders.
foreach(_package LLVM MLIR)
  if(NOT ${_package}_DIR)
    string(TOLOWER ${_package} _name)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c
        "import importlib.util as u, pathlib as p; print(next(str(d) for r in u.find_spec('${_name}').submodule_search_locations if (d := p.Path(r, 'lib', 'cmake', '${_name}')).is_dir()), end='')"
      OUTPUT_VARIABLE _dir RESULT_VARIABLE _status ERROR_QUIET)
    if(NOT _status EQUAL 0)
      message(FATAL_ERROR "${_package} not found: pip install the build requirements in pyproject.toml, "
                          "or set ${_package}_DIR")
    endif()
    set(${_package}_DIR ${_dir} CACHE PATH "CMake package of ${_package}")
  endif()
endforeach()
find_package(LLVM REQUIRED CONFIG)
find_package(MLIR REQUIRED CONFIG)

# LLVM's imported shared target becomes a linker script that names every archive; the linker takes what it needs.
set(LLVM_LINK_LLVM_DYLIB OFF)
set(MLIR_LINK_MLIR_DYLIB OFF)
file(GLOB _archives ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
list(JOIN _archives " " _archives)
set(_script ${CMAKE_BINARY_DIR}/libLLVMStatic.so)
file(WRITE ${_script} "GROUP( ${_archives} )\n")
set_target_properties(LLVM PROPERTIES
  IMPORTED_LOCATION_RELEASE ${_script} IMPORTED_SONAME_RELEASE libLLVMStatic.so)

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(LLVM_INSTALL_TOOLCHAIN_ONLY ON)
set(LLVM_ENABLE_ASSERTIONS OFF)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)
include(AddMLIRPython)
include(MLIRDetectPythonEnv)
set(MLIR_BINDINGS_PYTHON_NB_DOMAIN tegula)
mlir_configure_python_dev_packages()

# mold links in a tenth of the time where it is installed; nothing needs it.
find_program(TEGULA_MOLD mold)
if(TEGULA_MOLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang|GNU")
  add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=mold>)
endif()
find_program(TEGULA_CCACHE ccache)
if(TEGULA_CCACHE)
  # What ccache needs to serve objects that were compiled with precompiled headers.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TEGULA_CCACHE})
endif()
