// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links one relocatable ELF object into memory. LLVM's own JIT linker would do
// it too, but loading it takes six times as long as everything else a cached
// kernel needs, and it ends the process when a symbol is missing.

#ifndef TEGULA_PYTHON_BINDINGS_OBJECTLOADER_H
#define TEGULA_PYTHON_BINDINGS_OBJECTLOADER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace tegula::runtime {

/// The object is damaged, needs an unknown symbol, or uses a feature that this
/// loader does not have.
class ObjectError final : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Executable memory with the code of one object; unmapped at the end.
class LoadedObject {
public:
  /// Address of an undefined symbol, or null if it may not be used.
  using Resolver = std::function<void *(const std::string &)>;

  /// Throws ObjectError; nothing stays mapped then.
  static std::unique_ptr<LoadedObject> load(const void *data, size_t size,
                                            const Resolver &resolve);
  ~LoadedObject();
  LoadedObject(const LoadedObject &) = delete;
  LoadedObject &operator=(const LoadedObject &) = delete;

  /// Address of a global function of the object, or null.
  void *address(const std::string &name) const;

private:
  LoadedObject(void *mapping, size_t mappedBytes)
      : memory(mapping), bytes(mappedBytes) {}

  void *memory;
  size_t bytes;
  std::map<std::string, void *> functions;

  friend class ObjectLinker;
};

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_OBJECTLOADER_H
