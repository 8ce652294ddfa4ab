// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's own recovery, with the reason kept: assertions of this library call
// the function below in place of the C library's, which could only print it.
// Handlers of signals are ours only while something is guarded.

#include "python/bindings/capi/CrashGuard.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

/// Where this thread's reason goes, while something is guarded.
thread_local std::string *current = nullptr;

/// Unlike assertions, some fatal errors end the process by `exit`.
void onFatalError(void * /*data*/, const char *reason, bool /*diagnose*/) {
  llvm::CrashRecoveryContext *recovery =
      llvm::CrashRecoveryContext::GetCurrent();
  if (current && recovery) {
    *current = reason;
    recovery->HandleExit(1);
  }
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
}

/// Counts those who need the handlers.
class Handlers {
public:
  Handlers() {
    static std::once_flag installed;
    std::call_once(installed,
                   [] { llvm::install_fatal_error_handler(&onFatalError); });
    std::lock_guard<std::mutex> lock(mutex);
    if (users++ == 0) {
      llvm::CrashRecoveryContext::Enable();
    }
  }
  ~Handlers() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--users == 0) {
      llvm::CrashRecoveryContext::Disable();
    }
  }

private:
  static std::mutex mutex;
  static int users;
};

std::mutex Handlers::mutex;
int Handlers::users = 0;

} // namespace

/// Takes the place of the C library's function within this library.
extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void
__assert_fail(const char *condition, const char *file, unsigned line,
              const char *function) noexcept {
  std::string text = (llvm::Twine(file) + ":" + llvm::Twine(line) + ": " +
                      function + ": Assertion `" + condition + "' failed.")
                         .str();
  if (current) {
    *current = std::move(text);
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::abort();
}

bool tegula::runGuarded(llvm::function_ref<void()> work, std::string &reason) {
  Handlers handlers;
  std::string *outer = current;
  reason.clear();
  current = &reason;
  llvm::CrashRecoveryContext recovery;
  bool returned = recovery.RunSafely(work);
  current = outer;
  if (!returned && reason.empty()) {
    reason = "signal " + std::to_string(recovery.RetCode - 128);
  }
  return returned;
}
