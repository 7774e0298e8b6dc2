// Sets of pixels as trees in one array of 32-bit labels, built by any number of threads at once.
//
// parents[i] is a node of i's set with parents[i] <= i; a root is its own parent. Sets are joined
// at roots only, by compare-and-swap, and the larger root goes below a smaller node: no cycle can
// form and no link is lost. Whatever else is written gives a node another ancestor of its own. When
// all unions are done, the root of a set is its smallest node, whatever the order the threads ran
// in.
//
// Nodes that take part start with parents[i] = i, written by a kernel before the first unite().
// Reads are relaxed atomics: another thread's link may come late, and then unite() finds it when
// its compare-and-swap fails. Source: Jayanti and Tarjan, "A randomized concurrent algorithm for
// disjoint set union", 2016, with linking by index.
#pragma once

#include <cuda/atomic>

#include <cstdint>

namespace cuesta::cuda {

/// The parent of `node`, as some thread has left it.
__device__ inline int32_t parent_of(int32_t* parents, int32_t node) {
  return ::cuda::atomic_ref<int32_t, ::cuda::thread_scope_device>(parents[node])
      .load(::cuda::memory_order_relaxed);
}

/// The root of `node`; changes nothing. While others unite, a node that was its root a moment ago.
__device__ inline int32_t find(int32_t* parents, int32_t node) {
  for (;;) {
    const int32_t parent = parent_of(parents, node);
    if (parent == node) return node;
    node = parent;
  }
}

/// The same, and every node on the way skips one: later searches are shorter. Safe beside find(),
/// unite() and itself: it writes to nodes that are no roots, which nobody else gives a new set.
__device__ inline int32_t find_and_shorten(int32_t* parents, int32_t node) {
  int32_t parent = parent_of(parents, node);
  while (parent != node) {
    const int32_t grandparent = parent_of(parents, parent);
    if (grandparent != parent) {
      ::cuda::atomic_ref<int32_t, ::cuda::thread_scope_device>(parents[node])
          .store(grandparent, ::cuda::memory_order_relaxed);
    }
    node = parent;
    parent = grandparent;
  }
  return node;
}

/// One set from those of a and b.
__device__ inline void unite(int32_t* parents, int32_t a, int32_t b) {
  a = find_and_shorten(parents, a);
  b = find_and_shorten(parents, b);
  while (a != b) {
    if (a < b) {
      const int32_t smaller = a;
      a = b;
      b = smaller;
    }
    // `b` need not be a root any more: it is a smaller node of the set that a's joins.
    const int32_t seen = atomicCAS(parents + a, a, b);
    if (seen == a) return;
    a = find_and_shorten(parents, seen);
  }
}

/// After the last unite(), in a later kernel: `node` points at its root. Every node is written by
/// one thread; others may pass through it meanwhile and find the same root.
__device__ inline int32_t flatten(int32_t* parents, int32_t node) {
  const int32_t root = find(parents, node);
  ::cuda::atomic_ref<int32_t, ::cuda::thread_scope_device>(parents[node])
      .store(root, ::cuda::memory_order_relaxed);
  return root;
}

}  // namespace cuesta::cuda
