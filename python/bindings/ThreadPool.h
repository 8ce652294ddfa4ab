// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the programs of a grid on a set of persistent threads. Starting threads
// or waking them costs more than a small kernel, so the caller always works too
// and asks for help only when enough work is left.

#ifndef TEGULA_PYTHON_BINDINGS_THREADPOOL_H
#define TEGULA_PYTHON_BINDINGS_THREADPOOL_H

#include "Abi.h"
#include "Callbacks.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tegula::runtime {

/// One launch: a kernel, its arguments and its grid. Lives on the stack of the
/// launching thread; workers reach it only between ThreadPool::enter and leave.
struct Job {
  EntryFn entry;
  const int64_t *args;
  Grid grid;
  int64_t programs;
  LaunchContext *context;

  /// Asked by the launching thread now and then, for which it may take locks:
  /// whether to leave the programs that have not begun.
  bool (*isInterrupted)(void *) = nullptr;
  void *isInterruptedData = nullptr;
  std::atomic<bool> stopped{false};

  int64_t chunk = 1;
  std::atomic<int64_t> next{0};
  int helpersWanted = 0;             // Guarded by the pool's mutex.
  std::atomic<int> helpersInside{0}; // Raised under the pool's mutex only.
};

/// What earlier launches of a kernel cost, to decide about waking threads.
/// Racy updates are harmless: every value only steers a heuristic.
struct CostEstimate {
  std::atomic<float> nanosecondsPerProgram{0};
};

class Watch;

/// Threads that are started when first needed and never end. All launching
/// threads share them; several launches can be active at once. After a fork
/// the child starts anew (its copies of the threads do not exist).
class ThreadPool {
public:
  /// The pool of this process.
  static ThreadPool &get();

  /// Limits the threads per launch, the calling one included. At least 1.
  static void setThreads(int count);
  static int threads();

  /// Runs all programs of `job` and returns when the last one has ended; if it
  /// is interrupted, when those that had begun have.
  void run(Job &job, CostEstimate &cost);

private:
  ThreadPool() = default;

  void runShared(Job &job, int helpers, Watch &watch);
  void announce(Job &job, int helpers);
  void waitForHelpers(Job &job, Watch &watch);
  void startWorkers(int count);
  void workerLoop();
  Job *enter();
  void leave(Job &job);
  static void *workerMain(void *pool);

  std::mutex mutex;
  std::condition_variable workArrived;
  std::condition_variable helperLeft;
  std::vector<Job *> waitingJobs; // Jobs with helpersWanted > 0.
  std::atomic<uint32_t> arrivals{0};
  int workers = 0;
};

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_THREADPOOL_H
