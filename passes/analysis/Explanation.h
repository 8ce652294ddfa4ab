// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How passes say what they chose and why an optimization did not apply. The
// same words reach whoever develops the pass (-debug-only) and whoever wrote
// the kernel (MLIR's remarks, which `tegula explain` shows).

#ifndef TEGULA_PASSES_ANALYSIS_EXPLANATION_H
#define TEGULA_PASSES_ANALYSIS_EXPLANATION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tegula::analysis {

/// What a pass decided at a place. The text is put together with `<<` and
/// reported at the end of the statement; it costs nothing if nobody listens.
class Explanation {
public:
  enum class Kind { Chosen, Missed };

  /// `pass` is the pass's flag, `topic` what its decision is about: one word,
  /// by which explanations are sorted. Both must outlive this object.
  Explanation(Kind kind, const char *pass, llvm::StringRef topic,
              mlir::Location loc);
  ~Explanation();
  Explanation(const Explanation &) = delete;
  Explanation &operator=(const Explanation &) = delete;

  template <typename T> Explanation &operator<<(const T &part) {
    if (isPrinted || isReported) {
      llvm::raw_string_ostream(text) << part;
    }
    return *this;
  }

private:
  Kind kind;
  const char *pass;
  llvm::StringRef topic;
  mlir::Location loc;
  bool isPrinted;
  bool isReported;
  std::string text;
};

/// `chosen(DEBUG_TYPE, "warps", loc) << 4 << " warps";`
inline Explanation chosen(const char *pass, llvm::StringRef topic,
                          mlir::Location loc) {
  return {Explanation::Kind::Chosen, pass, topic, loc};
}

inline Explanation missed(const char *pass, llvm::StringRef topic,
                          mlir::Location loc) {
  return {Explanation::Kind::Missed, pass, topic, loc};
}

/// A tile in words: 128x64xf32.
std::string describeTile(mlir::Type type);

/// A place in words: "line 12", of the kernel or of the function that it calls.
std::string describePlace(mlir::Location loc);

} // namespace tegula::analysis

#endif // TEGULA_PASSES_ANALYSIS_EXPLANATION_H
