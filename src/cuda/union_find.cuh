// Sets of pixels as trees in one array of labels, built by any number of threads at once. A label
// is an int32_t where there are at most 2^31 nodes, else an int64_t.
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

/// atomicCAS() of a label: what was there.
__device__ inline int32_t compare_and_swap(int32_t* at, int32_t expected, int32_t wanted) {
  return atomicCAS(at, expected, wanted);
}
__device__ inline int64_t compare_and_swap(int64_t* at, int64_t expected, int64_t wanted) {
  using Word = unsigned long long;
  return int64_t(atomicCAS(reinterpret_cast<Word*>(at), Word(expected), Word(wanted)));
}

/// Where the parent of a node stands. A type of nodes that are not their own index has an overload
/// beside it, and one of compare_and_swap().
template <class Node>
__device__ Node index_of(Node node) {
  return node;
}

// What the searches below ask of an array of parents: parent_of(), set_parent() and link_root(),
// here for one in device memory. Another kind of array has them beside it.

/// The parent of `node`, as some thread has left it.
template <class Node>
__device__ Node parent_of(Node* parents, Node node) {
  return ::cuda::atomic_ref<Node, ::cuda::thread_scope_device>(parents[index_of(node)])
      .load(::cuda::memory_order_relaxed);
}
/// `parent`, an ancestor of the node or itself, for a node that nobody else gives a new set.
template <class Node>
__device__ void set_parent(Node* parents, Node node, Node parent) {
  ::cuda::atomic_ref<Node, ::cuda::thread_scope_device>(parents[index_of(node)])
      .store(parent, ::cuda::memory_order_relaxed);
}
/// `parent` for a node that is a root; else nothing. Returns the parent that it had.
template <class Node>
__device__ Node link_root(Node* parents, Node node, Node parent) {
  return compare_and_swap(parents + index_of(node), node, parent);
}

/// The root of `node`; changes nothing. While others unite, a node that was its root a moment ago.
template <class Parents, class Node>
__device__ Node find(Parents parents, Node node) {
  for (;;) {
    const Node parent = parent_of(parents, node);
    if (parent == node) return node;
    node = parent;
  }
}

/// The same, and every node on the way skips one: later searches are shorter. Safe beside find(),
/// unite() and itself: it writes to nodes that are no roots, which nobody else gives a new set.
template <class Parents, class Node>
__device__ Node find_and_shorten(Parents parents, Node node) {
  Node parent = parent_of(parents, node);
  while (parent != node) {
    const Node grandparent = parent_of(parents, parent);
    if (grandparent != parent) set_parent(parents, node, grandparent);
    node = parent;
    parent = grandparent;
  }
  return node;
}

/// One set from those of a and b, which were roots a moment ago.
template <class Parents, class Node>
__device__ void unite_roots(Parents parents, Node a, Node b) {
  while (a != b) {
    if (a < b) {
      const Node smaller = a;
      a = b;
      b = smaller;
    }
    // `b` need not be a root any more: it is a smaller node of the set that a's joins.
    const Node seen = link_root(parents, a, b);
    if (seen == a) return;
    a = find_and_shorten(parents, seen);
  }
}

/// One set from those of a and b.
template <class Parents, class Node>
__device__ void unite(Parents parents, Node a, Node b) {
  a = find_and_shorten(parents, a);
  b = find_and_shorten(parents, b);
  unite_roots(parents, a, b);
}
/// The same; both roots are searched at once, so that each step waits for memory once, not twice.
template <class Parents, class Node>
__device__ void unite_at_once(Parents parents, Node a, Node b) {
  Node above_a = parent_of(parents, a), above_b = parent_of(parents, b);
  while (above_a != a || above_b != b) {
    const Node next_a = parent_of(parents, above_a), next_b = parent_of(parents, above_b);
    if (next_a != above_a) set_parent(parents, a, next_a);
    if (next_b != above_b) set_parent(parents, b, next_b);
    a = above_a, b = above_b;
    above_a = next_a, above_b = next_b;
  }
  unite_roots(parents, a, b);
}

/// After the last unite(), in a later kernel: `node` points at its root. Every node is written by
/// one thread; others may pass through it meanwhile and find the same root.
template <class Parents, class Node>
__device__ Node flatten(Parents parents, Node node) {
  const Node root = find(parents, node);
  set_parent(parents, node, root);
  return root;
}

}  // namespace cuesta::cuda
