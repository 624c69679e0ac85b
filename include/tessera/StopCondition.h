// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When a compilation ends before it is done: when its host cancels it, or when its time is over.
#ifndef TESSERA_STOPCONDITION_H
#define TESSERA_STOPCONDITION_H

#include <atomic>
#include <chrono>
#include <optional>

namespace tessera {

/// A host keeps this, gives it to one or several compilations (CompileOptions::cancellation) and
/// cancels it from any thread, or from a signal handler. It cannot be taken back.
class Cancellation {
public:
  void cancel() { isSet.store(true, std::memory_order_relaxed); }
  bool isCancelled() const { return isSet.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> isSet{false};
};

/// Asked during one compilation, from any of its threads. Once it has said that the compilation
/// must stop, it does not change its mind.
class StopCondition {
public:
  enum class Reason { None, Cancelled, TimedOut };

  StopCondition() = default;
  /// `seconds` from now (0: no limit); `cancellation` may be null.
  StopCondition(double seconds, const Cancellation *cancellation);
  StopCondition(const StopCondition &) = delete;

  bool shouldStop() const;
  void cancel() { note(Reason::Cancelled); }
  /// Why it stopped; None as long as `shouldStop` has not said true.
  Reason reason() const { return found.load(std::memory_order_relaxed); }

private:
  /// Of two threads that find different reasons the first one is right.
  void note(Reason reason) const {
    Reason none = Reason::None;
    found.compare_exchange_strong(none, reason, std::memory_order_relaxed);
  }

  const Cancellation *cancellation = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  mutable std::atomic<Reason> found{Reason::None};
};

} // namespace tessera

#endif
