// What a workspace keeps on the GPU, and without one the thread.
#pragma once

#include <map>

#include "cuda/kept.cuh"

namespace cuesta::cuda {

/// The T of the GPU in use: the caller's workspace keeps one, and without one the thread does,
/// until it ends. A call that enqueues what uses it waits for that before it returns.
template <class T>
const T& kept_or_of_thread(Call& call) {
  if (call.scratch().keeps())
    return call.scratch().kept<T>(Key().add_device().bytes(), [] { return T(); });
  thread_local std::map<int, T> of_thread;
  return of_thread.try_emplace(current_device()).first->second;
}

}  // namespace cuesta::cuda
