#!/usr/bin/env python3
"""Writes networks.inc: medians of K x K by minima and maxima, 4 columns by 2 rows of results together.

    networks.py            writes networks.inc beside this file
    networks.py --check    compares it with what would be written

The K - 1 rows that both rows of results share are sorted down each column: C(x, i) is the i-th
least of column x, 0 <= x <= K + 2. R(r, x) is the sample above (r = 0) or below (r = 1) them.
A network merges sorted lists: two columns, the columns common to all four windows, those common
to two, then what one window adds. Each merge is Batcher's odd-even merge; the two parities are
chosen at random at each level, and the cheapest of many is kept. It yields only the ranks that can
still be the median. (Batcher, "Sorting networks and their applications", AFIPS 1968. Perrot et al.
and Adams describe the sharing between windows: "Fast median filters using separable sorting
networks", 2021.)

Every merge is checked by the 0-1 principle when it is made: sorted lists of zeros and ones are
their counts, and all pairs of counts are tried, also those of samples that were left out.
"""

import random
import re
import sys
from pathlib import Path

SIZES = [3, 5, 7, 9, 11]
TRIES = 300

# Sorting networks with the least known number of exchanges (Knuth, "The Art of Computer
# Programming" 3, 5.3.4).
SORTS = {
    2: [(0, 1)],
    4: [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)],
    6: [(0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3), (2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)],
    8: [(0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7), (0, 1), (2, 3), (4, 5), (6, 7)]
    + [(2, 4), (3, 5), (1, 4), (3, 6), (1, 2), (3, 4), (5, 6)],
    10: [(0, 8), (1, 9), (2, 7), (3, 5), (4, 6), (0, 2), (1, 4), (5, 8), (7, 9), (0, 3), (2, 4), (5, 7)]
    + [(6, 9), (0, 1), (3, 6), (8, 9), (1, 5), (2, 3), (4, 8), (6, 7), (1, 2), (3, 5), (4, 6), (7, 8)]
    + [(2, 3), (4, 5), (6, 7), (3, 4), (5, 6)],
}  # fmt: skip


def check_sort(n):
    for bits in range(1 << n):
        v = [bits >> i & 1 for i in range(n)]
        for a, b in SORTS[n]:
            v[a], v[b] = min(v[a], v[b]), max(v[a], v[b])
        assert v == sorted(v), (n, bits)


class Ranks:
    """Nodes that are the ranks first, first + 1, ... of a set of `size` samples."""

    def __init__(self, nodes, size, first=0):
        self.nodes, self.size, self.first = nodes, size, first

    def only(self, low, high):
        """Those of the ranks low .. high that are here."""
        low, high = max(low, self.first), min(high, self.first + len(self.nodes) - 1)
        return Ranks(self.nodes[low - self.first : high - self.first + 1], self.size, low)


class Network:
    """Operations ("min" or "max", a, b), each once; leaves are (name,)."""

    def __init__(self):
        self.ops, self.known = [], {}

    def node(self, *op):
        if len(op) == 3 and op[1] > op[2]:
            op = (op[0], op[2], op[1])
        if op not in self.known:
            self.ops.append(op)
            self.known[op] = len(self.ops) - 1
        return self.known[op]

    def needed(self, outputs):
        seen, to_visit = set(), list(outputs)
        while to_visit:
            n = to_visit.pop()
            if n not in seen:
                seen.add(n)
                to_visit += self.ops[n][1:]
        return seen

    def operations(self, outputs):
        """{node: (kind, inputs)}; a chain whose middle nobody else reads has three inputs."""
        live = self.needed(outputs)
        uses = dict.fromkeys(live, 0)
        for n in list(outputs) + [i for n in live for i in self.ops[n][1:]]:
            uses[n] += 1
        code, joined = {}, set()
        for n in sorted(live, reverse=True):
            if n in joined or len(self.ops[n]) == 1:
                continue
            kind, *inputs = self.ops[n]
            for i in inputs:
                if self.ops[i][0] == kind and uses[i] == 1:
                    inputs = [k for k in inputs if k != i] + list(self.ops[i][1:])
                    joined.add(i)
                    break
            code[n] = kind, inputs
        return code


class Merge(Network):
    """A merge of two lists. Of nodes with the same value for all zeros and ones one remains."""

    def __init__(self, a, b):
        super().__init__()
        self.states = [(i, j) for i in range(a.size + 1) for j in range(b.size + 1)]
        self.values, self.by_value = [], {}
        self.a = [self.leaf("a", k, lambda i, j, r=a.first + k: r >= a.size - i) for k in range(len(a.nodes))]  # fmt: skip
        self.b = [self.leaf("b", k, lambda i, j, r=b.first + k: r >= b.size - j) for k in range(len(b.nodes))]  # fmt: skip

    def mask(self, is_one):
        return sum(1 << s for s, (i, j) in enumerate(self.states) if is_one(i, j))

    def leaf(self, which, k, is_one):
        value = self.mask(is_one)
        if value in self.by_value:
            return self.by_value[value]
        self.ops.append(((which, k),))
        return self.remember(value)

    def remember(self, value):
        self.values.append(value)
        self.by_value[value] = len(self.values) - 1
        return self.by_value[value]

    def op(self, kind, x, y):
        value = (
            self.values[x] & self.values[y] if kind == "min" else self.values[x] | self.values[y]
        )
        if value in self.by_value:
            return self.by_value[value]
        self.ops.append((kind, x, y))
        return self.remember(value)

    def exchange(self, x, y):
        return [self.op("min", x, y), self.op("max", x, y)]

    def merged(self, a, b, chance):
        if not a or not b:
            return list(a or b)
        if len(a) == len(b) == 1:
            return self.exchange(a[0], b[0])
        crossed = chance.random() < 0.5
        one = self.merged(a[0::2], b[1::2] if crossed else b[0::2], chance)
        two = self.merged(a[1::2], b[0::2] if crossed else b[1::2], chance)
        out = [] if crossed else [one.pop(0)]
        for i in range(max(len(one), len(two))):
            if i < len(one) and i < len(two):
                out += self.exchange(two[i], one[i])
            else:
                out.append((one if i < len(one) else two)[i])
        return out


best_merges = {}


def merge(net, a, b, low=0, high=None):
    """Ranks low .. high of both sets together."""
    if high is None:
        high = a.size + b.size - 1
    a, b = a.only(low - b.size, high), b.only(low - a.size, high)
    key = (a.size, a.first, len(a.nodes), b.size, b.first, len(b.nodes), low, high)
    if key not in best_merges:
        best_merges[key] = cheapest_merge(a, b, low, high)
    local, out = best_merges[key]
    place = {}
    for n in sorted(local.needed(out)):
        op = local.ops[n]
        if len(op) == 1:
            which, k = op[0]
            place[n] = (a if which == "a" else b).nodes[k]
        else:
            place[n] = net.node(op[0], place[op[1]], place[op[2]])
    return Ranks([place[n] for n in out], a.size + b.size, low)


def cheapest_merge(a, b, low, high):
    best = None
    size = a.size + b.size
    for seed in range(TRIES):
        local = Merge(a, b)
        out = local.merged(local.a, local.b, random.Random(seed))
        out = out[low - a.first - b.first :][: high - low + 1]
        wanted = [local.mask(lambda i, j, r=r: r >= size - i - j) for r in range(low, high + 1)]
        assert [local.values[n] for n in out] == wanted  # the 0-1 principle
        cost = len(local.operations(out))
        if best is None or cost < best[0]:
            best = cost, local, out
    return best[1:]


def build(size):
    """The network and its results, out[row][column]."""
    net, half, shared = Network(), size * size // 2, size - 1
    columns = [
        Ranks([net.node(f"C({x}, {i})") for i in range(shared)], shared) for x in range(size + 3)
    ]
    rows = [[Ranks([net.node(f"R({r}, {x})")], 1) for x in range(size + 3)] for r in range(2)]
    odd = range(1, size + 1, 2)
    nothing = Ranks([], 0)

    def all_of(lists):
        total = nothing
        for one in lists:
            total = merge(net, total, one)
        return total

    pair = {x: merge(net, columns[x], columns[x + 1]) for x in odd}
    row_pair = [{x: merge(net, rows[r][x], rows[r][x + 1]) for x in odd} for r in range(2)]
    common = all_of(pair[x] for x in odd[1:-1])
    common_row = [all_of(row_pair[r][x] for x in odd[1:-1]) for r in range(2)]
    out = [[None] * 4 for _ in range(2)]
    for t in range(2):  # columns 2 t and 2 t + 1 of results
        other = (1, size)[t]
        core = merge(
            net, common, pair[other], max(0, half - 2 * size + 1), min(half, shared * shared - 1)
        )
        row = [merge(net, common_row[r], row_pair[r][other]) for r in range(2)]
        for s in range(2):
            own = (2 * t, size + 2 * t)[s]  # the column that only this window has
            side = merge(net, core, columns[own], half - size, half)
            for r in range(2):
                ends = merge(net, side, row[r], half - 1, half)
                last = merge(net, ends, rows[r][own], half, half)
                out[r][2 * t + s] = last.nodes[0]
    return net, out


def order_of(net, out, code, mates):
    """The nodes in an order in which they can be computed, an exchange as (minimum, maximum)."""
    order, done = [], set()

    def visit(n):
        if n in done:
            return
        inputs = code[n][1] if n in code else []
        for i in inputs:
            visit(i)
        nodes = [n]
        if len(inputs) == 2:
            nodes = [m for m in mates[tuple(sorted(inputs))] if m is not None]
        order.append(nodes)
        done.update(nodes)

    for x in range(4):
        for r in range(2):
            visit(out[r][x])
    return order


def lines_of(size):
    """The network as macros, and the number of operations. Nodes share registers: an operation
    writes over what nobody reads again."""
    net, out = build(size)
    results = {out[r][x]: (r, x) for r in range(2) for x in range(4)}
    code = net.operations(list(results))
    mates = {}  # minimum and maximum of the same two
    for n, (kind, inputs) in code.items():
        if len(inputs) == 2:
            mates.setdefault(tuple(sorted(inputs)), [None, None])[kind == "max"] = n
    order = order_of(net, out, code, mates)
    readers = {}  # how many operations still read a node
    for nodes in order:
        for i in code[nodes[0]][1] if nodes[0] in code else []:
            readers[i] = readers.get(i, 0) + 1
    register, unused, lines, registers = {}, [], [], 0

    def fresh():
        nonlocal registers
        if not unused:
            registers += 1
            unused.append(registers - 1)
        return unused.pop()

    for nodes in order:
        n = nodes[0]
        if n not in code:
            kind, place = net.ops[n][0][0], net.ops[n][0][2:-1].replace(" ", "")
            register[n] = fresh()
            lines.append(f"{kind}({register[n]},{place})")
            continue
        kind, inputs = code[n]
        for i in inputs:
            readers[i] -= 1
        # Those that nobody reads again come first; the others are copied where they are written.
        inputs = sorted(inputs, key=lambda i: readers[i] > 0)
        places = [register[i] for i in inputs]
        for k, i in enumerate(inputs):
            if k < len(nodes) and readers[i]:
                places[k] = fresh()
                lines.append(f"V({places[k]},{register[i]})")
            elif k >= len(nodes) and not readers[i]:
                unused.append(places[k])
        read = ",".join(map(str, places))
        lines.append(f"X({read})" if len(nodes) == 2 else f"{kind.upper()}{len(inputs)}({read})")
        for k, node in enumerate(nodes):
            register[node] = places[k]
            if node in results:
                lines.append("O({},{},{})".format(*results[node], places[k]))
                if node not in readers:
                    unused.append(places[k])
    return lines, len(code), registers


def wrapped(words):
    line = ""
    for word in words:
        if len(line) + len(word) >= 100:
            yield line
            line = ""
        line += (" " if line else "") + word
    yield line


def text():
    parts = [
        "// Written by networks.py, which says what is here. Of registers, X: the minimum and the maximum of",
        "// two. MIN2 ... MAX3: the first becomes that of two or three. V: becomes another. C, R: a sample.",
        "// O: a result. S: an exchange of the sort down a column.",
    ]
    for size in SIZES:
        check_sort(size - 1)
        lines, operations, registers = lines_of(size)
        parts += [f"// {operations} operations for 4 x 2 results.", f"NETWORK({size}, {registers})"]
        parts += [*wrapped(lines), "END", f"SORT({size - 1})"]
        parts += [*wrapped([f"S({a},{b})" for a, b in SORTS[size - 1]]), "END"]
    return "\n".join(parts) + "\n"


def check_text(code, size):
    """Runs a network as it is written on random samples; merges were checked for all of them."""
    body = code[code.index(f"NETWORK({size},") :]
    steps = re.findall(r"(\w+)\(([\d,]+)\)", body[body.index("\n") : body.index("END")])
    chance = random.Random(size)
    for trial in range(20):
        picture = [[chance.randrange(2 << 7 * (trial % 2)) for _ in range(size + 3)] for _ in range(size + 1)]  # fmt: skip
        columns = [sorted(row[x] for row in picture[1:-1]) for x in range(size + 3)]
        v, out = {}, {}
        for kind, numbers in steps:
            a, *rest = map(int, numbers.split(","))
            if kind == "C":
                v[a] = columns[rest[0]][rest[1]]
            elif kind == "R":
                v[a] = picture[-rest[0]][rest[1]]
            elif kind == "O":
                out[a, rest[0]] = v[rest[1]]
            elif kind == "V":
                v[a] = v[rest[0]]
            elif kind == "X":
                v[a], v[rest[0]] = sorted((v[a], v[rest[0]]))
            else:
                v[a] = (min if kind[:3] == "MIN" else max)([v[a]] + [v[i] for i in rest])
        for (r, x), result in out.items():
            window = sorted(s for row in picture[r : r + size] for s in row[x : x + size])
            assert result == window[size * size // 2], (size, r, x)
        assert len(out) == 8


def main():
    sys.setrecursionlimit(100000)
    path = Path(__file__).with_name("networks.inc")
    code = text()
    for size in SIZES:
        check_text(code, size)
    if sys.argv[1:] == ["--check"]:
        if path.read_text() != code:
            sys.exit(f"{path} differs from what {Path(__file__).name} writes: run it")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        path.write_text(code)


if __name__ == "__main__":
    main()
