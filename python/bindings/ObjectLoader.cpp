// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Supports what LLVM emits for a kernel on x86-64 in the small, position
// independent code model. Objects come from a cache that anybody may have
// damaged, so every offset is checked before it is used.

#include "ObjectLoader.h"

#include <cstring>
#include <elf.h>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace tegula::runtime {

namespace {

/// Kinds of memory, in the order in which they are laid out.
enum Region { Code, Constants, Data, regionCount };

constexpr size_t stubBytes = 16;
constexpr size_t maxObjectBytes = size_t(1) << 28; // Keeps offsets in 32 bits.

size_t alignTo(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

} // namespace

/// One object on its way into memory. Layout: code and one jump stub per
/// symbol; constants and one table slot per symbol; writable data. The stubs
/// reach external functions from anywhere, the slots hold symbols' addresses.
class ObjectLinker {
public:
  ObjectLinker(const void *objectData, size_t objectSize,
               const LoadedObject::Resolver &symbolResolver)
      : size(objectSize), resolve(symbolResolver) {
    copy.resize(objectSize / sizeof(uint64_t) + 1);
    std::memcpy(copy.data(), objectData, objectSize);
    data = reinterpret_cast<const uint8_t *>(copy.data());
  }

  std::unique_ptr<LoadedObject> link() {
    readHeader();
    readSymbols();
    layOut();
    std::vector<uint64_t> external = resolveExternals();
    map();
    locateSymbols(external);
    writeIndirections();
    relocateAll();
    protect();
    collectFunctions();
    return std::move(loaded);
  }

private:
  template <typename T> const T *view(size_t offset, size_t count = 1) const {
    if (offset > size || count > (size - offset) / sizeof(T) ||
        offset % alignof(T) != 0) {
      throw ObjectError("the object is truncated or malformed");
    }
    return reinterpret_cast<const T *>(data + offset);
  }

  void readHeader();
  void readSymbols();
  void layOut();
  std::vector<uint64_t> resolveExternals() const;
  void map();
  void locateSymbols(const std::vector<uint64_t> &external);
  void writeIndirections();
  void relocateAll();
  void relocate(const Elf64_Rela &entry, const Elf64_Shdr &target,
                size_t targetOffset);
  void protect();
  void collectFunctions();

  std::string nameOf(const Elf64_Sym &symbol) const;
  bool isKept(const Elf64_Shdr &section) const;
  static Region regionOf(const Elf64_Shdr &section);
  uint8_t *at(size_t offset) const {
    return static_cast<uint8_t *>(loaded->memory) + offset;
  }
  bool isExternal(const Elf64_Sym &symbol) const {
    return symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0;
  }

  std::vector<uint64_t> copy; // The object, suitably aligned.
  const uint8_t *data;
  size_t size;
  const LoadedObject::Resolver &resolve;

  const Elf64_Shdr *sections = nullptr;
  size_t sectionCount = 0;
  const Elf64_Sym *symbols = nullptr;
  size_t symbolCount = 0;
  const char *strings = nullptr;
  size_t stringBytes = 0;

  std::vector<size_t> offsets;     // Section -> offset in memory.
  std::vector<uint64_t> addresses; // Symbol -> address, 0 if it has none.
  size_t regionStart[regionCount + 1] = {};
  size_t stubStart = 0;
  size_t tableStart = 0;
  std::unique_ptr<LoadedObject> loaded;
};

void ObjectLinker::readHeader() {
  const auto *header = view<Elf64_Ehdr>(0);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_type != ET_REL ||
      header->e_machine != EM_X86_64 ||
      header->e_shentsize != sizeof(Elf64_Shdr)) {
    throw ObjectError("not a relocatable x86-64 ELF object");
  }
  sectionCount = header->e_shnum;
  sections = view<Elf64_Shdr>(header->e_shoff, sectionCount);
  for (size_t i = 0; i < sectionCount; ++i) {
    const Elf64_Shdr &section = sections[i];
    if (section.sh_type != SHT_NOBITS) {
      view<uint8_t>(section.sh_offset, section.sh_size);
    }
    if (isKept(section) &&
        (section.sh_size > maxObjectBytes || section.sh_addralign > 4096)) {
      throw ObjectError("the object has an unreasonable section");
    }
  }
}

void ObjectLinker::readSymbols() {
  for (size_t i = 0; i < sectionCount; ++i) {
    const Elf64_Shdr &section = sections[i];
    if (section.sh_type != SHT_SYMTAB) {
      continue;
    }
    symbolCount = section.sh_size / sizeof(Elf64_Sym);
    symbols = view<Elf64_Sym>(section.sh_offset, symbolCount);
    if (section.sh_link >= sectionCount) {
      throw ObjectError("the object has no string table");
    }
    const Elf64_Shdr &table = sections[section.sh_link];
    strings = view<char>(table.sh_offset, table.sh_size);
    stringBytes = table.sh_size;
    if (stringBytes == 0 || strings[stringBytes - 1] != 0) {
      throw ObjectError("the object's string table is malformed");
    }
  }
}

std::string ObjectLinker::nameOf(const Elf64_Sym &symbol) const {
  if (symbol.st_name >= stringBytes) {
    throw ObjectError("the object's symbol table is malformed");
  }
  std::string name = strings + symbol.st_name;
  for (char &c : name) { // Names get into messages, which are text.
    c = c >= ' ' && c <= '~' ? c : '?';
  }
  return name;
}

bool ObjectLinker::isKept(const Elf64_Shdr &section) const {
  // Unwind tables are left out: nothing unwinds through a kernel.
  return (section.sh_flags & SHF_ALLOC) && section.sh_type != SHT_NOTE &&
         section.sh_type != SHT_X86_64_UNWIND;
}

Region ObjectLinker::regionOf(const Elf64_Shdr &section) {
  if (section.sh_flags & SHF_EXECINSTR) {
    return Code;
  }
  return section.sh_flags & SHF_WRITE ? Data : Constants;
}

void ObjectLinker::layOut() {
  auto page = static_cast<size_t>(getpagesize());
  offsets.assign(sectionCount, 0);
  size_t offset = 0;
  for (int region = 0; region < regionCount; ++region) {
    offset = alignTo(offset, page);
    regionStart[region] = offset;
    for (size_t i = 0; i < sectionCount; ++i) {
      const Elf64_Shdr &section = sections[i];
      if (!isKept(section) || regionOf(section) != region) {
        continue;
      }
      offset = alignTo(offset, section.sh_addralign ? section.sh_addralign : 1);
      offsets[i] = offset;
      offset += section.sh_size;
    }
    if (region == Code) {
      stubStart = alignTo(offset, stubBytes);
      offset = stubStart + stubBytes * symbolCount;
    } else if (region == Constants) {
      tableStart = alignTo(offset, sizeof(uint64_t));
      offset = tableStart + sizeof(uint64_t) * symbolCount;
    }
  }
  regionStart[regionCount] = alignTo(offset, page);
  if (regionStart[regionCount] > maxObjectBytes) {
    throw ObjectError("the object is too large");
  }
}

/// Addresses of undefined symbols; names all that are unknown.
std::vector<uint64_t> ObjectLinker::resolveExternals() const {
  std::vector<uint64_t> external(symbolCount, 0);
  std::string unknown;
  for (size_t i = 0; i < symbolCount; ++i) {
    if (!isExternal(symbols[i])) {
      continue;
    }
    std::string name = nameOf(symbols[i]);
    if (name == "_GLOBAL_OFFSET_TABLE_") {
      continue; // Only marks that the table is in use.
    }
    void *address = resolve(name);
    external[i] = reinterpret_cast<uint64_t>(address);
    if (!address) {
      unknown += (unknown.empty() ? "" : ", ") + name;
    }
  }
  if (!unknown.empty()) {
    throw ObjectError("the object needs unknown functions: " + unknown);
  }
  return external;
}

void ObjectLinker::map() {
  size_t bytes = regionStart[regionCount];
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw ObjectError("no memory for machine code");
  }
  loaded.reset(new LoadedObject(memory, bytes));
  for (size_t i = 0; i < sectionCount; ++i) {
    const Elf64_Shdr &section = sections[i];
    if (isKept(section) && section.sh_type != SHT_NOBITS) {
      std::memcpy(at(offsets[i]), data + section.sh_offset, section.sh_size);
    }
  }
}

void ObjectLinker::locateSymbols(const std::vector<uint64_t> &external) {
  addresses = external;
  for (size_t i = 0; i < symbolCount; ++i) {
    const Elf64_Sym &symbol = symbols[i];
    if (symbol.st_shndx == SHN_UNDEF) {
      continue;
    }
    if (symbol.st_shndx == SHN_ABS) {
      addresses[i] = symbol.st_value;
      continue;
    }
    if (symbol.st_shndx >= sectionCount) {
      throw ObjectError("the object has a symbol of an unsupported kind");
    }
    const Elf64_Shdr &section = sections[symbol.st_shndx];
    if (isKept(section)) {
      if (symbol.st_value > section.sh_size) {
        throw ObjectError("the object's symbol table is malformed");
      }
      addresses[i] = reinterpret_cast<uint64_t>(at(offsets[symbol.st_shndx])) +
                     symbol.st_value;
    }
  }
}

void ObjectLinker::writeIndirections() {
  // jmp *0(%rip), followed by the address that it reads.
  static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
  for (size_t i = 0; i < symbolCount; ++i) {
    std::memcpy(at(tableStart + i * sizeof(uint64_t)), &addresses[i],
                sizeof(uint64_t));
    uint8_t *stub = at(stubStart + i * stubBytes);
    std::memcpy(stub, jump, sizeof(jump));
    std::memcpy(stub + sizeof(jump), &addresses[i], sizeof(uint64_t));
  }
}

void ObjectLinker::relocateAll() {
  for (size_t i = 0; i < sectionCount; ++i) {
    const Elf64_Shdr &section = sections[i];
    if (section.sh_type == SHT_REL) {
      throw ObjectError("the object has relocations without addends");
    }
    if (section.sh_type != SHT_RELA) {
      continue;
    }
    if (section.sh_info >= sectionCount) {
      throw ObjectError("the object's relocations are malformed");
    }
    const Elf64_Shdr &target = sections[section.sh_info];
    if (!isKept(target)) {
      continue;
    }
    size_t count = section.sh_size / sizeof(Elf64_Rela);
    const auto *entries = view<Elf64_Rela>(section.sh_offset, count);
    for (size_t j = 0; j < count; ++j) {
      relocate(entries[j], target, offsets[section.sh_info]);
    }
  }
}

void ObjectLinker::relocate(const Elf64_Rela &entry, const Elf64_Shdr &target,
                            size_t targetOffset) {
  auto type = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info));
  size_t index = ELF64_R_SYM(entry.r_info);
  bool wide = type == R_X86_64_64 || type == R_X86_64_PC64;
  size_t width = wide ? sizeof(uint64_t) : sizeof(uint32_t);
  if (index >= symbolCount || target.sh_size < width ||
      entry.r_offset > target.sh_size - width) {
    throw ObjectError("the object's relocations are malformed");
  }
  uint8_t *place = at(targetOffset + entry.r_offset);
  auto position = reinterpret_cast<uint64_t>(place);
  uint64_t value = addresses[index];
  switch (type) {
  case R_X86_64_64:
    break;
  case R_X86_64_PC64:
    value -= position;
    break;
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    if (isExternal(symbols[index])) {
      value = reinterpret_cast<uint64_t>(at(stubStart + index * stubBytes));
    }
    value -= position;
    break;
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    value =
        reinterpret_cast<uint64_t>(at(tableStart + index * sizeof(uint64_t))) -
        position;
    break;
  default:
    throw ObjectError("the object has a relocation of unsupported type " +
                      std::to_string(type));
  }
  value += static_cast<uint64_t>(entry.r_addend);
  auto distance = static_cast<int64_t>(value);
  if (!wide && (distance > std::numeric_limits<int32_t>::max() ||
                distance < std::numeric_limits<int32_t>::min())) {
    throw ObjectError("a relocation of the object is out of range");
  }
  std::memcpy(place, &value, width);
}

void ObjectLinker::protect() {
  static const int permissions[regionCount] = {PROT_READ | PROT_EXEC, PROT_READ,
                                               PROT_READ | PROT_WRITE};
  for (int region = 0; region < regionCount; ++region) {
    size_t bytes = regionStart[region + 1] - regionStart[region];
    if (bytes > 0 &&
        mprotect(at(regionStart[region]), bytes, permissions[region]) != 0) {
      throw ObjectError("the system refuses executable memory");
    }
  }
}

void ObjectLinker::collectFunctions() {
  for (size_t i = 0; i < symbolCount; ++i) {
    const Elf64_Sym &symbol = symbols[i];
    if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
        ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && addresses[i] != 0 &&
        symbol.st_shndx != SHN_UNDEF) {
      loaded->functions.emplace(nameOf(symbol),
                                reinterpret_cast<void *>(addresses[i]));
    }
  }
}

std::unique_ptr<LoadedObject> LoadedObject::load(const void *data, size_t size,
                                                 const Resolver &resolve) {
  return ObjectLinker(data, size, resolve).link();
}

LoadedObject::~LoadedObject() { munmap(memory, bytes); }

void *LoadedObject::address(const std::string &name) const {
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

} // namespace tegula::runtime
