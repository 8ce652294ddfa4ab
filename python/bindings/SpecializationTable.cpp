// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparing Consts and releasing entries may run Python code that launches or
// clears the same kernel. Entries are therefore shared and every step that can
// call Python works on its own copy of what it needs.

#include "SpecializationTable.h"

#include <algorithm>
#include <cstring>

namespace tegula::runtime {

TableEntry::TableEntry(const Frame &frame,
                       const std::vector<Parameter> &parameters,
                       PyObject *keySignature, PyObject *value)
    : key(frame.key, frame.key + frame.keyWords), signature(keySignature),
      specialization(value) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == Parameter::Const) {
      Py_INCREF(frame.values[i]);
      constants.emplace_back(static_cast<int>(i), frame.values[i]);
    }
  }
  Py_INCREF(signature);
  Py_INCREF(specialization);
}

TableEntry::~TableEntry() {
  for (auto &constant : constants) {
    Py_DECREF(constant.second);
  }
  Py_DECREF(signature);
  Py_DECREF(specialization);
}

int TableEntry::matches(const Frame &frame) const {
  if (static_cast<size_t>(frame.keyWords) != key.size() ||
      std::memcmp(key.data(), frame.key, key.size() * sizeof(uint64_t)) != 0) {
    return 0;
  }
  for (const auto &constant : constants) {
    int same = sameConstant(constant.second, frame.values[constant.first]);
    if (same <= 0) {
      return same;
    }
  }
  return 1;
}

Specialization *
SpecializationTable::check(const std::shared_ptr<TableEntry> &entry,
                           const Frame &frame, bool &isMatch) {
  std::shared_ptr<TableEntry> held;
  if (!entry->constants.empty()) {
    held = entry; // Comparisons may run Python code.
  }
  int match = entry->matches(frame);
  isMatch = match != 0;
  if (match <= 0) {
    return nullptr;
  }
  auto *specialization =
      reinterpret_cast<Specialization *>(entry->specialization);
  if (PyTuple_GET_SIZE(specialization->guards) == 0) {
    return specialization;
  }
  held = entry;
  int hold = guardsHold(*specialization);
  if (hold > 0) {
    return specialization;
  }
  if (hold == 0) {
    drop(held.get());
  }
  return nullptr;
}

Specialization *SpecializationTable::find(const Frame &frame) {
  bool isMatch = false;
  if (last) {
    std::shared_ptr<TableEntry> entry = last;
    Specialization *found = check(entry, frame, isMatch);
    if (isMatch) {
      return found;
    }
  }
  auto bucket = buckets.find(frame.keyHash());
  if (bucket == buckets.end()) {
    return nullptr;
  }
  const Bucket entries = bucket->second;
  for (const std::shared_ptr<TableEntry> &entry : entries) {
    Specialization *found = check(entry, frame, isMatch);
    if (isMatch) {
      if (found) {
        last = entry;
      }
      return found;
    }
  }
  return nullptr;
}

void SpecializationTable::drop(const TableEntry *entry) {
  std::shared_ptr<TableEntry> released;
  if (last.get() == entry) {
    released = std::move(last);
  }
  for (auto &bucket : buckets) {
    Bucket &entries = bucket.second;
    auto found = std::find_if(
        entries.begin(), entries.end(),
        [&](const std::shared_ptr<TableEntry> &e) { return e.get() == entry; });
    if (found != entries.end()) {
      released = std::move(*found);
      entries.erase(found);
      return;
    }
  }
}

void SpecializationTable::insert(const Frame &frame,
                                 const std::vector<Parameter> &parameters,
                                 PyObject *signature,
                                 PyObject *specialization) {
  auto entry = std::make_shared<TableEntry>(frame, parameters, signature,
                                            specialization);
  buckets[frame.keyHash()].push_back(entry);
  std::shared_ptr<TableEntry> previous = std::move(last);
  last = std::move(entry);
}

void SpecializationTable::clear() {
  std::shared_ptr<TableEntry> previous = std::move(last);
  last.reset();
  std::unordered_map<uint64_t, Bucket> released;
  released.swap(buckets);
}

PyObject *SpecializationTable::list() const {
  PyObject *result = PyList_New(0);
  for (const auto &bucket : buckets) {
    for (const std::shared_ptr<TableEntry> &entry : bucket.second) {
      PyObject *pair = PyTuple_Pack(2, entry->signature, entry->specialization);
      if (!result || !pair || PyList_Append(result, pair) < 0) {
        Py_XDECREF(pair);
        Py_XDECREF(result);
        return nullptr;
      }
      Py_DECREF(pair);
    }
  }
  return result;
}

int SpecializationTable::traverse(visitproc visit, void *arg) const {
  for (const auto &bucket : buckets) {
    for (const std::shared_ptr<TableEntry> &entry : bucket.second) {
      for (const auto &constant : entry->constants) {
        Py_VISIT(constant.second);
      }
      Py_VISIT(entry->signature);
      Py_VISIT(entry->specialization);
    }
  }
  return 0;
}

} // namespace tegula::runtime
