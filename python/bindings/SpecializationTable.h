// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specializations of one kernel by key. Programs launch the same kernel
// with the same kind of arguments again and again, so the last hit is tried
// first and a hash table only after it.

#ifndef TEGULA_PYTHON_BINDINGS_SPECIALIZATIONTABLE_H
#define TEGULA_PYTHON_BINDINGS_SPECIALIZATIONTABLE_H

#include "Frame.h"
#include "Specialization.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tegula::runtime {

/// A key with its specialization. Owns references to all it holds.
struct TableEntry {
  TableEntry(const Frame &frame, const std::vector<Parameter> &parameters,
             PyObject *signature, PyObject *specialization);
  ~TableEntry();
  TableEntry(const TableEntry &) = delete;
  TableEntry &operator=(const TableEntry &) = delete;

  /// 1 if `frame` has this key, 0 if not, negative on a Python exception.
  int matches(const Frame &frame) const;

  std::vector<uint64_t> key;
  std::vector<std::pair<int, PyObject *>> constants; // Index, value.
  PyObject *signature;
  PyObject *specialization;
};

class SpecializationTable {
public:
  /// The specialization for `frame`, or null: not there, no longer valid (then
  /// it has been dropped), or, with an exception set, a comparison raised.
  Specialization *find(const Frame &frame);

  void insert(const Frame &frame, const std::vector<Parameter> &parameters,
              PyObject *signature, PyObject *specialization);

  /// Empties the table. Releasing the entries can run arbitrary Python code.
  void clear();

  /// New list of (signature, specialization), or null with an exception.
  PyObject *list() const;

  int traverse(visitproc visit, void *arg) const;

private:
  using Bucket = std::vector<std::shared_ptr<TableEntry>>;

  /// Looks at one entry; null like find.
  Specialization *check(const std::shared_ptr<TableEntry> &entry,
                        const Frame &frame, bool &isMatch);
  void drop(const TableEntry *entry);

  std::shared_ptr<TableEntry> last;
  std::unordered_map<uint64_t, Bucket> buckets;
};

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_SPECIALIZATIONTABLE_H
