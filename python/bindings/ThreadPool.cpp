// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of the program range are handed out by an atomic counter, so threads
// that finish early take more. Everything slower than that (joining and leaving
// a launch, sleeping) is under one mutex, taken once per thread and launch.

#include "ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tegula::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Work below this is not worth waking a thread for.
constexpr float wakeNanoseconds = 20e3F;
/// How long an idle worker watches for new work before it sleeps.
constexpr int64_t spinNanoseconds = 20000;
/// Kernels may keep tiles on the stack.
constexpr size_t workerStackBytes = size_t(16) << 20;
/// Programs run in pieces of about this long. Between two of them a thread can
/// learn that its launch was interrupted.
constexpr int64_t pieceNanoseconds = 5000000;
/// The programs of the first piece: what earlier launches took says little
/// where arguments set how long loops are.
constexpr int64_t firstPiece = 4;
/// How often a launch asks whether it was.
constexpr int64_t watchNanoseconds = 50000000;
/// Chunks per thread: small enough to balance, large enough to amortize.
constexpr int64_t chunksPerThread = 8;

std::atomic<ThreadPool *> currentPool{nullptr};
std::atomic<int> threadLimit{0};

int64_t nanosecondsBetween(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end - start)
      .count();
}

int64_t nanosecondsSince(Clock::time_point start) {
  return nanosecondsBetween(start, Clock::now());
}

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int usableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Gives a kernel the default floating-point environment (round to nearest,
/// denormals kept) whatever the calling thread uses, and restores the caller's.
class FloatEnvironment {
public:
  FloatEnvironment() : saved(read()) { write(defaultControl); }
  ~FloatEnvironment() { write(saved); }
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
#if defined(__x86_64__)
  static constexpr uint64_t defaultControl = 0x1f80;
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t value) {
    _mm_setcsr(static_cast<unsigned>(value));
  }
#elif defined(__aarch64__)
  static constexpr uint64_t defaultControl = 0;
  static uint64_t read() {
    uint64_t value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void write(uint64_t value) {
    asm volatile("msr fpcr, %0" ::"r"(value));
  }
#else
  static constexpr uint64_t defaultControl = 0;
  static uint64_t read() { return 0; }
  static void write(uint64_t) {}
#endif
  uint64_t saved;
};

void runRange(const Job &job, int64_t begin, int64_t end) {
  setCurrentChunk(begin);
  job.entry(job.args, begin, end, job.grid[0], job.grid[1], job.grid[2],
            job.context);
}

} // namespace

/// Asks now and then, in the launching thread, whether a launch goes on.
class Watch {
public:
  Watch(Job &job, Clock::time_point start) : job(job), last(start) {}

  void look(Clock::time_point now) {
    if (!job.isInterrupted ||
        nanosecondsBetween(last, now) < watchNanoseconds) {
      return;
    }
    if (!job.stopped && job.isInterrupted(job.isInterruptedData)) {
      job.stopped = true;
    }
    last = Clock::now();
  }

private:
  Job &job;
  Clock::time_point last;
};

namespace {

/// The piece to run after one that took so long: programs differ in time.
int64_t nextPiece(int64_t piece, int64_t nanoseconds) {
  if (nanoseconds > 2 * pieceNanoseconds) {
    return std::max<int64_t>(1, piece / 2);
  }
  bool mayGrow = nanoseconds < pieceNanoseconds / 2 && piece < (1LL << 40);
  return mayGrow ? 2 * piece : piece;
}

/// Runs programs `begin` to `end` in pieces, until the launch is stopped.
/// Changes `piece`; `watch` is null in helping threads.
void runPieces(Job &job, int64_t begin, int64_t end, int64_t &piece,
               Watch *watch) {
  while (begin < end && !job.stopped.load(std::memory_order_relaxed)) {
    int64_t stop = begin + std::min(piece, end - begin);
    Clock::time_point start = Clock::now();
    runRange(job, begin, stop);
    Clock::time_point now = Clock::now();
    piece = nextPiece(piece, nanosecondsBetween(start, now));
    begin = stop;
    if (watch) {
      watch->look(now);
    }
  }
}

void runChunks(Job &job, Watch *watch) {
  FloatEnvironment environment;
  int64_t piece = firstPiece;
  while (!job.stopped.load(std::memory_order_relaxed)) {
    int64_t begin = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    if (begin >= job.programs) {
      return;
    }
    runPieces(job, begin, std::min(begin + job.chunk, job.programs), piece,
              watch);
  }
}

/// Runs programs in doubling steps until all are done or it has taken long
/// enough that waking threads pays. Returns the first program left.
int64_t runAlone(Job &job, Clock::time_point start) {
  FloatEnvironment environment;
  int64_t begin = 0;
  for (int64_t step = 1; begin < job.programs; step *= 2) {
    int64_t end = std::min(begin + step, job.programs);
    runRange(job, begin, end);
    begin = end;
    if (nanosecondsSince(start) > static_cast<int64_t>(wakeNanoseconds)) {
      break;
    }
  }
  return begin;
}

/// Signals that workers leave to Python's threads.
const sigset_t &asynchronousSignals() {
  static const sigset_t signals = [] {
    sigset_t set;
    sigfillset(&set);
    for (int synchronous : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
      sigdelset(&set, synchronous);
    }
    return set;
  }();
  return signals;
}

void forgetPoolInChild() {
  // The threads do not exist in the child, and a mutex may be held for ever.
  currentPool.store(nullptr, std::memory_order_release);
}

} // namespace

ThreadPool &ThreadPool::get() {
  ThreadPool *pool = currentPool.load(std::memory_order_acquire);
  if (pool) {
    return *pool;
  }
  static const int registered =
      pthread_atfork(nullptr, nullptr, &forgetPoolInChild);
  (void)registered;
  auto *created = new ThreadPool;
  if (currentPool.compare_exchange_strong(pool, created)) {
    return *created; // Never deleted: workers use it until the process ends.
  }
  delete created;
  return *pool;
}

void ThreadPool::setThreads(int count) { threadLimit = std::max(1, count); }

int ThreadPool::threads() {
  int limit = threadLimit.load(std::memory_order_relaxed);
  if (limit == 0) {
    limit = usableProcessors();
    threadLimit.store(limit, std::memory_order_relaxed);
  }
  return limit;
}

void ThreadPool::run(Job &job, CostEstimate &cost) {
  int limit = threads();
  if (job.programs == 1) {
    FloatEnvironment environment;
    runRange(job, 0, 1);
    return;
  }
  Clock::time_point start = Clock::now();
  Watch watch(job, start);
  if (limit == 1) {
    FloatEnvironment environment;
    int64_t piece = firstPiece;
    runPieces(job, 0, job.programs, piece, &watch);
    return;
  }
  float perProgram = cost.nanosecondsPerProgram.load(std::memory_order_relaxed);
  float predicted = perProgram * static_cast<float>(job.programs);
  int64_t first = 0;
  if (predicted < wakeNanoseconds) {
    first = runAlone(job, start);
  }
  int64_t left = job.programs - first;
  int64_t parallelism = 1;
  if (left > 0) {
    job.next.store(first, std::memory_order_relaxed);
    job.chunk = std::max<int64_t>(1, left / (limit * chunksPerThread));
    int64_t chunks = (left + job.chunk - 1) / job.chunk;
    parallelism = std::min<int64_t>(limit, chunks);
    runShared(job, static_cast<int>(parallelism) - 1, watch);
  }
  if (job.stopped.load(std::memory_order_relaxed)) {
    return; // Nobody knows what all of it would have taken.
  }
  auto elapsed = static_cast<float>(nanosecondsSince(start));
  float work = first > 0 ? elapsed : elapsed * static_cast<float>(parallelism);
  cost.nanosecondsPerProgram.store(work / static_cast<float>(job.programs),
                                   std::memory_order_relaxed);
}

void ThreadPool::runShared(Job &job, int helpers, Watch &watch) {
  if (helpers > 0) {
    announce(job, helpers);
  }
  runChunks(job, &watch);
  if (helpers > 0) {
    waitForHelpers(job, watch);
  }
}

void ThreadPool::announce(Job &job, int helpers) {
  std::lock_guard<std::mutex> lock(mutex);
  startWorkers(helpers);
  job.helpersWanted = helpers;
  waitingJobs.push_back(&job);
  arrivals.fetch_add(1, std::memory_order_release);
  workArrived.notify_one(); // Each helper that joins wakes more; see enter.
  if (helpers > 1) {
    workArrived.notify_one();
  }
}

void ThreadPool::waitForHelpers(Job &job, Watch &watch) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (job.helpersWanted > 0) {
      job.helpersWanted = 0;
      waitingJobs.erase(
          std::find(waitingJobs.begin(), waitingJobs.end(), &job));
    }
  }
  // Nobody can join any more; those inside are within their last chunk.
  Clock::time_point start = Clock::now();
  while (job.helpersInside.load(std::memory_order_acquire) != 0) {
    if (nanosecondsSince(start) > spinNanoseconds) {
      std::unique_lock<std::mutex> lock(mutex);
      bool left =
          helperLeft.wait_for(lock, std::chrono::nanoseconds(watchNanoseconds),
                              [&] { return job.helpersInside == 0; });
      lock.unlock();
      if (left) {
        return;
      }
      watch.look(Clock::now());
    } else {
      relax();
    }
  }
}

void ThreadPool::startWorkers(int count) {
  while (workers < count) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, workerStackBytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    sigset_t saved;
    pthread_sigmask(SIG_BLOCK, &asynchronousSignals(), &saved);
    int error = pthread_create(&thread, &attributes, &workerMain, this);
    pthread_sigmask(SIG_SETMASK, &saved, nullptr);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      return; // Fewer helpers; the caller does the work in any case.
    }
    ++workers;
  }
}

void *ThreadPool::workerMain(void *pool) {
  static_cast<ThreadPool *>(pool)->workerLoop();
  return nullptr;
}

void ThreadPool::workerLoop() {
  for (;;) {
    uint32_t seen = arrivals.load(std::memory_order_acquire);
    while (Job *job = enter()) {
      runChunks(*job, nullptr);
      leave(*job);
    }
    Clock::time_point start = Clock::now();
    while (arrivals.load(std::memory_order_acquire) == seen &&
           nanosecondsSince(start) < spinNanoseconds) {
      relax();
    }
    if (arrivals.load(std::memory_order_acquire) == seen) {
      std::unique_lock<std::mutex> lock(mutex);
      workArrived.wait(lock, [&] { return !waitingJobs.empty(); });
    }
  }
}

/// Joins a launch that wants help, or returns nullptr.
Job *ThreadPool::enter() {
  std::lock_guard<std::mutex> lock(mutex);
  if (waitingJobs.empty()) {
    return nullptr;
  }
  Job *job = waitingJobs.front();
  job->helpersInside.fetch_add(1, std::memory_order_relaxed);
  if (--job->helpersWanted == 0) {
    waitingJobs.erase(waitingJobs.begin());
  } else {
    workArrived.notify_one();
    if (job->helpersWanted > 1) {
      workArrived.notify_one();
    }
  }
  return job;
}

void ThreadPool::leave(Job &job) {
  std::lock_guard<std::mutex> lock(mutex);
  // The launch may return, and `job` end, as soon as the count is zero.
  if (job.helpersInside.fetch_sub(1, std::memory_order_release) == 1) {
    helperLeft.notify_all();
  }
}

} // namespace tegula::runtime
