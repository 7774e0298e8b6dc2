// Sets of nodes as trees in one array, for one thread at a time: parent[i] <= i, and a root is its
// own parent, so a set is known by its smallest node. (src/cuda/union_find.cuh has the same for any
// number of threads.) Source: Tarjan, "Efficiency of a good but not linear set union algorithm",
// 1975, with path halving and linking by index.
#pragma once

namespace cuesta::cpu {

/// The root of `node`. Reads only: any number of threads may look at once.
template <class Node>
Node find(const Node* parent, Node node) {
  while (parent[node] != node) node = parent[node];
  return node;
}

/// The same; every other node on the way skips one.
template <class Node>
Node find_and_shorten(Node* parent, Node node) {
  for (; parent[node] != node; node = parent[node]) parent[node] = parent[parent[node]];
  return node;
}

/// One set from those of a and b. Returns the root that is one no more; Node(-1) where they were
/// one set.
template <class Node>
Node unite(Node* parent, Node a, Node b) {
  a = find_and_shorten(parent, a);
  b = find_and_shorten(parent, b);
  if (a == b) return Node(-1);
  const Node lost = a > b ? a : b;
  parent[lost] = a > b ? b : a;
  return lost;
}

}  // namespace cuesta::cpu
